// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/membership_state.hpp"

namespace faultline::engine {

void MembershipState::note_strike(double now_s) {
  if (strikes_.count++ == 0) strikes_.first_s = now_s;
  strikes_.last_s = now_s;
}

std::uint32_t MembershipState::await(const PendingRestart& pending) {
  restarts_.push_back(pending);
  return static_cast<std::uint32_t>(restarts_.size() - 1);
}

std::uint32_t MembershipState::await_death(const PendingRestart& pending) {
  const std::uint32_t number = await(pending);
  waiting_.push_back(number);
  return number;
}

std::optional<std::uint32_t> MembershipState::take_waiting(Incarnation dead) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](std::uint32_t number) {
    return restarts_[number].dead == dead;
  });
  if (found == waiting_.end()) return std::nullopt;
  const std::uint32_t number = *found;
  waiting_.erase(found);
  return number;
}

PendingRestart* MembershipState::restart_of(Incarnation dead) {
  const auto found =
      std::find_if(restarts_.begin(), restarts_.end(),
                   [dead](const PendingRestart& pending) { return pending.dead == dead; });
  return found == restarts_.end() ? nullptr : &*found;
}

Incarnation MembershipState::subject_of(const Event& event) const {
  switch (event.kind()) {
    case EventKind::fault:
      return {};
    case EventKind::restart:
      return restarts_[event.at.detail].dead;
    case EventKind::fence:
      return fences_[event.at.detail].accused;
    default:
      return deaths_[event.at.detail].dead;
  }
}

bool MembershipState::has_no_effect(const Event& event,
                                    const LargeVector<ActorState>& actors) const {
  if (event.kind() == EventKind::fault || event.kind() == EventKind::restart) return false;
  const ActorState& listener = actors[event.at.actor];
  if (event.kind() == EventKind::fence) return !listener.lives_as(subject_of(event).number);
  if (!listener.alive) return true;
  if (event.kind() == EventKind::local_exit)
    return !deaths_.is_under(event.at.detail, {event.at.actor, listener.incarnation});
  if (event.kind() != EventKind::link_lost) return false;
  if (!listener.rare_state) return true;
  const auto& links = listener.rare_state->links;
  return std::find(links.begin(), links.end(), subject_of(event)) == links.end();
}

void MembershipState::add_content(const Event& event, Digest& into) const {
  switch (event.kind()) {
    case EventKind::fault:
      into.add(event.at.actor, event.at.detail);
      break;
    case EventKind::restart: {
      const PendingRestart& pending = restarts_[event.at.detail];
      into.add(pending.dead, pending.node, pending.where, pending.asker, pending.others);
      break;
    }
    default:
      into.add(event.at.actor, subject_of(event));
      break;
  }
}

}  // namespace faultline::engine
