// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::workloads {

struct StencilOptions {
  std::uint32_t dimensions = 3;
  bool periodic = true;
  std::uint64_t iterations = 100;
  std::uint64_t bytes = 8192;
  double compute_s = 1e-3;
  std::string preset = "none";
  std::uint32_t objects_per_process = 1;
  std::string object_mapping = "linear";
  std::uint64_t object_bytes = 262144;
  std::optional<std::uint64_t> checkpoint_iterations = std::nullopt;
  std::string synchronization = "tags";
  std::optional<double> copy_bandwidth_Bps = std::nullopt;
};

/// The place of an object or a process on a grid; 0 in dimensions that the grid does not have.
using GridPlace = std::array<std::uint32_t, 3>;

/// The grid of exactly that many ranks that is nearest to a cube; its sizes descend.
std::vector<std::uint32_t> process_grid(std::uint32_t processes, std::uint32_t dimensions);

/// The exchanges and computations of a stencil. All ranks share it, and it never changes.
class StencilPlan {
 public:
  /// One of the ways from an object to its neighbours.
  struct Way {
    std::array<int, 3> step;  ///< -1, 0 or 1 in each dimension
    std::uint32_t opposite;   ///< the way back, by its number
    std::uint64_t bytes;      ///< size of a message
    std::uint8_t second = 0;  ///< 1: the dimension's second way, if it leads to the same neighbour
    std::uint8_t dimension = 0;  ///< dimension of a way along one of them
  };
  /// An iteration is a sequence of exchanges, each followed by a computation.
  struct Exchange {
    std::vector<Way> ways;
    double compute_s;  ///< computation time of an object
  };
  struct Neighbour {
    ObjectId object;
    std::uint32_t its_side;  ///< the side at which the sender lies: the number of the way back
    std::uint64_t bytes;
    bool second;  ///< the neighbour has already got a message of this exchange
  };

  StencilPlan(StencilOptions options, const JobShape& job, bool ordered);

  [[nodiscard]] const StencilOptions& options() const { return options_; }
  /// The sizes of the grid of all objects.
  [[nodiscard]] const GridPlace& grid() const { return grid_; }
  [[nodiscard]] ObjectId objects() const { return processes_ * options_.objects_per_process; }
  [[nodiscard]] Rank home(ObjectId object) const { return object / options_.objects_per_process; }
  [[nodiscard]] GridPlace place_of(ObjectId object) const;
  [[nodiscard]] ObjectId object_at(const GridPlace& place) const;
  [[nodiscard]] const std::vector<Exchange>& exchanges() const { return exchanges_; }
  /// The computation of an object after an exchange in which it sends so many bytes.
  [[nodiscard]] double compute_s(std::size_t exchange, double halo_bytes) const;
  [[nodiscard]] std::uint32_t processes() const { return processes_; }
  [[nodiscard]] bool periodic() const { return periodic_; }
  /// True if each object folds what it consumes into its state in the order of consumption.
  [[nodiscard]] bool ordered() const { return ordered_; }
  /// True if all objects find the smallest of their states at the end of each iteration, as LULESH
  /// does with its time step.
  [[nodiscard]] bool reduces() const { return reduces_; }
  /// True if all objects wait for each other at the end of each iteration.
  [[nodiscard]] bool waits_for_all() const { return reduces_ || barrier_; }
  /// True if this is more than the plain exchange of one object on each rank.
  [[nodiscard]] bool is_extended() const;

  /// The number of synchronisation points; 0 without checkpoints. The first is the start, the last
  /// is the end.
  [[nodiscard]] std::uint64_t synchronizations() const;
  /// The number of iterations done at a synchronisation point.
  [[nodiscard]] std::uint64_t iterations_at(std::uint64_t number) const;
  /// The number of the synchronisation point after that many iterations, if there is one.
  [[nodiscard]] std::optional<std::uint64_t> synchronization_after(std::uint64_t iterations) const;

  /// Calls visit(neighbour) for each neighbour of an exchange.
  template <class Visit>
  void for_each_neighbour(ObjectId object, std::size_t exchange, Visit visit) const {
    const GridPlace place = place_of(object);
    for (const Way& way : exchanges_[exchange].ways) {
      GridPlace there = place;
      if (!take(way, there)) continue;
      visit(Neighbour{object_at(there), way.opposite, way.bytes,
                      way.second != 0 && grid_[way.dimension] == 2});
    }
  }

 private:
  /// Goes one way from a place; false if that leads off the grid.
  [[nodiscard]] bool take(const Way& way, GridPlace& place) const {
    for (std::size_t d = 0; d < place.size(); ++d) {
      if (way.step[d] == 0) continue;
      const std::uint32_t size = grid_[d];
      const std::uint32_t last = way.step[d] > 0 ? size - 1 : 0;
      if (place[d] != last)
        place[d] += static_cast<std::uint32_t>(way.step[d]);
      else if (periodic_ && size > 1)
        place[d] = size - 1 - last;
      else
        return false;
    }
    return true;
  }
  void add_faces(double compute_s, double bytes);
  void add_all_around(double compute_s, double bytes);

  StencilOptions options_;
  std::uint32_t processes_;
  std::uint32_t dimensions_;
  bool periodic_;
  bool ordered_;
  bool reduces_ = false;
  bool barrier_;
  GridPlace grid_{1, 1, 1};
  GridPlace block_{1, 1, 1};  ///< of the objects of a rank; all 1 if the map is linear
  bool is_linear_ = true;
  std::vector<Exchange> exchanges_;
};

}  // namespace faultline::workloads
