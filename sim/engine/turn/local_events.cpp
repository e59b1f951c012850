// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/turn/local_events.hpp"

#include <algorithm>
#include <vector>

namespace faultline::engine {

// ---- what happens ---------------------------------------------------------------------------

void LocalEvents::fire_timer(ActorId self, std::uint32_t serial) {
  auto& timers = run_.state.actors[self].rare_state->timers;
  const auto find = [&] { return std::ranges::find(timers, serial, &ArmedTimer::serial); };
  if (find() == timers.end()) return;
  const ArmedTimer timer = *find();
  const bool happens = may_happen(self, {LocalEvent::Kind::timer, timer.family, timer.key});
  const auto armed = find();  // the turn of message logging may have set others
  processors_.let_go(*armed);
  if (!happens) {
    armed->held = true;
    return;
  }
  timers.erase(armed);
  turns_.turn(self, timer.family, [&](auto& component, auto& context) {
    component.on_timer(context, timer.key);
    if (timer.family == Family::workload) turns_.expect_no_new_work("on_timer");
  });
  if (timer.family == Family::message_logging) offer_held_events(self);
}

void LocalEvents::compute_done(ActorId self, std::uint32_t serial) {
  ActorState& actor = run_.state.actors[self];
  if (!actor.rare_state) return;
  auto& running = actor.rare_state->running;
  const auto find = [&] { return std::ranges::find(running, serial, &Computation::serial); };
  if (find() == running.end()) return;
  const Computation computation = *find();
  // Messages took its core in the meantime.
  if (!computation.held && computation.end_s > run_.now_s()) {
    run_.state.schedule.add(computation.end_s, EventKind::compute_done, self, serial);
    return;
  }
  const bool happens =
      may_happen(self, {LocalEvent::Kind::computed, computation.family, computation.tag});
  const auto done = find();  // the turn of message logging may have begun others
  if (!happens) {
    done->held = true;
    return processors_.look_again(self);
  }
  processors_.end(self, serial);
  // For the turn the rank is active, because it was computing until now.
  if (computation.family == Family::workload) --actor.computing;
  turns_.turn(self, computation.family, [&computation](auto& component, auto& context) {
    component.on_compute_done(context, computation.tag);
  });
  turns_.carry_out_all();
  processors_.look_again(self);
}

void LocalEvents::cancel_computations(ActorId self, Family family) {
  ActorState& actor = run_.state.actors[self];
  if (!actor.rare_state) return;
  processors_.abandon(self, [family](const Computation& one) { return one.family == family; });
  processors_.look_again(self);
}

// ---- when message logging says when ---------------------------------------------------------

/// Asks message logging, in a turn of its own, whether what has happened at a rank is to be handled
/// now. Nothing is asked where nothing above depends on it.
bool LocalEvents::may_happen(ActorId self, const LocalEvent& event) {
  const ActorState& actor = run_.state.actors[self];
  if (index_of(event.family) >= index_of(Family::message_logging) ||
      !run_.job.shape.orders_local_events)
    return true;
  auto* layer = dynamic_cast<OrdersLocalEvents*>(actor.component(Family::message_logging));
  if (layer == nullptr) return true;
  Passage passage = Passage::deliver;
  turns_.turn_as<RecoveryLayer>(self, Family::message_logging,
                                [&](RecoveryLayer&, RecoveryContext& context) {
                                  passage = layer->on_local_event(context, event);
                                });
  return passage == Passage::deliver;
}

/// Can the event still come to a rank? Its timer is set, or its computation runs or waits for a
/// core.
bool LocalEvents::can_come(ActorId self, const LocalEvent& event) const {
  const RareState* rare = run_.state.actors[self].rare_state.get();
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
void LocalEvents::leave_out_cancelled(ActorId self) {
  if (!run_.job.shape.orders_local_events) return;
  auto* layer =
      dynamic_cast<OrdersLocalEvents*>(run_.state.actors[self].component(Family::message_logging));
  if (layer == nullptr) return;
  const auto next = layer->next_event();
  if (!next || can_come(self, *next)) return;
  turns_.turn_as<RecoveryLayer>(
      self, Family::message_logging,
      [layer](RecoveryLayer&, RecoveryContext& context) { layer->leave_out_next(context); });
}

/// Offers again what message logging has let wait. What one of them leads to can cancel another.
void LocalEvents::offer_held_events(ActorId self) {
  turns_.carry_out_all();
  if (!run_.state.actors[self].alive) return;
  leave_out_cancelled(self);
  const RareState* rare = run_.state.actors[self].rare_state.get();
  if (rare == nullptr) return;
  std::vector<std::uint32_t> timers;
  for (const ArmedTimer& timer : rare->timers)
    if (timer.held) timers.push_back(timer.serial);
  std::vector<std::uint32_t> computations;
  for (const Computation& computation : rare->running)
    if (computation.held) computations.push_back(computation.serial);
  turns_.carry_out_all();
  for (const std::uint32_t serial : timers) {
    if (run_.state.actors[self].rare_state) fire_timer(self, serial);
    turns_.carry_out_all();
  }
  for (const std::uint32_t serial : computations) compute_done(self, serial);
}

}  // namespace faultline::engine
