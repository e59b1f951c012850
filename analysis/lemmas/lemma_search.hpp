// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "analysis/lemmas/broken_promise.hpp"
#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/engine/verdict/run_result.hpp"

namespace faultline::lemmas {

/// Changes the specification of a run before the run starts, for example to put a faulty detector
/// in.
using Mutation = std::function<void(scenario::RunSpec&)>;

/// One run of the search.
struct LemmaRun {
  engine::RunResult result;             ///< empty if an invariant broke
  std::optional<BrokenPromise> broken;  ///< the first one found
  bool struck = false;                  ///< whether any process has died
};

/// Runs a schedule and judges it by what the stack without the mutation promises. Every stack
/// promises that its runs end as they should and without a violation, and breaks no invariant. An
/// adoption detector also promises to give up exactly where and when its GiveUpCondition is met,
/// and in agreement with RelatedFailures. A stack with a DetectionPromise or a RecoveryPromise, or
/// under a program of TryBlocks (BlockPromise), is judged by that alone.
LemmaRun run_lemma(const FaultSchedule& schedule, const ProtocolStack& stack,
                   scenario::EngineKind engine, const Mutation& mutation = {});

/// A schedule under which a promise is broken.
struct LemmaCounterexample {
  FaultSchedule schedule;
  BrokenPromise broken;
};

/// Returns the promise that is broken under a schedule; nothing if none is.
using Judge = std::function<std::optional<BrokenPromise>(const FaultSchedule&)>;

/// Returns the simplest counterexample that shrinking finds. It tries each simpler schedule with
/// `seeds` seeds.
LemmaCounterexample shrink(LemmaCounterexample found, const Judge& judge, std::uint64_t seeds);

}  // namespace faultline::lemmas
