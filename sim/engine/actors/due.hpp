// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "sim/engine/events/event.hpp"

namespace faultline::engine {

/// An actor is told of a death, by that kind of event.
struct Notice {
  EventKind kind;
  std::uint32_t death;  ///< its number
};

/// The program of a rank finds an error in its data.
struct SoftError {};

/// A timer has run out. It may have been cancelled since.
struct RunOut {};

/// Something that waits for the processor of an actor, which has to handle it before it receives
/// messages.
struct Due {
  std::uint32_t serial;  ///< the timer's, or one of its own
  std::variant<RunOut, Notice, SoftError> what;

  [[nodiscard]] bool is_of_timer() const { return std::holds_alternative<RunOut>(what); }
};

}  // namespace faultline::engine
