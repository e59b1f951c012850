// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/action.hpp"
#include "sim/engine/actors/common.hpp"
#include "sim/engine/membership/membership_state.hpp"
#include "sim/engine/membership/notices.hpp"
#include "sim/engine/membership/reports.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/network/transport.hpp"
#include "sim/engine/turn/stacks.hpp"
#include "sim/engine/turn/turns.hpp"
#include "sim/engine/verdict/tally.hpp"
#include "sim/engine/verdict/verdict.hpp"

namespace faultline::engine {

/// Starts actors again under a new incarnation, where there is a place for them.
class Restarts {
 public:
  /// What it acts on, beside what all have in common. All must outlive it.
  struct Parts {
    MembershipState& state;
    Network& network;
    Transport& transport;
    Turns& turns;
    Stacks& stacks;
    Notices& notices;
    Reports& reports;
    RunEnding& ending;
    Verdict& verdict;
    Tally& tally;
  };
  Restarts(const Common& run, const Parts& parts)
      : run_(run),
        state_(parts.state),
        network_(parts.network),
        transport_(parts.transport),
        turns_(parts.turns),
        stacks_(parts.stacks),
        notices_(parts.notices),
        reports_(parts.reports),
        ending_(parts.ending),
        verdict_(parts.verdict),
        tally_(parts.tally) {}

  /// An actor asks for a restart. One of each incarnation is accepted. What is alive is not
  /// restarted: the request waits until it is dead. Where platform.when_no_spare says so, a request
  /// for which no node is free waits for the next repair. If whoever has asked is gone, whoever
  /// asks next is answered, be that a later life of the same actor: at once, if the process has
  /// started.
  void ask_restart(ActorId self, Incarnation dead, RestartOn where);
  /// A restart is due, by its number.
  void restart(std::uint32_t pending);
  /// Do the components above message logging wait in this new incarnation?
  [[nodiscard]] bool awaits_start(ActorId self) const {
    const ActorState& actor = run_.state.actors[self];
    return actor.rare_state && actor.rare_state->awaits_start;
  }
  /// Message logging lets those components start.
  void start_above(ActorId self, Family layer);

 private:
  /// Where and when a process starts. Without a node (kNoNode), one is chosen at that time.
  struct Start {
    NodeId node;
    double time_s;
  };

  void start_who_waited(std::uint32_t index);
  void choose_node(std::uint32_t index);
  [[nodiscard]] std::optional<Start> start_of(Incarnation dead, RestartOn where) const;
  [[nodiscard]] double next_repair_s(Incarnation dead, RestartOn where) const;
  [[nodiscard]] std::optional<NodeId> node_for(Incarnation dead, RestartOn where) const;
  [[nodiscard]] bool has_place(NodeId node) const;
  void refuse_restart(Incarnation asker, Incarnation dead);
  void answer_asker(const PendingRestart& pending);
  void revive_daemon(const PendingRestart& pending);
  void revive(ActorId actor, NodeId node);
  void keep_reports(ActorId actor);

  const Common run_;
  MembershipState& state_;
  Network& network_;
  Transport& transport_;
  Turns& turns_;
  Stacks& stacks_;
  Notices& notices_;
  Reports& reports_;
  RunEnding& ending_;
  Verdict& verdict_;
  Tally& tally_;
};

}  // namespace faultline::engine
