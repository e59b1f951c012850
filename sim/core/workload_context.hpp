// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/context.hpp"
#include "sim/core/random.hpp"

namespace faultline {

/// What a workload may ask beside what all components have: it computes, has work, ends, and moves
/// on to the next phase.
class WorkloadContext : public Context {
 public:
  using Context::Context;

  /// Queues a computation on the worker cores. on_compute_done(tag) is called when it has ended.
  void compute(double duration_s, std::uint64_t tag = 0) {
    ++turn().computing;
    want(Action::Compute{duration_s, tag});
  }
  /// Abandons all computations of this component, those that run and those that are queued: their
  /// cores are free at once, and there is no on_compute_done for them.
  void cancel_computations() {
    turn().computing = 0;
    want(Action::CancelComputations{});
  }
  /// Declares local work, which makes the rank active. A negative count withdraws work.
  void declare_work(std::int64_t count) { turn().declared_work += count; }

  /// Moves this rank on to the next numbered phase. Its detector starts afresh, and messages of
  /// that phase that came early are handled. Receiving a message of the next phase has the same
  /// effect.
  void start_phase() { want(Action::StartPhase{}); }
  /// This rank has done everything it will ever do.
  void finish() { want(Action::Finish{}); }

  /// Chooses one of the numbers 0 to bound - 1, where the component may as well go on with any of
  /// them; `bound` is at least 1. The component's own stream draws it, all numbers being equally
  /// likely, unless a driver makes the choices of the run (docs/workloads.md). `what` tells people
  /// what the number stands for: "the child, among the other ranks".
  std::uint64_t choose(Stream& random, std::uint64_t bound, const char* what) {
    Chooser* chooser = turn().chooser;
    return chooser == nullptr ? random.below(bound) : chooser->choose(bound, what);
  }
  /// Chooses yes with that probability, or no. No driver is asked about what is certain.
  bool choose_yes(Stream& random, double probability, const char* what) {
    Chooser* chooser = turn().chooser;
    if (chooser == nullptr) return random.chance(probability);
    if (probability <= 0.0 || probability >= 1.0) return probability >= 1.0;
    return chooser->choose(2, what) == 1;
  }
};

}  // namespace faultline
