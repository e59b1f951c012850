// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/events/schedule.hpp"

#include <bit>

namespace faultline::engine {

namespace {

std::uint64_t order_of(std::uint64_t sequence, EventKind kind) {
  return (sequence << Event::kKindBits) | static_cast<std::uint64_t>(kind);
}

}  // namespace

void Schedule::add(double time_s, EventKind kind, Message* message) {
  queue_.push({.time_s = time_s, .order = order_of(++sequence_, kind), .message = message});
}

void Schedule::add(double time_s, EventKind kind, std::uint32_t actor, std::uint32_t detail) {
  if (keeps_run_alive(kind)) ++foreground_;
  auto* const in_one_register = std::bit_cast<Message*>(Event::At{actor, detail});
  queue_.push({.time_s = time_s, .order = order_of(++sequence_, kind), .message = in_one_register});
}

}  // namespace faultline::engine
