// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/platform/machine.hpp"

namespace faultline::engine {

/// What becomes of a communication once its message is sent.
/// - SimGrid frees a detached one itself. That takes time in proportion to the messages in flight
///   (SimGrid 3.32).
/// - A kept one is waited for by its sender after it has been received, which costs one more call
///   of SimGrid for each message.
enum class BareSends : std::uint8_t { detached, kept };

/// Measures SimGrid without any of our code, for the benchmark: messages per second of wall time.
/// There is one S4U actor per node of a partition of the machine. The actors pass `in_flight`
/// tokens to random others, in `messages` messages of 64 B, and sleep for the machine's overheads
/// before and after each. The time to start the actors is not counted. Call once per operating
/// system process.
double simgrid_bare_loop_messages_per_s(const platform::Machine& machine, std::uint32_t processes,
                                        std::uint32_t in_flight, std::uint64_t messages,
                                        BareSends sends);

}  // namespace faultline::engine
