// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/membership_state.hpp"

#include <algorithm>

namespace faultline::engine {

bool MembershipState::has_no_effect(const Event& event, const ActorState& listener) const {
  switch (event.kind()) {
    case EventKind::fault:
    case EventKind::restart:
      return false;
    case EventKind::link_lost: {
      if (!listener.alive || !listener.rare_state) return true;
      const auto& links = listener.rare_state->links;
      return std::find(links.begin(), links.end(), subject_of(event)) == links.end();
    }
    case EventKind::local_exit:
      return !listener.alive ||
             !deaths.is_under(event.at.detail, {event.at.actor, listener.incarnation});
    default:
      return !listener.alive;
  }
}

void MembershipState::add_content(const Event& event, Digest& into) const {
  switch (event.kind()) {
    case EventKind::fault:
      into.add(event.at.actor, event.at.detail);
      break;
    case EventKind::restart: {
      const PendingRestart& pending = pending_restarts[event.at.detail];
      into.add(pending.dead, pending.node, pending.where, pending.asker);
      break;
    }
    default:
      into.add(event.at.actor, subject_of(event));
      break;
  }
}

}  // namespace faultline::engine
