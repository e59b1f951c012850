// SPDX-License-Identifier: Apache-2.0

// What handlers ask for: timers, flushes, phases, announcements, the end.

#include <algorithm>
#include <string_view>

#include "sim/core/invariant.hpp"
#include "sim/engine/runtime/runtime.hpp"

namespace faultline::engine {

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
      local_events_.cancel_computations(self, action.family);
      break;
    case Action::Kind::flush:
      flushes_.flush(self, {action.peer, action.family});
      break;
    case Action::Kind::announce:
      phases_.announce(self);
      break;
    case Action::Kind::start_phase:
      phases_.start_phase(self);
      break;
    case Action::Kind::finish:
      phases_.finish(self);
      break;
    case Action::Kind::fatal:
      phases_.give_up(self, action);
      break;
    case Action::Kind::report_failed:
      if (observer_ != nullptr)
        run_.show({.kind = Sight::Kind::reported,
                   .time_s = now_s(),
                   .actor = self,
                   .peer = action.peer.actor,
                   .value = action.peer.number});
      reports_.report_failed(self, action.peer);
      break;
    case Action::Kind::open_link:
      notices_.open_link(self, action.peer);
      break;
    case Action::Kind::restart:
      restarts_.ask_restart(self, action);
      break;
    case Action::Kind::start_above:
      restarts_.start_above(self, action.family);
      break;
    case Action::Kind::restore:
      images_.restore(self, action);
      break;
    case Action::Kind::host_object:
      images_.host_object(self, action);
      break;
    case Action::Kind::remove_object:
      images_.remove_object(self, action);
      break;
    case Action::Kind::learn:
      reports_.learn(self, action.peer);
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
  if (due.is_of_timer()) return local_events_.fire_timer(self, due.serial);
  state_.schedule.let_go(false);
  if (const auto* notice = std::get_if<Notice>(&due.what))
    notices_.tell_death(self, *notice);
  else
    faults_.tell_error(self);
}

void Runtime::mark(ActorId self, const Action& action) {
  const char* const name = action.text;
  const auto value = static_cast<std::int64_t>(action.value);
  invariant(std::ranges::any_of(
                job_->spec.component(action.family).registration->marks,
                [&](const Mark* declared) { return std::string_view(declared->name) == name; }),
            "a mark that the component has not declared");
  if (observer_ != nullptr)
    run_.show({.kind = Sight::Kind::mark,
               .time_s = now_s(),
               .actor = self,
               .value = static_cast<std::uint64_t>(value),
               .text = name});
  state_.truth.marked(self, name, value, state_.roll.live, now_s());
  faults_.strike_at_mark(name, value);
}

}  // namespace faultline::engine
