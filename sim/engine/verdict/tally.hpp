// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/message.hpp"
#include "sim/core/metrics.hpp"
#include "sim/engine/job/run_job.hpp"

namespace faultline::engine {

/// Messages of one kind that have been sent.
struct KindCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// What is counted in a run for its report alone: what components have reported in all phases and
/// incarnations, and what messages they have sent.
struct Tally {
  explicit Tally(const RunJob& job);

  /// A message leaves its sender that is no workload's.
  void count_control(const Message& message) {
    auto& kinds = control[static_cast<std::size_t>(message.channel)];
    if (message.kind >= kinds.size()) kinds.resize(message.kind + std::size_t{1});
    ++kinds[message.kind].messages;
    kinds[message.kind].bytes += message.bytes;
  }
  /// Takes in what a component has counted, if there is one. Called once for each component, when
  /// its life is over: at the end of the run, of its phase or of its incarnation.
  void report(const Component* component, std::size_t family) {
    if (component != nullptr) component->report(reported[family]);
  }

  std::array<MetricTotals, kFamilies> reported;
  std::array<std::vector<KindCount>, kFamilies> control;
  std::uint64_t application_bytes = 0;
};

}  // namespace faultline::engine
