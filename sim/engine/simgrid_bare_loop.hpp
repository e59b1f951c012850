#pragma once

#include <cstdint>

#include "sim/platform/machine.hpp"

namespace faultline {

/// What SimGrid alone can do: messages per second of a loop of S4U actors without any of our code,
/// one per node of a partition of the machine, that pass `in_flight` tokens to random others,
/// sleeping for the overheads of the machine before and after each of `messages` messages of 64 B.
/// The time to start the actors is not counted. For the benchmark; runs once in a process.
double simgrid_bare_loop_messages_per_s(const Machine& machine, std::uint32_t processes,
                                        std::uint32_t in_flight, std::uint64_t messages);

}  // namespace faultline
