// SPDX-License-Identifier: Apache-2.0

// Messages that arrive, or are lost, and those of which their senders are told that they have left.

#include "sim/core/prefetch.hpp"
#include "sim/engine/runtime/runtime.hpp"

namespace faultline::engine {

// ---- messages arrive --------------------------------------------------------------------------

void Runtime::arrived(Message* message) {
  if (state_.roll.any_death() && ((message->flags & kLost) != 0 ||
                                  !state_.actors[message->to].lives_as(message->to_incarnation))) {
    state_.schedule.let_go(*message);
    network_.drop(message);
    return;
  }
  const ActorId self = message->to;
  ActorState& actor = state_.actors[self];
  if (actor.inbox_is_empty() && !processors_.is_blocked(actor) &&
      processors_.receives_at_once(self, actor, *message)) {
    receive(self, message);
    return;
  }
  message->flags |= kArrived;
  actor.put_in(message);
  processors_.schedule_wake(actor, self);
}

void Runtime::wake(ActorId self) {
  ActorState& actor = state_.actors[self];
  actor.wake_pending = false;
  // Timers come first, and the last of them calls processors_.schedule_wake().
  if (actor.inbox_is_empty() || processors_.is_blocked(actor) || Processors::timers_wait(actor))
    return;
  if (processors_.has_received(self, actor)) {
    Message* message = actor.take_out();
    if (actor.inbox_head != nullptr) prefetch_lines(actor.inbox_head, 2);
    receive(self, message);
  }
  processors_.schedule_wake(actor, self);
}

void Runtime::receive(ActorId self, Message* message) {
  ActorState& actor = state_.actors[self];
  const Incarnation from{message->from, message->from_incarnation};
  state_.schedule.let_go(*message);
  if (message->channel == Family::failure_detection) network_.count_detection_received(*message);
  const bool unwanted = message->phase != actor.phase && phases_.keeps_waiting(self, message);
  const bool refused = !unwanted && state_.roll.any_refusal() && state_.is_refused(*message);
  if (refused) network_.drop(message);
  if (unwanted || refused) return flushes_.arrived(from, self);
  if (state_.roll.any_restart() && from.number > run_.known(self, from.actor).number)
    reports_.learn(self, from);
  message->flags &= static_cast<std::uint8_t>(~kInFlight);
  if (observer_ != nullptr)
    run_.show({.kind = audit::Sight::Kind::received,
               .time_s = now_s() - run_.receive_overhead_s(*message),
               .until_s = now_s(),
               .actor = self,
               .peer = from.actor,
               .message = message});
  turns_.receive(self, message);
  if (state_.roll.any_flush()) flushes_.arrived(from, self);
}

/// A flush that waited for a message that the network has lost waits no longer.
void Runtime::vanish(Message* message) {
  const ActorId receiver = message->to;
  const Incarnation sender{message->from, message->from_incarnation};
  state_.schedule.let_go(*message);
  network_.drop(message);
  flushes_.arrived(sender, receiver);
}

void Runtime::tell_sent(const Event& event) {
  const auto sent = network_.take_promise(event);
  if (!sent) return;
  turns_.turn(event.at.actor, sent->channel, [&](auto& component, auto& context) {
    component.on_sent(context, sent->to, sent->kind);
    if (sent->channel == Family::workload) turns_.expect_no_new_work("on_sent");
  });
}

}  // namespace faultline::engine
