// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace faultline::workloads {

/// The tasks of one of the benchmarks of adoption-2013 section 7.2, in depth-first order.
struct TaskList {
  std::vector<std::uint32_t> weights;      ///< the work of each task
  std::vector<std::uint8_t> divergence{};  ///< for a tree, see TaskDeque; else empty
  double weight_s = 0.0;                   ///< time of one unit of weight

  [[nodiscard]] std::uint32_t tasks() const { return static_cast<std::uint32_t>(weights.size()); }
  [[nodiscard]] double compute_s(std::uint32_t task) const {
    return static_cast<double>(weights[task]) * weight_s;
  }
};

/// The tasks of the N-queens benchmark, with the counts of the real search tree of the board; each
/// placement takes `node_s`.
TaskList n_queens_list(std::uint32_t board, std::uint32_t cut_depth, double node_s);

/// The tasks of the Hartree-Fock benchmark: independent, and drawn from a model of the work in
/// them; they take `mean_s` on average. The model is Schwarz screening in matter of uniform
/// density: a pair of Gaussians at distance d shares integrals with the pairs whose distance is
/// below sqrt(R^2 - d^2). These are (1 - (d/R)^2)^(3/2) of all pairs within the cutoff R.
TaskList hartree_fock_list(std::uint32_t tasks, double mean_s, std::uint64_t seed);

/// The tasks of the tensor contraction benchmark: independent, and drawn from a model of the work
/// in them. The model is a block of four tiles: the work of a task is the product of four extents,
/// each uniform on 20 to 60.
TaskList tensor_contraction_list(std::uint32_t tasks, double mean_s, std::uint64_t seed);

}  // namespace faultline::workloads
