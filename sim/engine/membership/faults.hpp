// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/actors/common.hpp"
#include "sim/engine/membership/membership_state.hpp"
#include "sim/engine/membership/notices.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/storage/stable_storage.hpp"
#include "sim/engine/turn/turns.hpp"
#include "sim/engine/verdict/verdict.hpp"

namespace faultline::engine {

/// Strikes with the faults of a run: actors die, find an error in their data, or stall. Notices
/// tell actors of the deaths that nothing else has told them of.
class Faults {
 public:
  /// What faults act on, beside what all have in common. All must outlive them.
  struct Parts {
    MembershipState& state;
    StableStorage& storage;
    Network& network;
    Processors& processors;
    Turns& turns;
    Notices& notices;
    RunEnding& ending;
    Verdict& verdict;
  };
  Faults(const Common& run, const Parts& parts)
      : run_(run),
        state_(parts.state),
        storage_(parts.storage),
        network_(parts.network),
        processors_(parts.processors),
        turns_(parts.turns),
        notices_(parts.notices),
        ending_(parts.ending),
        verdict_(parts.verdict) {}

  /// Schedules the faults that come by the clock.
  void schedule_all();
  /// A fault is due that the scenario states, or that a source has drawn.
  void strike_at(const Event& fault);
  /// The victims die now, find an error, or stall.
  void strike(const std::vector<faults::Victim>& victims);
  /// Strikes with the faults that a scenario sets by the number of an event. The last event of a
  /// run ends it, and nobody dies after that.
  void strike_by_number();
  /// A component has set a mark, at which a fault may strike.
  void strike_at_mark(const char* name, std::int64_t value);
  /// A program finds an error.
  void tell_error(ActorId self);
  /// A false report has reached its victim, which stops, or the resource manager ends it. A daemon
  /// takes the ranks of its node along.
  void stop_victim(ActorId self);
  /// Does such an event keep the run alive by itself? One of a source without end does not.
  [[nodiscard]] bool is_sure(const Event& fault) const {
    return fault.at.detail == kStated || state_.faults().ends(fault.at.actor);
  }

 private:
  /// Values of Event::at.detail. Event::at.actor is then the index of a fault that the scenario
  /// states, or of a source that draws faults.
  static constexpr std::uint32_t kStated = 0;
  static constexpr std::uint32_t kDrawn = 1;

  void await_source(std::uint32_t source);
  void strike_from(std::uint32_t source);
  [[nodiscard]] Rank parent_of(Rank rank) const;
  void strike(const faults::Victim& victim);
  void find_error(ActorId self);
  void stall(ActorId self, double stall_s);
  void kill_node(const faults::Victim& victim);
  void cover_earlier_deaths(NodeId node, Incarnation daemon);
  void kill(ActorId actor, bool silent = false, Incarnation daemon = {});
  void start_who_waits(Incarnation dead);

  const Common run_;
  MembershipState& state_;
  StableStorage& storage_;
  Network& network_;
  Processors& processors_;
  Turns& turns_;
  Notices& notices_;
  RunEnding& ending_;
  Verdict& verdict_;
};

}  // namespace faultline::engine
