#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analysis/engagement_trace.hpp"
#include "analysis/fault_schedule.hpp"
#include "sim/engine/run_result.hpp"

namespace faultline {

/// When an adoption protocol may give up. Two conditions hold the runs from both sides, and what
/// lies between them is not judged: pairs that were related but died apart, or of which one had a
/// message or an acknowledgement on its way.
struct GivesUp {
  enum Where {
    related,   ///< INDEP: processes have failed of which one, engaged, has sent to the other
    interior,  ///< RELEAGER: a process and an interior child of it have failed
    lost,      ///< RELLAZY, `fallback`: or an adopted child and a process that it has sent to
    adopted,   ///< RELLAZY, `strict`: or an adopted child
  } where = related;
  bool late = false;  ///< interior until it disengages
};

/// The condition of the protocol of that name, with those options.
GivesUp condition_of(const Subject& subject);

/// How a search runs a schedule: changes of the run's specification, such as a detector with a
/// mistake in it.
using Spoil = std::function<void(RunSpec&)>;

/// One run of the search.
struct LemmaRun {
  RunResult result;
  std::string broken;   ///< what the protocol has promised and not kept; "" if nothing
  bool struck = false;  ///< has any process died?
  bool judged = true;   ///< false: it may give up and need not
};

/// Runs a schedule and judges it: neither premature nor hung, and given up only where the
/// protocol's condition says so.
LemmaRun run_lemma(const FaultSchedule& schedule, const Subject& subject, EngineKind engine,
                   const Spoil& spoil = {});

/// The judgement alone.
std::string broken_promise(const FaultSchedule& schedule, const GivesUp& condition,
                           const RunResult& result, const EngagementTrace& trace);

/// A schedule in which a promise is broken.
struct LemmaCounterexample {
  FaultSchedule schedule;
  std::string broken;
};

/// Tells what is broken under a schedule, "" if nothing is.
using Judge = std::function<std::string(const FaultSchedule&)>;

/// The simplest schedule that shrinking finds; for each simpler one `seeds` seeds are tried.
LemmaCounterexample shrink(LemmaCounterexample found, const Judge& judge, std::uint64_t seeds);

}  // namespace faultline
