#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Draws `fanout` distinct ranks other than `self`; every set of them is equally likely
/// (adoption-2013 section 5.2). `fanout` must be below `processes`.
std::vector<Rank> random_successors(Stream& random, std::uint32_t processes, Rank self,
                                    std::uint32_t fanout);

}  // namespace faultline
