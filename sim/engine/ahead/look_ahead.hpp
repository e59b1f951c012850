// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/engine/events/event.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/state/run_state.hpp"

namespace faultline::engine {

/// Fetches from memory what the next events need, while earlier ones are handled. With many
/// processes every event touches memory that is not in cache, and the queue knows roughly which
/// events come next. Changes no result.
class LookAhead {
 public:
  /// `link_free_s`: what LogGpEngine keeps of the links, by node and port.
  LookAhead(const RunJob& job, const RunState& state, const std::vector<double>& link_free_s);

  /// Called before each event.
  void go_on() const {
    if (is_on_) look();
  }

 private:
  /// Up to this number of components, to look ahead takes longer than to wait for memory.
  static constexpr std::uint64_t kComponentsInCache = 4096;

  /// Fetches something that an event needs, when about so many others come before it.
  struct Step {
    void (LookAhead::*fetch)(const Event&) const;
    std::size_t distance;  ///< in the queue's slots
    std::size_t level;     ///< in its heap: as many others as there are above that level
  };
  static const std::array<Step, 6> kSteps;

  void look() const;
  void fetch_message(const Event& event) const;
  void fetch_actor(const Event& event) const;
  void fetch_parts(const Event& event) const;
  void fetch_components(const Event& event) const;
  void fetch_inbox(const Event& event) const;
  void fetch_for_program(const Event& event) const;
  void fetch_stack(ActorId actor) const;
  void fetch_links(NodeId node) const;
  [[nodiscard]] bool will_wait(const Event& arrival) const;
  [[nodiscard]] bool is_put_off(const Event& arrival) const;
  [[nodiscard]] bool joins_others(const Event& arrival) const;

  [[nodiscard]] NodeId node_of(ActorId actor) const { return state_.placement.node_of(actor); }
  /// The messages that wait before a NIC.
  [[nodiscard]] NicQueue before_nic(NodeId node) const {
    const NicQueue* queue = state_.network.queue(node);
    return queue == nullptr ? NicQueue() : *queue;
  }

  const RunJob& job_;
  const RunState& state_;
  const std::vector<double>& link_free_s_;
  bool is_on_;
  bool has_prefetched_programs_;  ///< the workloads are Prefetched
};

}  // namespace faultline::engine
