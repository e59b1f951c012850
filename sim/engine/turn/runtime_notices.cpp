// SPDX-License-Identifier: Apache-2.0

// Who hears of a death, and when: the resource manager's notices, a node's daemon, broken
// connections, and the reports that detectors make of them.

#include <algorithm>

#include "sim/core/sorted_list.hpp"
#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

// ---- notices ----------------------------------------------------------------------------------

/// The time of a notice that is now due after `delay_s`.
double Runtime::notice_at(double delay_s) {
  state_.ending.expect_news(now_s() + delay_s);
  return now_s() + delay_s;
}

/// Schedules all notices of a death, one for each listener.
void Runtime::spread_word(std::uint32_t death) {
  const Incarnation dead = state_.deaths[death].dead;
  if (job_->exit_notice) {
    Stream random(job_->seed, job_->replication, Purpose::notices,
                  dead.actor + (std::uint64_t{dead.number} << 33));
    for (ActorId listener = 0; listener < state_.actors.size(); ++listener) {
      if (!state_.actors[listener].alive ||
          state_.actors[listener].component(Family::failure_detection) == nullptr)
        continue;
      const double late_s =
          job_->exit_notice->spread_s > 0.0 ? job_->exit_notice->spread_s * random.uniform() : 0.0;
      state_.schedule.add(notice_at(job_->exit_notice->delay_s + late_s), EventKind::exit_notice,
                          listener, death);
    }
  }
  if (is_rank(dead.actor) && actor_count() > job_->shape.processes) {
    const ActorId daemon = state_.placement.daemon_of(node_of(dead.actor));
    if (state_.actors[daemon].alive)
      state_.schedule.add(notice_at(job_->spec.platform.local_exit_delay_s), EventKind::local_exit,
                          daemon, death);
  }
}

/// The handler of a notice needs the processor, as that of a timer does, and waits as timers do.
void Runtime::hear(ActorId self, Notice notice) {
  if (!state_.actors[self].alive) return;
  if (!processors_.waits_as_timer(self, {0, notice})) tell_death(self, notice);
}

/// A later incarnation of a daemon hears nothing of those who died under an earlier one.
void Runtime::tell_death(ActorId listener, Notice notice) {
  state_.ending.expect_news(now_s());
  if (notice.kind != EventKind::local_exit ||
      state_.deaths.is_under(notice.death, incarnation_of(listener)))
    tell_exit(notice.kind, listener, state_.deaths[notice.death].dead);
}

/// Tells a listener of a death, if it still has the detector, or the connection, that hears of it.
void Runtime::tell_exit(EventKind kind, ActorId listener, Incarnation dead) {
  if (kind == EventKind::link_lost) {
    if (!state_.actors[listener].alive || !state_.actors[listener].rare_state) return;
    auto& links = state_.actors[listener].rare_state->links;
    const auto link = std::lower_bound(links.begin(), links.end(), dead);
    if (link == links.end() || *link != dead) return;
    links.erase(link);
  }
  turn(listener, Family::failure_detection, [&](Component& component, Context& context) {
    auto& detector = static_cast<Detector&>(component);
    if (kind == EventKind::exit_notice)
      detector.on_exit_notice(context, dead);
    else if (kind == EventKind::local_exit)
      detector.on_local_exit(context, dead);
    else
      detector.on_link_lost(context, dead);
  });
}

// ---- connections ------------------------------------------------------------------------------

/// A connection to somebody who is dead already breaks as one that was open does.
void Runtime::open_link(ActorId self, Incarnation peer) {
  reach_ = Reach::anything;
  if (!insert_sorted(state_.actors[self].rare().links, peer)) return;
  ActorState& state = state_.actors[peer.actor];
  if (state.lives_as(peer.number)) {
    insert_sorted(state.rare().linked_by, self);
    return;
  }
  const auto death = state_.deaths.number_of(peer);
  if (death) break_link(self, *death, state_.deaths[*death].silent);
}

/// The kernel closes the connections of a process that ends. Those to a node that is gone stay open
/// until a probe of theirs fails.
void Runtime::break_link(ActorId holder, std::uint32_t death, bool silent) {
  const double delay_s =
      silent ? job_->spec.platform.silent_link_lost_delay_s : job_->spec.platform.link_lost_delay_s;
  state_.schedule.add(notice_at(delay_s), EventKind::link_lost, holder, death);
}

// ---- reports ----------------------------------------------------------------------------------

/// Whether and when the actor has declared that incarnation of the peer dead while it lived.
const Refusal* Runtime::refusal_of(ActorId self, Incarnation peer) const {
  if (!state_.actors[self].rare_state) return nullptr;
  return state_.actors[self].rare_state->refused.of(peer);
}

/// Has the actor declared that incarnation of the peer dead, by itself or with its node?
bool Runtime::has_declared(ActorId self, Incarnation peer) const {
  if (refusal_of(self, peer) != nullptr) return true;
  const auto& heard = state_.actors[self].heard();
  if (heard.empty()) return false;
  const auto death = state_.deaths.number_of(peer);
  if (!death) return false;
  const auto has_heard = [&](std::uint32_t number) {
    return std::binary_search(heard.begin(), heard.end(), number);
  };
  if (has_heard(*death)) return true;
  const Incarnation daemon = state_.deaths[*death].daemon;
  return daemon.actor != kNobody && has_heard(*state_.deaths.number_of(daemon));
}

/// The peers that this actor has declared dead, in the order of their numbers.
std::vector<Incarnation> Runtime::known_failures(ActorId self) const {
  std::vector<Incarnation> known;
  const ActorState& actor = state_.actors[self];
  if (actor.rare_state)
    for (const Refusal& refusal : actor.rare_state->refused.all()) known.push_back(refusal.peer);
  for (const std::uint32_t death : actor.heard()) {
    known.push_back(state_.deaths[death].dead);
    for (const std::uint32_t rank : state_.deaths.hosted_by(known.back()))
      known.push_back(state_.deaths[rank].dead);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

/// A report of a daemon is one of the ranks that it hosted, too, which have died with it or before
/// it, or of those that it hosts, if the report is false. What it costs does not depend on the
/// number of ranks, and hardly on the number of deaths.
void Runtime::report_failed(ActorId self, Incarnation peer) {
  if (!state_.actors[self].alive) return;
  if (peer.actor == self) {  // of an earlier life it need not hear
    if (peer == incarnation_of(self)) stop_victim(self);
    return;
  }
  if (has_declared(self, peer)) return;
  if (const auto death = state_.deaths.number_of(peer))
    report_death(self, *death);
  else
    report_falsely(self, peer);
}

/// Deaths are heard of roughly in their order, so few entries move in the list of those that are
/// known.
void Runtime::report_death(ActorId self, std::uint32_t death) {
  auto& heard = state_.actors[self].lower_stack().heard;
  if (!heard) heard = std::make_unique<std::vector<std::uint32_t>>();
  insert_sorted(*heard, death);
  state_.ending.expect_news(now_s());
  if (is_rank(self)) heard_news_ = true;  // the run may be over once all that follows is done
  const Incarnation dead = state_.deaths[death].dead;
  tell_of_death(self, dead);
  if (!is_rank(dead.actor)) hear_of_ranks(self, dead);
}

/// The stack of a rank hears of each rank that a daemon hosted. All that follows from one happens
/// before the next: as if each had been reported by itself. A rank that has restarted need not hear
/// of its own death. Of a daemon that hears, only the auditor wants to know that this was a report
/// of those who had died before.
void Runtime::hear_of_ranks(ActorId self, Incarnation daemon) {
  for (const std::uint32_t death : state_.deaths.hosted_by(daemon)) {
    if (!state_.actors[self].alive || (!is_rank(self) && !state_.deaths[death].earlier)) return;
    const Incarnation dead = state_.deaths[death].dead;
    const auto& heard = state_.actors[self].heard();
    if (dead.actor == self || std::binary_search(heard.begin(), heard.end(), death) ||
        refusal_of(self, dead) != nullptr)
      continue;
    const std::size_t before = pending_actions_.size();
    state_.auditor.heard_with_node(self, dead, now_s());
    if (!is_rank(self)) continue;
    show_about(Sight::Kind::declared_dead, self, dead.actor);
    tell_stack(self, dead, &Component::on_peer_failed);
    carry_out_since(before);
  }
}

void Runtime::report_falsely(ActorId self, Incarnation peer) {
  reach_ = Reach::anything;
  state_.actors[self].rare().refused.add(peer, now_s());
  state_.any_refusal = true;
  tell_of_death(self, peer);
  if (is_rank(peer.actor) || peer != incarnation_of(peer.actor)) return;
  for (const Rank rank : state_.placement.ranks_on(node_of(peer.actor))) {
    const std::size_t before = pending_actions_.size();
    report_failed(self, incarnation_of(rank));
    carry_out_since(before);
  }
}

void Runtime::tell_of_death(ActorId self, Incarnation peer) {
  if (state_.recovery && is_rank(self)) state_.recovery->told(now_s());
  state_.auditor.declared_dead(self, peer, job_->detector_is_accurate, now_s());
  show_about(Sight::Kind::declared_dead, self, peer.actor);
  if (is_rank(self)) tell_stack(self, peer, &Component::on_peer_failed);
}

/// Carries out now what has been asked for since there were so many actions.
void Runtime::carry_out_since(std::size_t first) {
  for (std::size_t next = first; next < pending_actions_.size() && !stopped(); ++next)
    carry_out(pending_actions_[next]);
  // An announcement among them has carried out everything that was pending.
  if (pending_actions_.size() > first) pending_actions_.resize(first);
}

/// A false report has reached its victim. A daemon takes the ranks of its node along.
void Runtime::stop_victim(ActorId self) {
  if (is_rank(self))
    kill(self);
  else
    kill_node({.actor = self});
  verdict_.check();
}

/// Calls a handler of all components of a rank about a peer, from the bottom up. If a layer can
/// recover the peer, those above it are not told.
void Runtime::tell_stack(ActorId self, Incarnation peer,
                         void (Component::*handler)(Context&, Incarnation)) {
  for (std::size_t level = index_of(Family::failure_detection); level-- > 0;) {
    turn(
        self, kStack[level].family,
        [&](Component& component, Context& context) { (component.*handler)(context, peer); }, true);
    const Layer* layer =
        kStack[level].role == Role::layer ? state_.actors[self].layer(level) : nullptr;
    if (layer != nullptr && layer->recovers(peer.actor)) return;
  }
}

/// The latest incarnation of the peer that the actor knows of.
Incarnation Runtime::known(ActorId self, ActorId peer) const {
  if (!state_.any_restart) return {peer, 0};
  if (self == peer) return incarnation_of(self);
  const auto& rare = state_.actors[self].rare_state;
  return rare ? rare->restarted.of(peer) : Incarnation{peer, 0};
}

/// From now on the actor knows of this incarnation of the peer. If its failure detector had not
/// heard of the death before and reports it now, the stack hears of that first.
void Runtime::learn(ActorId self, Incarnation peer) {
  if (peer.actor == self || peer.number <= known(self, peer.actor).number) return;
  state_.actors[self].rare().restarted.learn(peer);
  const std::size_t before = pending_actions_.size();
  turn(
      self, Family::failure_detection,
      [peer](Component& component, Context& context) {
        component.on_peer_restarted(context, peer);
      },
      true);
  carry_out_since(before);
  tell_stack(self, peer, &Component::on_peer_restarted);
}

}  // namespace faultline::engine
