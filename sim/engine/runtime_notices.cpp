// Who hears of a death, and when: the resource manager's notices, a node's daemon, broken
// connections, and the reports that detectors make of them.

#include <algorithm>

#include "sim/engine/runtime.hpp"

namespace faultline {

namespace {

struct ReportOrder {
  bool operator()(const Report& report, const Incarnation& peer) const {
    return report.peer < peer;
  }
};

/// The place of an actor in a list of incarnations that is sorted by actors.
std::vector<Incarnation>::iterator place_of(std::vector<Incarnation>& incarnations, ActorId actor) {
  return std::lower_bound(incarnations.begin(), incarnations.end(), actor,
                          [](const Incarnation& entry, ActorId of) { return entry.actor < of; });
}

}  // namespace

// ---- notices ----------------------------------------------------------------------------------

/// The time of a notice that is now due after `delay_s`. Nobody can be late before it can know, so
/// the grace time of a run begins only when all notices have arrived. Each report of a dead peer
/// starts it again, because those who hear a notice may have to pass it on. The number of notices
/// and reports is finite, also with a detector that never reports.
double Runtime::notice_at(double delay_s) {
  notices_until_s_ = std::max(notices_until_s_, now_s_ + delay_s);
  return now_s_ + delay_s;
}

/// Schedules all notices of a death, one for each listener.
void Runtime::spread_word(Incarnation dead, bool silent) {
  const auto death = static_cast<std::uint32_t>(deaths_in_order_.size());
  deaths_in_order_.push_back(dead);
  death_was_silent_.push_back(silent);
  if (exit_notice_) {
    Stream random(seed_, replication_, Purpose::notices,
                  dead.actor + (std::uint64_t{dead.number} << 33));
    for (ActorId listener = 0; listener < actors_.size(); ++listener) {
      if (!actors_[listener].alive ||
          actors_[listener].component(Family::failure_detection) == nullptr)
        continue;
      const double late_s =
          exit_notice_->spread_s > 0.0 ? exit_notice_->spread_s * random.uniform() : 0.0;
      schedule(notice_at(exit_notice_->delay_s + late_s), EventKind::exit_notice, listener, death);
    }
  }
  if (is_rank(dead.actor) && actor_count() > job_.processes) {
    const ActorId daemon = placement_.daemon_of(node_of(dead.actor));
    if (actors_[daemon].alive)
      schedule(notice_at(spec_.platform.local_exit_delay_s), EventKind::local_exit, daemon, death);
  }
}

/// Tells a listener of a death, if it still has the detector, or the connection, that hears of it.
void Runtime::tell_exit(EventKind kind, ActorId listener, Incarnation dead) {
  if (kind == EventKind::link_lost) {
    if (!actors_[listener].alive || !actors_[listener].rare_state) return;
    auto& links = actors_[listener].rare_state->links;
    const auto link = std::find(links.begin(), links.end(), dead);
    if (link == links.end()) return;
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
  actors_[self].rare().links.push_back(peer);
  ActorState& state = actors_[peer.actor];
  if (state.alive && state.incarnation == peer.number) {
    auto& holders = state.rare().linked_by;
    if (std::find(holders.begin(), holders.end(), self) == holders.end()) holders.push_back(self);
    return;
  }
  const auto death = std::find(deaths_in_order_.begin(), deaths_in_order_.end(), peer);
  if (death == deaths_in_order_.end()) return;
  const auto index = static_cast<std::uint32_t>(death - deaths_in_order_.begin());
  break_link(self, index, death_was_silent_[index]);
}

/// The kernel closes the connections of a process that ends. Those to a node that is gone stay open
/// until a probe of theirs fails.
void Runtime::break_link(ActorId holder, std::uint32_t death, bool silent) {
  const double delay_s =
      silent ? spec_.platform.silent_link_lost_delay_s : spec_.platform.link_lost_delay_s;
  schedule(notice_at(delay_s), EventKind::link_lost, holder, death);
}

// ---- reports ----------------------------------------------------------------------------------

/// Whether and when the actor has declared that incarnation of the peer dead.
const Report* Runtime::report_of(ActorId self, Incarnation peer) const {
  if (!actors_[self].rare_state) return nullptr;
  const auto& reported = actors_[self].rare_state->reported;
  const auto found = std::lower_bound(reported.begin(), reported.end(), peer, ReportOrder{});
  return found != reported.end() && found->peer == peer ? &*found : nullptr;
}

/// The peers that this actor has declared dead, in the order of their numbers.
std::vector<Incarnation> Runtime::known_failures(ActorId self) const {
  std::vector<Incarnation> known;
  if (actors_[self].rare_state)
    for (const Report& report : actors_[self].rare_state->reported) known.push_back(report.peer);
  return known;
}

/// A report of a daemon is one of the ranks of its node, too: of those that have died with it, or
/// of those that run there, if the report is false.
void Runtime::report_failed(ActorId self, Incarnation peer) {
  note_report(self, peer);
  if (!actors_[self].alive || is_rank(peer.actor)) return;
  const auto ranks = died_with_node_.find(peer);
  if (ranks != died_with_node_.end()) {
    for (const Incarnation rank : ranks->second) report_at_once(self, rank);
  } else if (incarnation_of(peer.actor) == peer && actors_[peer.actor].alive) {
    for (const Rank rank : placement_.ranks_on(node_of(peer.actor)))
      if (actors_[rank].alive) report_at_once(self, incarnation_of(rank));
  }
}

/// Makes a report and carries out all that follows from it, before the next report of the same
/// node: as if each had come by itself.
void Runtime::report_at_once(ActorId self, Incarnation peer) {
  const std::size_t before = pending_actions_.size();
  note_report(self, peer);
  for (std::size_t next = before; next < pending_actions_.size() && !stopped_; ++next)
    carry_out(pending_actions_[next]);
  // An announcement among them has carried out everything that was pending.
  if (pending_actions_.size() > before) pending_actions_.resize(before);
}

void Runtime::note_report(ActorId self, Incarnation peer) {
  if (!actors_[self].alive) return;
  if (peer == incarnation_of(self)) {
    stop_victim(self);
    return;
  }
  auto& reported = actors_[self].rare().reported;
  const auto place = std::lower_bound(reported.begin(), reported.end(), peer, ReportOrder{});
  if (place != reported.end() && place->peer == peer) return;
  reported.insert(place, {peer, now_s_});
  const bool is_true = !actors_[peer.actor].alive || actors_[peer.actor].incarnation != peer.number;
  if (is_true)
    notices_until_s_ = std::max(notices_until_s_, now_s_);
  else
    any_refusal_ = true;
  auditor_.declared_dead(self, peer, detector_is_accurate_, now_s_);
  show_about(Sight::Kind::declared_dead, self, peer.actor);
  heard_news_ = true;  // the run may be over once all that follows from this is carried out
  if (is_rank(self)) tell_stack(self, peer, &Component::on_peer_failed);
}

/// A false report has reached its victim. A daemon takes the ranks of its node along.
void Runtime::stop_victim(ActorId self) {
  if (is_rank(self))
    kill(self);
  else
    kill_node({.actor = self});
  check_stop();
}

/// Calls a handler of all components of a rank about a peer, from the bottom up. If a layer can
/// recover the peer, those above it are not told.
void Runtime::tell_stack(ActorId self, Incarnation peer,
                         void (Component::*handler)(Context&, Incarnation)) {
  for (std::size_t level = index_of(Family::failure_detection); level-- > 0;) {
    turn(
        self, kStack[level].family,
        [&](Component& component, Context& context) { (component.*handler)(context, peer); }, true);
    const Layer* layer = kStack[level].role == Role::layer ? actors_[self].layer(level) : nullptr;
    if (layer != nullptr && layer->recovers(peer.actor)) return;
  }
}

/// Whoever an actor, or the daemon of its node, has declared dead is refused for good: what it has
/// injected since then is dropped.
bool Runtime::refuses(ActorId self, const Message& message) const {
  const Incarnation from{message.from, message.from_incarnation};
  const auto has_refused = [&](ActorId actor) {
    const Report* report = report_of(actor, from);
    return report != nullptr && message.inject_s > report->time_s;
  };
  if (has_refused(self)) return true;
  const ActorId daemon = placement_.daemon_of(node_of(self));
  return is_rank(self) && daemon < actor_count() && has_refused(daemon);
}

/// The latest incarnation of the peer that the actor knows of.
Incarnation Runtime::known(ActorId self, ActorId peer) const {
  if (!any_restart_) return {peer, 0};
  if (self == peer) return incarnation_of(self);
  if (!actors_[self].rare_state) return {peer, 0};
  auto& restarted = actors_[self].rare_state->restarted;
  const auto place = place_of(restarted, peer);
  return place != restarted.end() && place->actor == peer ? *place : Incarnation{peer, 0};
}

/// From now on the actor knows of this incarnation of the peer.
void Runtime::learn(ActorId self, Incarnation peer) {
  if (peer.actor == self || peer.number <= known(self, peer.actor).number) return;
  auto& restarted = actors_[self].rare().restarted;
  const auto place = place_of(restarted, peer.actor);
  if (place != restarted.end() && place->actor == peer.actor)
    *place = peer;
  else
    restarted.insert(place, peer);
  turn(
      self, Family::failure_detection,
      [peer](Component& component, Context& context) {
        component.on_peer_restarted(context, peer);
      },
      true);
  tell_stack(self, peer, &Component::on_peer_restarted);
}

}  // namespace faultline
