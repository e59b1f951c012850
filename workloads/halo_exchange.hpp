// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::workloads {

/// A message of an exchange, to or from a neighbour. It has 12 bytes, because each of many ranks
/// keeps dozens.
struct [[gnu::packed, gnu::aligned(4)]] HaloNeighbour {
  Rank rank = 0;            ///< the neighbour's place in the program's world
  std::uint64_t bytes = 0;  ///< of the message

  bool operator==(const HaloNeighbour&) const = default;
};

/// What one rank sends and receives in one exchange. There is one entry for each message. If a rank
/// sends several to another, they carry the same.
struct HaloExchange {
  std::vector<HaloNeighbour> sends;
  std::vector<HaloNeighbour> receives;

  /// Frees spare memory, because each of many ranks keeps its own lists.
  void shrink_to_fit() {
    sends.shrink_to_fit();
    receives.shrink_to_fit();
  }

  bool operator==(const HaloExchange&) const = default;
};

}  // namespace faultline::workloads
