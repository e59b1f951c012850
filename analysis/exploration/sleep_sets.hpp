#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/exploration/part_table.hpp"

namespace faultline {

/// What need not happen next in a state, because the states to which it leads are also reached in
/// another order. Bit i stands for the i-th of what is scheduled there.
using SleepSet = std::uint64_t;

/// What a step changes of that on which steps of other actors depend.
struct StepInfluence {
  /// It depends on no more than its key in StepMemory says, and changes no more than its actor and
  /// what it schedules there and sends.
  bool can_swap = false;
  bool asks_channels = false;   ///< it depends on who has sent something to the actor
  std::int32_t work = 0;        ///< how much more there is; see PartTable::Part
  std::uint64_t receivers = 0;  ///< of what it sends, one bit for each actor

  static constexpr std::size_t kMostActors = 64;
};

/// Finds out which steps of a search by breadth can be left out (P. Godefroid, Partial-Order
/// Methods for the Verification of Concurrent Systems, 1996, chapter 5: sleep sets).
///
/// Two steps of different actors are independent in a state if neither changes what the other
/// depends on. Then both orders lead to the same state, and what was taken first in the state need
/// not be taken after the other. A search by breadth that takes states in the order in which it has
/// found them, and the steps of each in their order, finds a state first by the least of its
/// shortest runs, in the order in which these differ first. A step that is left out leads to a
/// state by a run of which a lesser one exists, of the same length. So each state is found by the
/// same run as if nothing were left out. It suffices that a state sleeps as the first step to it
/// says; how it is reached again makes no difference.
class SleepSets {
 public:
  explicit SleepSets(const PartTable& parts) : parts_(parts) {}

  /// Begins with a state.
  void look_at(const PartNumbers& state, SleepSet asleep);
  [[nodiscard]] bool is_asleep(std::size_t place) const {
    const std::size_t bit = place - parts_.scheduled();
    return bit < kBits && (asleep_ >> bit & 1U) != 0;
  }
  /// What happens at this place of the state has this influence; again for each way in which it can
  /// go. Places come in their order.
  void add(std::size_t place, const StepInfluence& influence);
  /// What sleeps in the state that follows when this happens, once everything was added that can.
  [[nodiscard]] SleepSet after(std::size_t place, const StepInfluence& influence) const;

 private:
  static constexpr std::size_t kBits = 64;
  /// Something that can happen, however it goes.
  struct Event {
    std::size_t place;
    ActorId actor;
    bool can_swap;
    bool asks_channels;
    std::int32_t work_elsewhere;
    std::int32_t least_work;  ///< how much more there is after it
    std::int32_t most_work;
    std::uint64_t receivers;
  };
  [[nodiscard]] Event event_at(std::size_t place, const StepInfluence& influence) const;

  const PartTable& parts_;
  const PartNumbers* state_ = nullptr;
  SleepSet asleep_ = 0;
  std::int32_t work_ = 0;
  std::vector<Event> events_;
};

}  // namespace faultline
