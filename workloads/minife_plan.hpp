// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/core/types.hpp"
#include "workloads/halo_exchange.hpp"

namespace faultline::workloads {

/// Numbers in x, y and z.
using GridCounts = std::array<std::uint32_t, 3>;

/// The places from `begin` to below `end` of a grid. Empty if one dimension has none.
struct GridBox {
  GridCounts begin{};
  GridCounts end{};

  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] std::uint64_t size() const;
  bool operator==(const GridBox&) const = default;
};

/// The rows of each rank of MiniFE, and its exchanges with others (Heroux et al., SAND2009-5574;
/// Mantevo/miniFE ref/). The elements of an nx x ny x nz brick are divided among the ranks by
/// bisection in z, y, x in turn, and the lower ranks get what cannot be divided. Each of the (nx +
/// 1)(ny + 1)(nz + 1) nodes is a row of the matrix, coupled with the 27 rows around it and
/// including it. A rank owns the lower nodes of its elements, and at the upper ends of the brick
/// the last ones, too.
///
/// A number of ranks that is no power of two cuts neighbouring parts at different places. A rank
/// can then have more than 26 neighbours, and send one of them more or less than it gets from it.
/// No memory here grows with the number of ranks.
class MiniFePlan {
 public:
  /// All numbers are at least 1. Every rank must have a row (minife_problems).
  MiniFePlan(const GridCounts& elements, std::uint32_t processes)
      : elements_(elements), processes_(processes) {}

  [[nodiscard]] std::uint32_t processes() const { return processes_; }
  /// The rows of a rank.
  [[nodiscard]] GridBox rows(Rank rank) const;
  /// The exchange of an iteration: one number of 8 bytes for each row that the other end needs.
  [[nodiscard]] HaloExchange halo(Rank rank) const;
  /// The entries of the matrix in a rank's rows.
  [[nodiscard]] std::uint64_t nonzeros(Rank rank) const;
  /// Matrix and vectors of a rank, with 64-bit ordinals: 16 B an entry, and for each row its
  /// number, two offsets, and b, x, r, p, Ap.
  [[nodiscard]] std::uint64_t memory_bytes(Rank rank) const;
  /// The bytes that one iteration of conjugate gradients reads from and writes to memory: the
  /// matrix, the offsets of its rows, and 14 vectors.
  [[nodiscard]] std::uint64_t moved_bytes(Rank rank) const;
  /// The size of a checkpoint of an iteration: x, r and p.
  [[nodiscard]] std::uint64_t state_bytes(Rank rank) const;

 private:
  friend std::vector<OptionProblem> minife_problems(const GridCounts&, std::uint32_t);

  /// Ranks that share a part of the brick, which is cut next along `axis`.
  struct Part {
    Rank first = 0;
    std::uint32_t ranks = 1;
    GridBox elements;
    std::size_t axis = 2;
  };

  [[nodiscard]] Part whole() const;
  [[nodiscard]] static std::array<Part, 2> halves(const Part& part);
  [[nodiscard]] GridBox rows(const Part& part) const;
  /// Calls visit(rank, rows) for each rank of the part with a row in that box, in order.
  template <class Visit>
  void for_each_inside(const Part& part, const GridBox& box, const Visit& visit) const;

  GridCounts elements_;
  std::uint32_t processes_;
};

/// The problems with which MiniFE cannot run: a rank would have no rows ("not currently supported",
/// in the program's words), or a halo would exceed what a message can carry. Options are named nx,
/// ny, nz.
std::vector<OptionProblem> minife_problems(const GridCounts& elements, std::uint32_t processes);

}  // namespace faultline::workloads
