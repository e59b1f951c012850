// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/core/types.hpp"
#include "workloads/halo_exchange.hpp"

namespace faultline::workloads {

/// What an exchange of LULESH carries, and to which neighbours.
enum class LuleshHalo : std::uint8_t {
  force,              ///< 3 fields of the nodes, with all 26 neighbours
  position_velocity,  ///< 6 fields of the nodes, to the lower of the 26 neighbours, which take them
  gradients,          ///< 3 fields of the zones, with the 6 neighbours along the dimensions
};

/// The side of a cube of that many ranks; null if they form none.
std::optional<std::uint32_t> cube_side(std::uint32_t processes);

/// The problem of a number of ranks on which LULESH cannot run because they form no cube.
std::vector<OptionProblem> lulesh_problems(std::uint32_t processes);

/// The exchanges of a time step of LULESH 2.0 over MPI (Karlin, Keasler, Neely, LLNL-TR-641973;
/// LLNL/LULESH lulesh-comm.cc). The ranks form a cube, numbered along x first, each with
/// zones_per_side^3 zones. A step begins with an allreduce of 8 bytes, from the second step on. No
/// memory here grows with the number of ranks.
class LuleshPlan {
 public:
  /// The ranks must form a cube (cube_side). With `late_synchronization` there is a second exchange
  /// of positions and velocities, at the end of a step. That makes four exchanges, the number in
  /// fampi-2015 section 4.
  LuleshPlan(std::uint32_t processes, std::uint32_t zones_per_side, bool late_synchronization);

  [[nodiscard]] std::uint32_t side() const { return side_; }
  /// The exchanges of a step, in their order.
  [[nodiscard]] const std::vector<LuleshHalo>& exchanges() const { return exchanges_; }
  /// The messages that a rank sends and receives in the exchange of that number.
  [[nodiscard]] HaloExchange halo(Rank rank, std::size_t number) const;
  /// The size of a rank's checkpoint: 6 fields of its nodes and 5 of its zones.
  [[nodiscard]] std::uint64_t state_bytes() const;

 private:
  [[nodiscard]] std::uint64_t bytes(LuleshHalo halo, int moved) const;

  std::uint32_t side_;
  std::uint64_t zones_;  ///< along a side of a rank's domain
  std::vector<LuleshHalo> exchanges_;
};

}  // namespace faultline::workloads
