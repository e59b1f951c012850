// SPDX-License-Identifier: Apache-2.0

// What handlers ask for: timers, flushes, phases, announcements, the end.

#include <algorithm>
#include <string_view>

#include "sim/core/invariant.hpp"
#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

/// Carries out actions in order. An action can start a turn; the actions of that turn are queued
/// behind the others. If an actor dies, the rest of its actions are dropped.
void Runtime::carry_out_pending() {
  while (next_pending_ < pending_actions_.size() && !stopped()) {
    carry_out(pending_actions_[next_pending_++]);
  }
  pending_actions_.clear();
  turn_.images.clear();
  turn_.objects.clear();
  next_pending_ = 0;
}

/// Not by reference: carrying an action out can add others to the list.
void Runtime::carry_out(PendingAction pending) {
  if (counts_actions_) before_action(pending.self, pending.action);
  if (state_.actors[pending.self.actor].lives_as(pending.self.number))
    carry_out(pending.action, pending.self.actor);
}

void Runtime::carry_out(const Action& action, ActorId self) {
  switch (action.kind) {
    case Action::Kind::set_timer:
      processors_.set_timer(self, action.family, action.value, action.delay_s, action.background);
      break;
    case Action::Kind::cancel_timer:
      processors_.cancel_timer(state_.actors[self], action.family, action.value);
      break;
    case Action::Kind::compute:
      processors_.start(self, {action.delay_s, 0.0, action.value, 0, action.family});
      break;
    case Action::Kind::cancel_computations:
      cancel_computations(self, action.family);
      break;
    case Action::Kind::flush:
      flush(self, {action.peer, action.family});
      break;
    case Action::Kind::announce:
      announce(self);
      break;
    case Action::Kind::start_phase:
      start_phase(self);
      break;
    case Action::Kind::finish:
      finish(self);
      break;
    case Action::Kind::fatal:
      give_up(self, action);
      break;
    case Action::Kind::report_failed:
      if (observer_ != nullptr)
        show({.kind = Sight::Kind::reported,
              .time_s = now_s(),
              .actor = self,
              .peer = action.peer.actor,
              .value = action.peer.number});
      report_failed(self, action.peer);
      break;
    case Action::Kind::open_link:
      open_link(self, action.peer);
      break;
    case Action::Kind::restart:
      ask_restart(self, action);
      break;
    case Action::Kind::start_above:
      start_above(self, action.family);
      break;
    case Action::Kind::restore:
      restore(self, action);
      break;
    case Action::Kind::host_object:
      host_object(self, action);
      break;
    case Action::Kind::remove_object:
      remove_object(self, action);
      break;
    case Action::Kind::learn:
      learn(self, action.peer);
      break;
    case Action::Kind::mark:
      mark(self, action);
      break;
  }
}

// ---- timers -----------------------------------------------------------------------------------

/// A timer has run out, or something that has waited for the processor is to be handled.
void Runtime::timer_event(ActorId self, std::uint32_t serial) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state) return;
  const bool has_waited = Processors::has_waited(actor, serial);
  if (const auto due = processors_.run_out(self, serial)) handle(self, *due);
  processors_.await(self);
  // What message logging lets happen after a timer of its own can have killed the actor.
  if (has_waited && !Processors::timers_wait(actor)) processors_.schedule_wake(actor, self);
}

/// Calls the handler of what has waited for the processor, or needs not wait.
void Runtime::handle(ActorId self, const Due& due) {
  if (due.is_of_timer()) return fire_timer(self, due.serial);
  state_.schedule.let_go(false);
  if (const auto* notice = std::get_if<Notice>(&due.what))
    tell_death(self, *notice);
  else
    tell_error(self);
}

/// Calls the handler of a timer, unless it has been cancelled.
void Runtime::fire_timer(ActorId self, std::uint32_t serial) {
  auto& timers = state_.actors[self].rare_state->timers;
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
  turn(self, timer.family, [&](Component& component, Context& context) {
    component.on_timer(context, timer.key);
    if (timer.family == Family::workload) expect_no_new_work(turn_.active, "on_timer");
  });
  if (timer.family == Family::message_logging) offer_held_events(self);
}

// ---- computations -----------------------------------------------------------------------------

void Runtime::compute_done(ActorId self, std::uint32_t serial) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state) return;
  auto& running = actor.rare_state->running;
  const auto find = [&] { return std::ranges::find(running, serial, &Computation::serial); };
  if (find() == running.end()) return;
  const Computation computation = *find();
  // Messages took its core in the meantime.
  if (!computation.held && computation.end_s > now_s()) {
    state_.schedule.add(computation.end_s, EventKind::compute_done, self, serial);
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
  turn(self, computation.family, [&computation](Component& component, Context& context) {
    component.on_compute_done(context, computation.tag);
  });
  carry_out_pending();
  processors_.look_again(self);
}

/// Messages and timers that have waited for a core to be free are handled now.
void Runtime::cancel_computations(ActorId self, Family family) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state) return;
  processors_.abandon(self, [family](const Computation& one) { return one.family == family; });
  processors_.look_again(self);
}

// ---- flushes ----------------------------------------------------------------------------------

/// True if something from that incarnation to the actor is in flight, apart from what the actor
/// will refuse, and from words of failure detectors. Of the living, all that is in flight is looked
/// at.
bool Runtime::in_flight_between(Incarnation from, ActorId to) {
  reach_ = std::max(reach_, Reach::channels);
  const Refusal* refusal = state_.any_refusal ? refusal_of(to, from) : nullptr;
  const auto is_meant = [&](const Message& message) {
    return message.from == from.actor && message.from_incarnation == from.number &&
           message.to == to && (message.flags & (kInFlight | kLost)) == kInFlight &&
           message.channel != Family::failure_detection &&
           (refusal == nullptr || !refusal->covers(message));
  };
  if (!state_.actors[from.actor].lives_as(from.number))
    return state_.last_messages.any(from, to, state_.pool, is_meant);
  bool found = false;
  state_.pool.for_each_in_flight(
      [&](const Message& message) { found = found || is_meant(message); });
  return found;
}

void Runtime::flush(ActorId self, const Flush& asked) {
  state_.actors[self].rare().flushing.push_back(asked);
  state_.any_flush = true;
  answer_flushes(self, asked.peer);
}

void Runtime::answer_flushes(ActorId self, Incarnation peer) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state) return;
  auto& flushing = actor.rare_state->flushing;
  const auto is_asked = [peer](const Flush& flush) { return flush.peer == peer; };
  const auto asked = std::count_if(flushing.begin(), flushing.end(), is_asked);
  if (asked == 0 || in_flight_between(peer, self)) return;
  std::erase_if(flushing, is_asked);
  const auto tell = [&](Family family) {
    turn(
        self, family,
        [peer](Component& component, Context& context) { component.on_flushed(context, peer); },
        true);
  };
  for (auto answer = asked; answer > 0; --answer) {
    for (std::size_t level = index_of(Family::failure_detection); level-- > 0;)
      tell(kStack[level].family);
    tell(Family::failure_detection);
  }
}

// ---- phases and the end of work ----------------------------------------------------------------

void Runtime::announce(ActorId self) {
  ActorState& actor = state_.actors[self];
  if (actor.announced) return;
  actor.announced = true;
  ++state_.roll.announced;
  state_.ending.announced(now_s());
  state_.auditor.announced(self, actor.phase, now_s(), [this, self] {
    return state_.channels && state_.channels->was_over(
                                  self, [this](Rank rank) { return state_.actors[rank].active; });
  });
  show_about(Sight::Kind::announced, self);
  const std::uint32_t phase = actor.phase;
  turn(
      self, Family::workload,
      [phase](Component& component, Context& context) {
        static_cast<Workload&>(component).on_announced(context, phase);
      },
      true);
  carry_out_pending();
  release_early(self);
  verdict_.check();
}

/// The detector of the new phase starts from its initial state. What the previous one has counted
/// stays part of the result. Initially, what all ranks hold and what they know to be issued add up
/// to zero, as at the start of the run. So the audit of a conserved quantity can leave both out,
/// although ranks enter the phase one by one. What the previous phase has left stays in the sum.
void Runtime::start_phase(ActorId self) {
  ActorState& actor = state_.actors[self];
  if (actor.announced) --state_.roll.announced;
  actor.announced = false;
  invariant(actor.phase < kLastPhase, "a run has more phases than a message can name");
  ++actor.phase;
  show_about(Sight::Kind::phase_began, self);
  const std::size_t termination = index_of(Family::termination);
  if (!job_->factories[termination]) return release_early(self);
  report(actor, termination);
  Boxed<Component>& detector = actor.place_of(Family::termination);
  const Stream random = detector->random;
  detector = job_->factories[termination](self);
  detector->random = random;
  if (actor.rare_state) {
    auto& timers = actor.rare_state->timers;
    std::erase_if(timers, [this](const ArmedTimer& timer) {
      if (timer.family != Family::termination) return false;
      processors_.let_go(timer);
      return true;
    });
  }
  for (const Incarnation peer : known_failures(self))
    turn(self, Family::termination, [peer](Component& component, Context& context) {
      component.on_peer_failed(context, peer);
    });
  begin_turn(self);
  if (!actor.active) state_.auditor.phase_started();
  Context context(turn_, Family::termination);
  actor.component(Family::termination)->start(context);
  settle();
  handled_ = true;  // as at the start of the run, a rank without work goes idle now
  end_turn();
  release_early(self);
}

/// What has waited for a phase stands before what has arrived meanwhile.
void Runtime::release_early(ActorId self) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state || actor.rare_state->early.empty()) return;
  std::vector<Message*> early;
  early.swap(actor.rare_state->early);
  std::reverse(early.begin(), early.end());
  for (Message* message : early) {
    state_.schedule.keep_alive(*message);
    actor.put_back_in(message);
  }
  processors_.schedule_wake(actor, self);
}

void Runtime::give_up(ActorId self, const Action& action) {
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::gave_up, .time_s = now_s(), .actor = self, .text = action.text});
  std::vector<ActorId> dead;
  for (const Incarnation peer : known_failures(self)) dead.push_back(peer.actor);
  verdict_.give_up({action.text, self, action.family}, dead);
}

void Runtime::finish(ActorId self) {
  if (state_.actors[self].finished) return;
  state_.actors[self].finished = true;
  ++state_.roll.finished;
  show_about(Sight::Kind::finished, self);
  verdict_.check();
}

void Runtime::mark(ActorId self, const Action& action) {
  const char* const name = action.text;
  const auto value = static_cast<std::int64_t>(action.value);
  invariant(std::ranges::any_of(
                job_->spec.component(action.family).registration->marks,
                [&](const Mark* declared) { return std::string_view(declared->name) == name; }),
            "a mark that the component has not declared");
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::mark,
          .time_s = now_s(),
          .actor = self,
          .value = static_cast<std::uint64_t>(value),
          .text = name});
  if (state_.recovery && state_.recovery->is_under_way())
    state_.recovery->marked(self, name, value, state_.roll.live, now_s());
  if (!state_.faults.waits_for_marks()) return;
  reach_ = Reach::anything;
  for (const std::uint32_t index : state_.faults.take_mark(name, value))
    strike(state_.faults.victims(index));
}

}  // namespace faultline::engine
