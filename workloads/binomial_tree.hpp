// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "sim/core/types.hpp"

namespace faultline::workloads {

/// Dimension i of the hypercube of ranks as bit i: the neighbour of a rank in it is `rank ^ bit`.
constexpr std::uint32_t dimension_bit(std::uint32_t dimension) { return 1U << dimension; }

/// The bit of the largest of these dimensions; there must be at least one.
constexpr std::uint32_t largest_bit(std::uint32_t dimensions) { return std::bit_floor(dimensions); }

/// The hypercube's dimensions in which a rank has its children when rank 0 spreads something over
/// all ranks in a binomial tree: those below its lowest bit. Its parent is in that of this bit.
constexpr std::uint32_t child_dimensions(Rank rank, std::uint32_t processes) {
  const std::uint32_t below = rank == 0 ? std::bit_ceil(processes) - 1 : (rank & -rank) - 1;
  std::uint32_t dimensions = 0;
  for (std::uint32_t i = 0; dimension_bit(i) <= below; ++i)
    if (rank + dimension_bit(i) < processes) dimensions |= dimension_bit(i);
  return dimensions;
}

}  // namespace faultline::workloads
