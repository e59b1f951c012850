// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/reports.hpp"

#include <algorithm>
#include <functional>

#include "sim/core/invariant.hpp"
#include "sim/core/sorted_list.hpp"
#include "sim/engine/actors/ordered.hpp"

namespace faultline::engine {

/// Whether and when the actor has declared that incarnation of the peer dead while it lived.
const Refusal* Reports::refusal_of(ActorId self, Incarnation peer) const {
  if (!run_.state.actors[self].rare_state) return nullptr;
  return run_.state.actors[self].rare_state->refused.of(peer);
}

bool Reports::has_declared(ActorId self, Incarnation peer) const {
  if (refusal_of(self, peer) != nullptr) return true;
  const auto& heard = run_.state.actors[self].heard();
  if (heard.empty()) return false;
  const auto death = state_.deaths().number_of(peer);
  if (!death) return false;
  const auto has_heard = [&](std::uint32_t number) {
    return std::binary_search(heard.begin(), heard.end(), number);
  };
  if (has_heard(*death)) return true;
  const Incarnation daemon = state_.deaths()[*death].daemon;
  return daemon.actor != kNobody && has_heard(*state_.deaths().number_of(daemon));
}

std::vector<Incarnation> Reports::known_failures(ActorId self) const {
  std::vector<Incarnation> known;
  const ActorState& actor = run_.state.actors[self];
  if (actor.rare_state)
    for (const Refusal& refusal : actor.rare_state->refused.all()) known.push_back(refusal.peer);
  for (const std::uint32_t death : actor.heard()) {
    known.push_back(state_.deaths()[death].dead);
    for (const std::uint32_t rank : state_.deaths().hosted_by(known.back()))
      known.push_back(state_.deaths()[rank].dead);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

void Reports::report_failed(ActorId self, Incarnation peer) {
  if (!run_.state.actors[self].alive) return;
  if (peer.actor == self) {  // of an earlier life it need not hear
    if (peer == run_.incarnation_of(self)) faults_.stop_victim(self);
    return;
  }
  if (has_declared(self, peer)) return;
  if (const auto death = state_.deaths().number_of(peer))
    report_death(self, *death);
  else
    report_falsely(self, peer);
}

/// Deaths are heard of roughly in their order, so few entries move in the list of those that are
/// known.
void Reports::report_death(ActorId self, std::uint32_t death) {
  auto& heard = run_.state.actors[self].lower_stack().heard;
  if (!heard) heard = std::make_unique<std::vector<std::uint32_t>>();
  insert_sorted(*heard, death);
  ending_.expect_news(run_.now_s());
  if (run_.is_rank(self)) heard_news_ = true;  // the run may be over once all that follows is done
  const Incarnation dead = state_.deaths()[death].dead;
  tell_of_death(self, dead);
  if (!run_.is_rank(dead.actor)) hear_of_ranks(self, dead);
}

/// The stack of a rank hears of each rank that a daemon hosted. All that follows from one happens
/// before the next: as if each had been reported by itself. A rank that has restarted need not hear
/// of its own death. If a daemon hears, only the auditor needs to know that this reported the ranks
/// that had died before.
void Reports::hear_of_ranks(ActorId self, Incarnation daemon) {
  for (const std::uint32_t death : state_.deaths().hosted_by(daemon)) {
    if (!run_.state.actors[self].alive || (!run_.is_rank(self) && !state_.deaths()[death].earlier))
      return;
    const Incarnation dead = state_.deaths()[death].dead;
    const auto& heard = run_.state.actors[self].heard();
    if (dead.actor == self || std::binary_search(heard.begin(), heard.end(), death) ||
        refusal_of(self, dead) != nullptr)
      continue;
    const std::size_t before = turns_.actions();
    run_.state.truth.auditor().heard_with_node(self, dead, run_.now_s());
    if (!run_.is_rank(self)) continue;
    run_.show_about(audit::Sight::Kind::declared_dead, self, dead.actor);
    turns_.tell_stack(self, dead.actor, [dead](auto& component, auto& context) {
      component.on_peer_failed(context, dead);
    });
    turns_.carry_out_since(before);
  }
}

void Reports::report_falsely(ActorId self, Incarnation peer) {
  run_.reached.anything();
  run_.state.actors[self].rare().refused.add(
      {.peer = peer, .time_s = run_.now_s(), .hears_detector = run_.job.takes_back});
  run_.state.roll.note_refusal();
  ending_.expect_news(run_.now_s());
  fencing_.accuse(run_.incarnation_of(self), peer);
  tell_of_death(self, peer);
  if (run_.is_rank(peer.actor) || peer != run_.incarnation_of(peer.actor)) return;
  for (const Rank rank : run_.state.placement.ranks_on(run_.node_of(peer.actor))) {
    const std::size_t before = turns_.actions();
    report_failed(self, run_.incarnation_of(rank));
    turns_.carry_out_since(before);
  }
}

void Reports::take_back(ActorId self, Incarnation peer) {
  invariant(run_.job.takes_back, "a report is taken back where reports are final");
  run_.show_about(audit::Sight::Kind::taken_back, self, peer.actor);
  if (refusal_of(self, peer) == nullptr || !run_.lives(peer)) return;
  run_.reached.anything();
  run_.state.actors[self].rare().refused.remove(peer);
  run_.state.truth.taken_back(self, peer);
  ending_.expect_news(run_.now_s());
  if (run_.is_rank(peer.actor)) return;
  for (const Rank rank : run_.state.placement.ranks_on(run_.node_of(peer.actor)))
    if (refusal_of(self, run_.incarnation_of(rank)) != nullptr)
      take_back(self, run_.incarnation_of(rank));
}

void Reports::tell_of_death(ActorId self, Incarnation peer) {
  run_.state.truth.declared_dead(self, peer, run_.now_s());
  run_.show_about(audit::Sight::Kind::declared_dead, self, peer.actor);
  if (run_.is_rank(self))
    turns_.tell_stack(self, peer.actor, [peer](auto& component, auto& context) {
      component.on_peer_failed(context, peer);
    });
}

void Reports::learn(ActorId self, Incarnation peer) {
  if (peer.actor == self || peer.number <= run_.known(self, peer.actor).number) return;
  run_.state.actors[self].rare().restarted.learn(peer);
  const std::size_t before = turns_.actions();
  const auto tell = [peer](auto& component, auto& context) {
    component.on_peer_restarted(context, peer);
  };
  turns_.turn(self, Family::failure_detection, tell, true);
  turns_.carry_out_since(before);
  turns_.tell_stack(self, peer.actor, tell);
}

/// The deaths that an actor has declared, the peers that it refuses, those whose later lives it
/// knows, and its connections.
void Reports::check(const ActorState& actor, Recount& recount) const {
  const std::vector<std::uint32_t>& heard = actor.heard();
  invariant(ordered(heard, std::less<>()) &&
                (heard.empty() || (actor.alive && heard.back() < state_.deaths().size())),
            "deaths that an actor has declared are not sorted, or have not happened");
  recount.looked_at += heard.size();
  if (!actor.rare_state) return;
  const RareState& rare = *actor.rare_state;
  rare.refused.check();
  rare.restarted.check();
  invariant(ordered(rare.links, std::less<>()) && ordered(rare.linked_by, std::less<>()),
            "connections are not sorted");
}

}  // namespace faultline::engine
