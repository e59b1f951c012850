#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/engine/run_result.hpp"

namespace faultline {

/// How a search runs a schedule: changes of the run's specification, such as a detector with a
/// mistake in it.
using Spoil = std::function<void(RunSpec&)>;

/// One run of the search.
struct LemmaRun {
  RunResult result;
  std::string broken;   ///< what the protocol has promised and not kept; "" if nothing
  bool struck = false;  ///< has any process died?
};

/// Runs a schedule and judges it: neither premature nor hung, and given up if and only if the
/// protocol's condition is met, by whom and when it is; nor against what is true of the failed
/// processes, whatever the protocol has been told.
LemmaRun run_lemma(const FaultSchedule& schedule, const Subject& subject, EngineKind engine,
                   const Spoil& spoil = {});

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
