// SPDX-License-Identifier: Apache-2.0
#include "workloads/minife_plan.hpp"

#include <algorithm>
#include <string>

#include "sim/core/wire_bytes.hpp"

namespace faultline::workloads {

namespace {

constexpr std::size_t kDimensions = 3;
constexpr std::uint64_t kNumberBytes = 8;                ///< of a double, and of an ordinal
constexpr std::uint64_t kEntryBytes = 2 * kNumberBytes;  ///< coefficient and column

constexpr std::uint64_t kMatrixNumbersOfRow = 3;  ///< its number, and two offsets
constexpr std::uint64_t kVectors = 5;             ///< b, x, r, p, Ap
constexpr std::uint64_t kStateVectors = 3;        ///< x, r, p

/// In an iteration: r.r reads one vector, p = r + beta p reads two and writes one, Ap = A p reads
/// and writes one each, p.Ap reads two, x += alpha p and r -= alpha Ap read two and write one each.
constexpr std::uint64_t kMovedVectors = 14;
constexpr std::uint64_t kMovedOffsets = 1;

GridBox common(const GridBox& a, const GridBox& b) {
  GridBox both;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    both.begin[d] = std::max(a.begin[d], b.begin[d]);
    both.end[d] = std::max(both.begin[d], std::min(a.end[d], b.end[d]));
  }
  return both;
}

/// The box and everything around it. It can go beyond the upper ends of the grid.
GridBox with_surroundings(GridBox box) {
  for (std::size_t d = 0; d < kDimensions; ++d) {
    if (box.begin[d] > 0) --box.begin[d];
    ++box.end[d];
  }
  return box;
}

/// No halo of a box is larger than its largest face, because the boxes of two ranks do not overlap.
std::uint64_t largest_face(const GridBox& box) {
  std::array<std::uint64_t, kDimensions> sides{};
  for (std::size_t d = 0; d < kDimensions; ++d) sides[d] = box.end[d] - box.begin[d];
  std::sort(sides.begin(), sides.end());
  return sides[1] * sides[2];
}

}  // namespace

bool GridBox::is_empty() const {
  for (std::size_t d = 0; d < kDimensions; ++d)
    if (begin[d] >= end[d]) return true;
  return false;
}

std::uint64_t GridBox::size() const {
  if (is_empty()) return 0;
  std::uint64_t places = 1;
  for (std::size_t d = 0; d < kDimensions; ++d) places *= end[d] - begin[d];
  return places;
}

// ---- bisection --------------------------------------------------------------------------------

MiniFePlan::Part MiniFePlan::whole() const {
  return {.first = 0, .ranks = processes_, .elements = {.begin = {}, .end = elements_}, .axis = 2};
}

/// Halves a part as the program does, in double precision and rounded down.
std::array<MiniFePlan::Part, 2> MiniFePlan::halves(const Part& part) {
  Part low = part;
  Part high = part;
  low.ranks = part.ranks / 2;
  high.ranks = part.ranks - low.ranks;
  high.first = part.first + low.ranks;
  const std::uint32_t count = part.elements.end[part.axis] - part.elements.begin[part.axis];
  const double share = static_cast<double>(high.ranks) / static_cast<double>(part.ranks);
  const auto upper = static_cast<std::uint32_t>(static_cast<double>(count) * share);
  const std::uint32_t cut = part.elements.end[part.axis] - upper;
  low.elements.end[part.axis] = cut;
  high.elements.begin[part.axis] = cut;
  low.axis = high.axis = (part.axis + 2) % kDimensions;
  return {low, high};
}

GridBox MiniFePlan::rows(const Part& part) const {
  GridBox rows = part.elements;
  for (std::size_t d = 0; d < kDimensions; ++d)
    if (rows.begin[d] < rows.end[d] && rows.end[d] == elements_[d]) ++rows.end[d];
  return rows;
}

template <class Visit>
void MiniFePlan::for_each_inside(const Part& part, const GridBox& box, const Visit& visit) const {
  const GridBox mine = rows(part);
  if (common(mine, box).is_empty()) return;
  if (part.ranks == 1) return visit(part.first, mine);
  for (const Part& half : halves(part)) for_each_inside(half, box, visit);
}

GridBox MiniFePlan::rows(Rank rank) const {
  Part part = whole();
  while (part.ranks > 1) {
    const auto [low, high] = halves(part);
    part = rank < high.first ? low : high;
  }
  return rows(part);
}

// ---- what a rank has and sends -----------------------------------------------------------------

HaloExchange MiniFePlan::halo(Rank rank) const {
  const GridBox mine = rows(rank);
  const GridBox needed = with_surroundings(mine);
  HaloExchange halo;
  for_each_inside(whole(), needed, [&](Rank other, const GridBox& theirs) {
    if (other == rank) return;
    const auto bytes = [](const GridBox& box) { return kNumberBytes * box.size(); };
    halo.sends.push_back({other, bytes(common(mine, with_surroundings(theirs)))});
    halo.receives.push_back({other, bytes(common(theirs, needed))});
  });
  halo.shrink_to_fit();
  return halo;
}

std::uint64_t MiniFePlan::nonzeros(Rank rank) const {
  const GridBox mine = rows(rank);
  std::uint64_t entries = 1;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    std::uint64_t coupled = std::uint64_t{3} * (mine.end[d] - mine.begin[d]);
    if (mine.begin[d] == 0) --coupled;
    if (mine.end[d] == elements_[d] + 1) --coupled;
    entries *= coupled;
  }
  return entries;
}

std::uint64_t MiniFePlan::memory_bytes(Rank rank) const {
  return kEntryBytes * nonzeros(rank) +
         kNumberBytes * (kMatrixNumbersOfRow + kVectors) * rows(rank).size();
}

std::uint64_t MiniFePlan::moved_bytes(Rank rank) const {
  return kEntryBytes * nonzeros(rank) +
         kNumberBytes * (kMovedOffsets + kMovedVectors) * rows(rank).size();
}

std::uint64_t MiniFePlan::state_bytes(Rank rank) const {
  return kNumberBytes * kStateVectors * rows(rank).size();
}

// ---- bad input ---------------------------------------------------------------------------------

std::vector<OptionProblem> minife_problems(const GridCounts& elements, std::uint32_t processes) {
  constexpr std::array<const char*, kDimensions> kOptions{"nx", "ny", "nz"};
  const MiniFePlan plan(elements, processes);
  std::vector<MiniFePlan::Part> parts{plan.whole()};
  while (!parts.empty()) {
    const MiniFePlan::Part part = parts.back();
    parts.pop_back();
    for (std::size_t d = 0; d < kDimensions; ++d)
      if (part.elements.begin[d] == part.elements.end[d])
        return {{kOptions[d], "expected more elements: with " + std::to_string(processes) +
                                  " processes, rank " + std::to_string(part.first) +
                                  " would have no rows"}};
    if (part.ranks > 1) {
      const auto [low, high] = MiniFePlan::halves(part);
      parts.push_back(high);
      parts.push_back(low);
    } else if (static_cast<double>(kNumberBytes * largest_face(plan.rows(part))) > kLargestSize_B) {
      return {{"nx", "expected fewer elements, or more processes: a halo of rank " +
                         std::to_string(part.first) + " could exceed 1 TB"}};
    }
  }
  return {};
}

}  // namespace faultline::workloads
