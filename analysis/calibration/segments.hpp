// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace faultline::calibration {

/// What messages of one size take, as a benchmark reports it.
struct Timing {
  std::uint64_t bytes = 0;
  double time_s = 0;
};

/// Messages of from_bytes or more, up to where the next segment begins, take fixed_s + bytes x
/// byte_s.
struct Segment {
  std::uint64_t from_bytes = 0;
  double fixed_s = 0;
  double byte_s = 0;

  bool operator==(const Segment&) const = default;
};

/// What the segments of a fit must keep to.
struct FitBounds {
  double least_fixed_s = 0;  ///< no message takes less than that and least_byte_s for each byte
  double least_byte_s = 0;
  std::size_t most_segments = 16;
};

/// The least number of sizes that a segment is fitted to.
inline constexpr std::size_t kSizesOfSegment = 2;

/// The segments for which the sum of the squared relative errors is least, by dynamic programming
/// over all change points (Bellman, "On the approximation of curves by line segments using dynamic
/// programming", CACM 4, 1961), such that no message takes less time than a shorter one. There are
/// as many as the Bayesian information criterion wants (Schwarz, Annals of Statistics 6, 1978), for
/// which errors below 1 % do not count. `timings` has at least kSizesOfSegment different sizes, in
/// ascending order, and all times are above 0.
std::vector<Segment> fit_segments(const std::vector<Timing>& timings, const FitBounds& bounds);

/// What a message takes by these segments, the first of which begins at 0.
double time_s(const std::vector<Segment>& segments, double bytes);

}  // namespace faultline::calibration
