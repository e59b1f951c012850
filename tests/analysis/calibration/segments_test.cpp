// SPDX-License-Identifier: Apache-2.0

#include "analysis/calibration/segments.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/calibration/nonnegative_fit.hpp"
#include "sim/core/random.hpp"

namespace faultline::calibration {

namespace {

/// The times of these segments at so many sizes of each range, multiplied by 1 + noise x (a number
/// from -1 to 1).
std::vector<Timing> timings_of(const std::vector<Segment>& segments, std::uint64_t end_bytes,
                               std::uint64_t sizes, double noise = 0, std::uint64_t seed = 1) {
  Stream random(seed, 0, Purpose::workload, 0);
  std::vector<Timing> timings;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const std::uint64_t from = segments[s].from_bytes;
    const std::uint64_t to = s + 1 < segments.size() ? segments[s + 1].from_bytes : end_bytes;
    for (std::uint64_t i = 0; i < sizes; ++i) {
      const std::uint64_t bytes = from + (to - from) * i / sizes;
      const double drawn = 1 + noise * (2 * random.uniform() - 1);
      timings.push_back({bytes, time_s(segments, static_cast<double>(bytes)) * drawn});
    }
  }
  return timings;
}

double squared_error(const std::vector<Segment>& segments, const std::vector<Timing>& timings) {
  double sum = 0;
  for (const Timing& timing : timings) {
    const double error = time_s(segments, static_cast<double>(timing.bytes)) / timing.time_s - 1;
    sum += error * error;
  }
  return sum;
}

/// The least squared relative error of a line, by a search for its slope. For each slope, the fixed
/// part follows from the derivative.
double error_of_line(const std::vector<Timing>& timings) {
  const auto error = [&](double byte_s) {
    double weight = 0;
    double pull = 0;
    for (const Timing& one : timings) {
      weight += 1 / (one.time_s * one.time_s);
      pull += (one.time_s - byte_s * static_cast<double>(one.bytes)) / (one.time_s * one.time_s);
    }
    double sum = 0;
    for (const Timing& one : timings) {
      const double off = (pull / weight + byte_s * static_cast<double>(one.bytes)) / one.time_s - 1;
      sum += off * off;
    }
    return sum;
  };
  double low = 0;
  double high = 1;
  for (int i = 0; i < 300; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (error(a) < error(b) ? high : low) = error(a) < error(b) ? b : a;
  }
  return error(low);
}

const std::vector<Segment> kThree = {{0, 1e-6, 3e-9}, {300, 2e-6, 5e-10}, {20000, 9e-6, 2e-10}};

}  // namespace

TEST_CASE("a fit finds the segments that made the times") {
  const std::vector<Segment> found = fit_segments(timings_of(kThree, 1000000, 20), {});
  REQUIRE(found.size() == 3);
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(found[s].from_bytes == kThree[s].from_bytes);
    CHECK(found[s].fixed_s == Approx(kThree[s].fixed_s).epsilon(1e-6));
    CHECK(found[s].byte_s == Approx(kThree[s].byte_s).epsilon(1e-6));
  }
}

TEST_CASE("a fit is nearer to the times without noise than the noise, and needs no more segments") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const std::vector<Segment> found =
        fit_segments(timings_of(kThree, 1000000, 60, 0.03, seed), {});
    CHECK(found.size() == 3);
    for (const Timing& exact : timings_of(kThree, 1000000, 60))
      CHECK(time_s(found, static_cast<double>(exact.bytes)) == Approx(exact.time_s).epsilon(0.03));
  }
}

TEST_CASE("times of one line make one segment, however many sizes there are") {
  const std::vector<Segment> line = {{0, 2e-6, 1e-9}};
  CHECK(fit_segments(timings_of(line, 1000, 3), {}).size() == 1);
  CHECK(fit_segments(timings_of(line, 1000000, 400, 0.005), {}).size() == 1);
}

TEST_CASE("no choice of as many segments has a smaller error") {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    // The steps are larger than the noise, so that no time is below that of a shorter message.
    const std::vector<Segment> made = {{0, 1e-6, 1e-9}, {400, 2e-6, 4e-9}, {1500, 9e-6, 5e-9}};
    const std::vector<Timing> timings = timings_of(made, 4000, 4, 0.02, seed);
    const std::vector<Segment> found = fit_segments(timings, {});
    const auto part = [&](std::size_t begin, std::size_t end) {
      return std::vector<Timing>(timings.begin() + static_cast<std::ptrdiff_t>(begin),
                                 timings.begin() + static_cast<std::ptrdiff_t>(end));
    };
    const std::function<double(std::size_t, std::size_t)> least = [&](std::size_t begin,
                                                                      std::size_t segments) {
      if (segments == 1) return error_of_line(part(begin, timings.size()));
      double best = 1e9;
      for (std::size_t end = begin + kSizesOfSegment;
           end + (segments - 1) * kSizesOfSegment <= timings.size(); ++end)
        best = std::min(best, error_of_line(part(begin, end)) + least(end, segments - 1));
      return best;
    };
    const double best = least(0, found.size());
    CHECK(squared_error(found, timings) >= best * (1 - 1e-6));
    // Where noise asks for more segments than were made, the order of times is in the way of some.
    if (found.size() > made.size()) continue;
    ++compared;
    CHECK(squared_error(found, timings) == Approx(best).epsilon(1e-6).margin(1e-12));
  }
  CHECK(compared >= 50);
}

TEST_CASE("no message is faster than a shorter one or than the bounds, whatever was measured") {
  Stream random(1, 0, Purpose::workload, 0);
  for (int repeat = 0; repeat < 200; ++repeat) {
    CAPTURE(repeat);
    const FitBounds bounds{.least_fixed_s = 1e-6, .least_byte_s = 1e-10, .most_segments = 5};
    std::vector<Timing> timings;
    std::uint64_t bytes = random.below(10);
    for (std::uint64_t i = 3 + random.below(40); i > 0; --i) {
      // From far below the bounds to far above them, up and down.
      timings.push_back({bytes, 1e-7 * std::pow(1e3, random.uniform())});
      bytes += 1 + random.below(5000);
    }
    const std::vector<Segment> found = fit_segments(timings, bounds);
    CHECK(found.size() <= 5);
    CHECK(found.front().from_bytes == 0);
    double before_s = 0;
    for (std::uint64_t size = 0; size <= bytes; size += 1 + size / 50) {
      const double now_s = time_s(found, static_cast<double>(size));
      CHECK(now_s >= before_s * (1 - 1e-9));
      CHECK(now_s >= (1e-6 + 1e-10 * static_cast<double>(size)) * (1 - 1e-9));
      before_s = now_s;
    }
  }
}

TEST_CASE("a fit without negative unknowns meets the conditions of an optimum") {
  Stream random(2, 0, Purpose::workload, 0);
  for (int repeat = 0; repeat < 300; ++repeat) {
    CAPTURE(repeat);
    const std::size_t unknowns = 1 + random.below(6);
    std::vector<Equation> equations(unknowns + random.below(8));
    for (Equation& equation : equations) {
      for (std::size_t i = 0; i < unknowns; ++i)
        equation.coefficients.push_back(2 * random.uniform() - 1);
      equation.value = 2 * random.uniform() - 1;
    }
    const std::vector<double> found = nonnegative_fit(equations);
    REQUIRE(found.size() == unknowns);
    // Karush, Kuhn and Tucker: the error falls nowhere that an unknown can still go.
    for (std::size_t i = 0; i < unknowns; ++i) {
      double slope = 0;
      for (const Equation& equation : equations) {
        double error = -equation.value;
        for (std::size_t j = 0; j < unknowns; ++j) error += equation.coefficients[j] * found[j];
        slope += error * equation.coefficients[i];
      }
      CHECK(found[i] >= 0);
      CHECK(slope >= -1e-9);
      if (found[i] > 0) CHECK(std::fabs(slope) < 1e-8);
    }
  }
}

}  // namespace faultline::calibration
