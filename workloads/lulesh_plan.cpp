// SPDX-License-Identifier: Apache-2.0
#include "workloads/lulesh_plan.hpp"

#include <array>
#include <cstdlib>
#include <string>

#include "sim/core/invariant.hpp"

namespace faultline::workloads {

namespace {

constexpr std::uint64_t kNumberBytes = 8;
constexpr std::uint64_t kNodeFields = 6;  ///< positions and velocities
constexpr std::uint64_t kZoneFields = 5;  ///< energy, pressure, viscosity, volume, speed of sound

std::uint64_t fields(LuleshHalo halo) { return halo == LuleshHalo::position_velocity ? 6 : 3; }

std::uint64_t cubed(std::uint64_t number) { return number * number * number; }

}  // namespace

std::optional<std::uint32_t> cube_side(std::uint32_t processes) {
  std::uint32_t side = 1;
  while (cubed(side) < processes) ++side;
  if (cubed(side) != processes) return std::nullopt;
  return side;
}

std::vector<OptionProblem> lulesh_problems(std::uint32_t processes) {
  if (cube_side(processes)) return {};
  std::uint64_t side = 1;
  while (cubed(side + 1) < processes) ++side;
  return {{"name", "lulesh-mpi needs a cube of platform.processes, such as " +
                       std::to_string(cubed(side)) + " or " + std::to_string(cubed(side + 1))}};
}

LuleshPlan::LuleshPlan(std::uint32_t processes, std::uint32_t zones_per_side,
                       bool late_synchronization)
    : side_(cube_side(processes).value_or(0)),
      zones_(zones_per_side),
      exchanges_{LuleshHalo::force, LuleshHalo::position_velocity, LuleshHalo::gradients} {
  invariant(side_ > 0, "the ranks of LULESH form no cube");
  if (late_synchronization) exchanges_.push_back(LuleshHalo::position_velocity);
}

/// The bytes of a message to the neighbour that lies one step away in `moved` of the three
/// dimensions: the two share a face, an edge or a corner.
std::uint64_t LuleshPlan::bytes(LuleshHalo halo, int moved) const {
  const std::uint64_t side = halo == LuleshHalo::gradients ? zones_ : zones_ + 1;
  std::uint64_t shared = 1;
  for (int d = moved; d < 3; ++d) shared *= side;
  return kNumberBytes * fields(halo) * shared;
}

HaloExchange LuleshPlan::halo(Rank rank, std::size_t number) const {
  const LuleshHalo kind = exchanges_.at(number);
  const auto side = static_cast<int>(side_);
  const auto place = static_cast<int>(rank);
  const std::array<int, 3> at{place % side, place / side % side, place / side / side};
  const auto is_inside = [side](int coordinate) { return coordinate >= 0 && coordinate < side; };
  HaloExchange halo;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const int moved = std::abs(x) + std::abs(y) + std::abs(z);
        if (moved == 0 || (kind == LuleshHalo::gradients && moved > 1)) continue;
        if (!is_inside(at[0] + x) || !is_inside(at[1] + y) || !is_inside(at[2] + z)) continue;
        const auto other = static_cast<Rank>(place + x + side * (y + side * z));
        const HaloNeighbour neighbour{other, bytes(kind, moved)};
        const bool one_way = kind == LuleshHalo::position_velocity;
        if (!one_way || other < rank) halo.sends.push_back(neighbour);
        if (!one_way || other > rank) halo.receives.push_back(neighbour);
      }
  halo.shrink_to_fit();
  return halo;
}

std::uint64_t LuleshPlan::state_bytes() const {
  return kNumberBytes * (kNodeFields * cubed(zones_ + 1) + kZoneFields * cubed(zones_));
}

}  // namespace faultline::workloads
