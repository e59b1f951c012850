// SPDX-License-Identifier: Apache-2.0

// What happens at a rank without a message, where message logging says when it is handled.

#include <algorithm>
#include <vector>

#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

/// Asks message logging, in a turn of its own, whether what has happened at a rank is to be handled
/// now. Nothing is asked of what no termination detector looks at.
bool Runtime::may_happen(ActorId self, const LocalEvent& event) {
  const ActorState& actor = state_.actors[self];
  if (index_of(event.family) >= index_of(Family::message_logging) ||
      actor.component(Family::termination) == nullptr)
    return true;
  auto* layer = dynamic_cast<OrdersLocalEvents*>(actor.component(Family::message_logging));
  if (layer == nullptr) return true;
  Passage passage = Passage::deliver;
  turn(self, Family::message_logging,
       [&](Component&, Context& context) { passage = layer->on_local_event(context, event); });
  return passage == Passage::deliver;
}

/// Can the event still come to a rank? Its timer is set, or its computation runs or waits for a
/// core.
bool Runtime::can_come(ActorId self, const LocalEvent& event) const {
  const RareState* rare = state_.actors[self].rare_state.get();
  if (rare == nullptr) return false;
  if (event.kind == LocalEvent::Kind::timer)
    return std::ranges::any_of(rare->timers, [&event](const ArmedTimer& timer) {
      return timer.family == event.family && timer.key == event.tag;
    });
  const auto is_meant = [&event](const Computation& computation) {
    return computation.family == event.family && computation.tag == event.tag;
  };
  return std::ranges::any_of(rare->running, is_meant) ||
         std::ranges::any_of(rare->queued, is_meant);
}

/// Tells message logging if what it waits for has been cancelled.
void Runtime::leave_out_cancelled(ActorId self) {
  if (state_.actors[self].component(Family::termination) == nullptr) return;
  auto* layer =
      dynamic_cast<OrdersLocalEvents*>(state_.actors[self].component(Family::message_logging));
  if (layer == nullptr) return;
  const auto next = layer->next_event();
  if (!next || can_come(self, *next)) return;
  turn(self, Family::message_logging,
       [layer](Component&, Context& context) { layer->leave_out_next(context); });
}

/// Offers again what message logging has let wait. What one of them leads to can cancel another.
void Runtime::offer_held_events(ActorId self) {
  carry_out_pending();
  if (!state_.actors[self].alive) return;
  leave_out_cancelled(self);
  const RareState* rare = state_.actors[self].rare_state.get();
  if (rare == nullptr) return;
  std::vector<std::uint32_t> timers;
  for (const ArmedTimer& timer : rare->timers)
    if (timer.held) timers.push_back(timer.serial);
  std::vector<std::uint32_t> computations;
  for (const Computation& computation : rare->running)
    if (computation.held) computations.push_back(computation.serial);
  carry_out_pending();
  for (const std::uint32_t serial : timers) {
    if (state_.actors[self].rare_state) fire_timer(self, serial);
    carry_out_pending();
  }
  for (const std::uint32_t serial : computations) compute_done(self, serial);
}

}  // namespace faultline::engine
