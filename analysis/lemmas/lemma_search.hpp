#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "analysis/lemmas/broken_promise.hpp"
#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/engine/run_result.hpp"

namespace faultline {

/// Changes the specification of a run before it is made, for example by a detector with a mistake
/// in it.
using Mutation = std::function<void(RunSpec&)>;

/// One run of the search.
struct LemmaRun {
  RunResult result;
  std::optional<BrokenPromise> broken;  ///< the first that was found
  bool struck = false;                  ///< has any process died?
};

/// Runs a schedule and judges it by what the stack promises without the mutation. Every stack
/// promises that its runs end as they should and without a violation. An adoption detector promises
/// as well to give up exactly where and when its GiveUpCondition is met, and in agreement with
/// RelatedFailures.
LemmaRun run_lemma(const FaultSchedule& schedule, const ProtocolStack& stack, EngineKind engine,
                   const Mutation& mutation = {});

/// A schedule in which a promise is broken.
struct LemmaCounterexample {
  FaultSchedule schedule;
  BrokenPromise broken;
};

/// Returns what is broken under a schedule, nothing if all is well.
using Judge = std::function<std::optional<BrokenPromise>(const FaultSchedule&)>;

/// Returns the simplest schedule that shrinking finds; for each simpler one `seeds` seeds are
/// tried.
LemmaCounterexample shrink(LemmaCounterexample found, const Judge& judge, std::uint64_t seeds);

}  // namespace faultline
