#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace faultline {

/// The value below which that share of a sorted sample lies: between the order statistics on
/// either side by linear interpolation. Needs at least one value.
inline double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace faultline
