// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/job.hpp"

/// Handlers that several tests build their scripts of.
namespace faultline::test {

/// A handler that notes the kind of each message as `what`.
inline std::function<void(ScriptContext&, const Message&)> noted_kinds(Job& job,
                                                                       const char* what = "got") {
  return [&job, what](ScriptContext& context, const Message& message) {
    job.note(context, what, message.kind);
  };
}

/// A message that a rank sends when it starts.
struct FirstSend {
  Rank from;
  Rank to;
  std::uint32_t bytes;
  std::uint8_t flags = 0;
};

/// The handlers of a rank that makes its part of `sends` at time zero, in the order given; the kind
/// of a message is its place in the list. The rank notes the kinds of the messages that it gets.
inline Handlers first_sends(Job& job, ActorId self, const std::vector<FirstSend>& sends) {
  return {.start =
              [self, sends](ScriptContext& context) {
                for (std::size_t i = 0; i < sends.size(); ++i) {
                  const FirstSend& send = sends[i];
                  if (send.from != self) continue;
                  context.send(send.to, static_cast<std::uint16_t>(i), send.bytes).flags =
                      send.flags;
                }
              },
          .message = noted_kinds(job)};
}

/// A workload that makes these sends at time zero.
inline void at_start(Job& job, const std::vector<FirstSend>& sends) {
  job.script(Family::workload,
             [&job, sends](ActorId self) { return first_sends(job, self, sends); });
}

/// A layer that holds each message for 10 us or not, as a coin falls: once on its way down and once
/// on its way up.
inline Handlers holding_at_random(std::uint64_t seed, ActorId self) {
  struct State {
    Stream random;
    std::vector<Message> down;
    std::vector<Message> up;
  };
  const auto state = std::make_shared<State>();
  state->random = Stream(seed, 0, Purpose::message_logging, self);
  Handlers handlers;
  handlers.sends = [state](ScriptContext& context, std::span<Message* const> batch, bool) {
    for (Message* message : batch) {
      if (state->random.chance(0.5))
        state->down.push_back(*message);
      else
        context.forward(*message);
    }
    context.set_timer(1, 1e-5);
  };
  handlers.receive = [state](ScriptContext& context, Message& message) {
    if (state->random.chance(0.5)) return Passage::deliver;
    state->up.push_back(message);
    context.set_timer(1, 1e-5);
    return Passage::hold;
  };
  handlers.timer = [state](ScriptContext& context, std::uint64_t) {
    for (const Message& message : std::exchange(state->down, {})) context.release(message);
    for (const Message& message : std::exchange(state->up, {})) context.deliver(message);
  };
  return handlers;
}

/// Message logging that recovers every rank in that a new incarnation starts what is above it
/// afresh. Other tests decide which ranks are restarted, and when.
inline Handlers starting_afresh() {
  return {.start =
              [](ScriptContext& context) {
                if (context.incarnation() > 0) context.start_above();
              },
          .recovers = [](ActorId) { return true; }};
}

}  // namespace faultline::test
