// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace faultline::workloads {

namespace {

/// A node and an element of LULESH exchange three numbers each: a force, and a gradient
/// (lulesh-comm.cc of LULESH 2.0, Karlin, Keasler, Neely, LLNL-TR-641973, 2013).
constexpr double kBytesOfNode = 24.0;

/// The share of LULESH's computation between the exchange of nodes and that of elements:
/// kinematics and gradients; the rest is viscosity, the equation of state and the next forces.
/// Calibrated.
constexpr double kNodeShare = 0.4;

std::uint32_t largest_divisor_up_to(std::uint32_t number, std::uint32_t limit) {
  for (std::uint32_t divisor = std::max(1U, limit); divisor > 1; --divisor)
    if (number % divisor == 0) return divisor;
  return 1;
}

std::uint64_t whole(double bytes) { return static_cast<std::uint64_t>(std::llround(bytes)); }

GridPlace padded(const std::vector<std::uint32_t>& sizes) {
  GridPlace grid{1, 1, 1};
  std::copy(sizes.begin(), sizes.end(), grid.begin());
  return grid;
}

}  // namespace

std::vector<std::uint32_t> process_grid(std::uint32_t processes, std::uint32_t dimensions) {
  std::vector<std::uint32_t> grid;
  for (std::uint32_t left = dimensions; left > 1; --left) {
    const double root = std::pow(processes, 1.0 / left);
    grid.push_back(largest_divisor_up_to(processes, static_cast<std::uint32_t>(root + 1e-9)));
    processes /= grid.back();
  }
  grid.push_back(processes);
  std::sort(grid.rbegin(), grid.rend());
  return grid;
}

StencilPlan::StencilPlan(StencilOptions options, const JobShape& job, bool ordered)
    : options_(std::move(options)),
      processes_(job.processes),
      dimensions_(options_.preset == "none"     ? options_.dimensions
                  : options_.preset == "wave2d" ? 2
                                                : 3),
      periodic_(options_.preset == "none" ? options_.periodic : options_.preset != "lulesh"),
      ordered_(ordered),
      reduces_(options_.preset == "lulesh"),
      barrier_(options_.synchronization == "barrier") {
  const std::uint32_t hosted = options_.objects_per_process;
  if (options_.object_mapping == "block") {
    block_ = padded(process_grid(hosted, dimensions_));
    grid_ = padded(process_grid(processes_, dimensions_));
    for (std::size_t d = 0; d < grid_.size(); ++d) grid_[d] *= block_[d];
  } else {
    grid_ = padded(process_grid(objects(), dimensions_));
  }
  is_linear_ = block_ == GridPlace{1, 1, 1};
  const double dimensions = dimensions_;
  const double bytes =
      static_cast<double>(options_.bytes) * std::pow(hosted, -(dimensions - 1.0) / dimensions);
  const double compute_s = options_.compute_s / hosted;
  if (options_.preset == "lulesh") {
    add_all_around(kNodeShare * compute_s, bytes);
    add_faces((1.0 - kNodeShare) * compute_s, bytes);
  } else {
    add_faces(compute_s, bytes);
  }
}

void StencilPlan::add_faces(double compute_s, double bytes) {
  Exchange exchange{.ways = {}, .compute_s = compute_s};
  exchange.ways.reserve(2UL * dimensions_);
  for (std::uint32_t d = 0; d < dimensions_; ++d)
    for (const int step : {-1, 1}) {
      Way way{.step = {0, 0, 0}, .opposite = 2 * d + (step < 0 ? 1U : 0U), .bytes = whole(bytes)};
      way.step[d] = step;
      way.second = step > 0 ? 1 : 0;
      way.dimension = static_cast<std::uint8_t>(d);
      exchange.ways.push_back(way);
    }
  exchanges_.push_back(std::move(exchange));
}

/// Adds all 26 neighbours: those at an edge or a corner of a block share fewer nodes with it.
void StencilPlan::add_all_around(double compute_s, double bytes) {
  constexpr std::uint32_t kLast = 25;
  const double edge_nodes = std::sqrt(bytes / kBytesOfNode);
  Exchange exchange{.ways = {}, .compute_s = compute_s};
  exchange.ways.reserve(kLast + 1);
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const int moved = std::abs(x) + std::abs(y) + std::abs(z);
        if (moved == 0) continue;
        const double shared = kBytesOfNode * std::pow(edge_nodes, 3 - moved);
        exchange.ways.push_back(
            {.step = {x, y, z},
             .opposite = kLast - static_cast<std::uint32_t>(exchange.ways.size()),
             .bytes = whole(shared)});
      }
  exchanges_.push_back(std::move(exchange));
}

double StencilPlan::compute_s(std::size_t exchange, double halo_bytes) const {
  const double compute_s = exchanges_[exchange].compute_s;
  if (!options_.copy_bandwidth_Bps) return compute_s;
  return compute_s + 2.0 * halo_bytes / *options_.copy_bandwidth_Bps;
}

GridPlace StencilPlan::place_of(ObjectId object) const {
  const auto within = [](std::uint32_t number, const GridPlace& grid) {
    return GridPlace{number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
  };
  if (is_linear_) return within(object, grid_);
  const GridPlace local = within(object % options_.objects_per_process, block_);
  const GridPlace ranks{grid_[0] / block_[0], grid_[1] / block_[1], grid_[2] / block_[2]};
  GridPlace place = within(home(object), ranks);
  for (std::size_t d = 0; d < place.size(); ++d) place[d] = place[d] * block_[d] + local[d];
  return place;
}

ObjectId StencilPlan::object_at(const GridPlace& place) const {
  const auto number = [](const GridPlace& at, std::uint32_t width, std::uint32_t height) {
    return at[0] + width * (at[1] + height * at[2]);
  };
  if (is_linear_) return number(place, grid_[0], grid_[1]);
  GridPlace rank = place;
  GridPlace local = place;
  for (std::size_t d = 0; d < place.size(); ++d) {
    rank[d] /= block_[d];
    local[d] %= block_[d];
  }
  return number(rank, grid_[0] / block_[0], grid_[1] / block_[1]) * options_.objects_per_process +
         number(local, block_[0], block_[1]);
}

bool StencilPlan::is_extended() const {
  return ordered_ || options_.preset != "none" || options_.objects_per_process > 1 ||
         options_.checkpoint_iterations || barrier_;
}

std::uint64_t StencilPlan::synchronizations() const {
  if (!options_.checkpoint_iterations) return 0;
  const std::uint64_t period = *options_.checkpoint_iterations;
  return options_.iterations / period + (options_.iterations % period != 0 ? 1 : 0) + 1;
}

std::uint64_t StencilPlan::iterations_at(std::uint64_t number) const {
  return number + 1 >= synchronizations() ? options_.iterations
                                          : number * *options_.checkpoint_iterations;
}

std::optional<std::uint64_t> StencilPlan::synchronization_after(std::uint64_t iterations) const {
  if (!options_.checkpoint_iterations) return std::nullopt;
  if (iterations == options_.iterations) return synchronizations() - 1;
  if (iterations % *options_.checkpoint_iterations != 0) return std::nullopt;
  return iterations / *options_.checkpoint_iterations;
}

}  // namespace faultline::workloads
