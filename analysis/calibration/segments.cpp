// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibration/segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/calibration/nonnegative_fit.hpp"

namespace faultline::calibration {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// A relative error that does not count.
constexpr double kNoError = 0.01;
/// A segment has two values and a place where it begins.
constexpr double kUnknowns = 3;

/// Sums over the first sizes, of which any stretch of sizes needs differences: with u = 1 / time
/// and v = bytes / time, a line has the relative errors fixed_s u + byte_s v - 1.
struct Sums {
  double uu = 0, uv = 0, vv = 0, u = 0, v = 0;
};

/// Which sizes a segment has, and what the best one makes of it.
class ChangePoints {
 public:
  ChangePoints(const std::vector<Timing>& timings, const FitBounds& bounds)
      : timings_(timings),
        count_(timings.size()),
        bytes_unit_(std::max(1.0, static_cast<double>(timings.back().bytes))),
        time_unit_s_(timings.back().time_s),
        least_byte_s_(bounds.least_byte_s * bytes_unit_ / time_unit_s_) {
    sums_.emplace_back();
    for (const Timing& timing : timings) {
      const double u = time_unit_s_ / timing.time_s;
      const double v = static_cast<double>(timing.bytes) / bytes_unit_ * u;
      const Sums& last = sums_.back();
      sums_.push_back({last.uu + u * u, last.uv + u * v, last.vv + v * v, last.u + u, last.v + v});
    }
    find(std::min(bounds.most_segments, count_ / kSizesOfSegment));
  }

  /// For each number of segments, from 1 on: the sum of the squared relative errors.
  [[nodiscard]] std::vector<double> errors() const {
    std::vector<double> errors;
    for (std::size_t segments = 1; segments < least_.size(); ++segments)
      errors.push_back(least_[segments][count_]);
    return errors;
  }

  /// From how many bytes on each of so many segments holds.
  [[nodiscard]] std::vector<double> begins(std::size_t segments) const {
    std::vector<std::size_t> places = {count_};
    for (; segments > 0; --segments) places.push_back(begin_[segments][places.back()]);
    std::ranges::reverse(places);
    std::vector<double> from_bytes = {0};
    for (std::size_t i = 1; i + 1 < places.size(); ++i)
      from_bytes.push_back(boundary(line_for(places[i - 1], places[i]),
                                    line_for(places[i], places[i + 1]), places[i]));
    return from_bytes;
  }

 private:
  void find(std::size_t most_segments) {
    least_.assign(most_segments + 1, std::vector<double>(count_ + 1, kInfinite));
    begin_.assign(most_segments + 1, std::vector<std::size_t>(count_ + 1));
    least_[0][0] = 0;
    for (std::size_t begin = 0; begin < count_; ++begin)
      for (std::size_t end = begin + kSizesOfSegment; end <= count_; ++end) {
        const double error = line_for(begin, end).error;
        for (std::size_t segments = 1; segments <= most_segments; ++segments) {
          const double all = least_[segments - 1][begin] + error;
          if (all >= least_[segments][end]) continue;
          least_[segments][end] = all;
          begin_[segments][end] = begin;
        }
      }
  }

  /// The best line for these sizes, in the units of the sums, and the sum of its squared relative
  /// errors.
  struct Line {
    double fixed = 0, byte = 0, error = 0;
  };
  [[nodiscard]] Line line_for(std::size_t begin, std::size_t end) const {
    const Sums& a = sums_[begin];
    const Sums& b = sums_[end];
    const Sums sum{b.uu - a.uu, b.uv - a.uv, b.vv - a.vv, b.u - a.u, b.v - a.v};
    const double determinant = sum.uu * sum.vv - sum.uv * sum.uv;
    double byte = determinant > 0 ? (sum.uu * sum.v - sum.uv * sum.u) / determinant : 0;
    byte = std::max(byte, least_byte_s_);
    const double fixed = (sum.u - sum.uv * byte) / sum.uu;
    const double error = fixed * fixed * sum.uu + 2 * fixed * byte * sum.uv + byte * byte * sum.vv -
                         2 * fixed * sum.u - 2 * byte * sum.v + static_cast<double>(end - begin);
    return {fixed, byte, std::max(0.0, error)};
  }

  /// From which size on a segment holds whose sizes follow those of `before`. That is its first
  /// size, unless the line before is above it there: then it is where the lines cross, but after
  /// the last size of the line before.
  [[nodiscard]] double boundary(const Line& before, const Line& line, std::size_t begin) const {
    const auto first = static_cast<double>(timings_[begin].bytes);
    const auto last_before = static_cast<double>(timings_[begin - 1].bytes);
    const double above =
        before.fixed - line.fixed + (before.byte - line.byte) * first / bytes_unit_;
    if (above <= 0 || before.byte <= line.byte) return first;
    const double crossing = (line.fixed - before.fixed) / (before.byte - line.byte) * bytes_unit_;
    return std::clamp(std::ceil(crossing), last_before + 1, first);
  }

  const std::vector<Timing>& timings_;
  std::size_t count_;
  double bytes_unit_;
  double time_unit_s_;
  double least_byte_s_;
  std::vector<Sums> sums_;
  std::vector<std::vector<double>> least_;  ///< by segments and the size at which they end
  std::vector<std::vector<std::size_t>> begin_;
};

/// How many segments the criterion wants.
std::size_t wanted(const std::vector<double>& errors, std::size_t sizes) {
  const auto count = static_cast<double>(sizes);
  std::size_t best = 0;
  double least = kInfinite;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double variance = std::max(errors[i] / count, kNoError * kNoError);
    const double criterion =
        count * std::log(variance) + kUnknowns * static_cast<double>(i + 1) * std::log(count);
    if (criterion >= least) continue;
    least = criterion;
    best = i + 1;
  }
  return best;
}

/// The segments with these beginnings. Unknown, and none below 0, are what the first message takes
/// beyond the least, what each byte of a segment takes beyond the least, and by how much the time
/// rises where a segment begins.
std::vector<Segment> fitted(const std::vector<Timing>& timings, const FitBounds& bounds,
                            const std::vector<double>& from_bytes) {
  const std::size_t count = from_bytes.size();
  std::vector<Equation> equations;
  for (const Timing& timing : timings) {
    const auto bytes = static_cast<double>(timing.bytes);
    Equation equation{std::vector<double>(2 * count), 0};
    equation.value = 1 - (bounds.least_fixed_s + bytes * bounds.least_byte_s) / timing.time_s;
    for (std::size_t s = 0; s < count && from_bytes[s] <= bytes; ++s) {
      const double end = s + 1 < count ? std::min(bytes, from_bytes[s + 1]) : bytes;
      equation.coefficients[2 * s] = 1 / timing.time_s;
      equation.coefficients[2 * s + 1] = (end - from_bytes[s]) / timing.time_s;
    }
    equations.push_back(std::move(equation));
  }
  const std::vector<double> unknowns = nonnegative_fit(equations);
  std::vector<Segment> segments;
  double at_begin_s = bounds.least_fixed_s;
  for (std::size_t s = 0; s < count; ++s) {
    if (s > 0) at_begin_s += segments.back().byte_s * (from_bytes[s] - from_bytes[s - 1]);
    at_begin_s += unknowns[2 * s];
    const double byte_s = bounds.least_byte_s + unknowns[2 * s + 1];
    segments.push_back(
        {static_cast<std::uint64_t>(from_bytes[s]), at_begin_s - byte_s * from_bytes[s], byte_s});
  }
  return segments;
}

}  // namespace

std::vector<Segment> fit_segments(const std::vector<Timing>& timings, const FitBounds& bounds) {
  const ChangePoints points(timings, bounds);
  return fitted(timings, bounds, points.begins(wanted(points.errors(), timings.size())));
}

double time_s(const std::vector<Segment>& segments, double bytes) {
  const Segment* holds = &segments.front();
  for (const Segment& segment : segments)
    if (static_cast<double>(segment.from_bytes) <= bytes) holds = &segment;
  return holds->fixed_s + bytes * holds->byte_s;
}

}  // namespace faultline::calibration
