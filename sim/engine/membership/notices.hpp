// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/engine/actors/common.hpp"
#include "sim/engine/membership/membership_state.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/turn/turns.hpp"
#include "sim/engine/verdict/run_ending.hpp"

namespace faultline::engine {

/// Tells actors of deaths as the system does: by the resource manager's notices, by a node's
/// daemon, and by connections that break.
class Notices {
 public:
  Notices(const Common& run, MembershipState& state, RunEnding& ending, Processors& processors,
          Turns& turns)
      : run_(run), state_(state), ending_(ending), processors_(processors), turns_(turns) {}

  /// Schedules all notices of a death, one for each listener.
  void spread_word(std::uint32_t death);
  /// The time of a notice that is now due after `delay_s`.
  [[nodiscard]] double notice_at(double delay_s);
  /// A notice is due. Its handler needs the processor, as that of a timer does, and waits as timers
  /// do.
  void hear(ActorId self, Notice notice);
  /// Tells an actor what it has to hear now. A later incarnation of a daemon hears nothing of the
  /// ranks that died under an earlier one.
  void tell_death(ActorId listener, Notice notice);
  /// A connection to an actor that is dead already breaks as an open one does.
  void open_link(ActorId self, Incarnation peer);
  /// The kernel closes the connections of a process that ends. Those to a node that is gone stay
  /// open until a probe of theirs fails.
  void break_link(ActorId holder, std::uint32_t death, bool silent);

 private:
  void tell_exit(EventKind kind, ActorId listener, Incarnation dead);

  const Common run_;
  MembershipState& state_;
  RunEnding& ending_;
  Processors& processors_;
  Turns& turns_;
};

}  // namespace faultline::engine
