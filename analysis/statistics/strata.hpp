// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/statistics/summary.hpp"

namespace faultline::statistics {

/// A part of the population from which the values of a sample come, such as the faults of one size.
struct Stratum {
  double number = 0.0;   ///< tells the strata of a sample apart
  double weight = 1.0;   ///< share of the population
  bool is_sure = false;  ///< theory says that a share is the same in all runs of this stratum

  friend bool operator==(const Stratum&, const Stratum&) = default;
  friend bool operator<(const Stratum& a, const Stratum& b) {
    return std::tie(a.number, a.weight, a.is_sure) < std::tie(b.number, b.weight, b.is_sure);
  }
};

/// The quantity that a stratified sample estimates.
enum class StrataOf : std::uint8_t {
  numbers,            ///< their mean
  shares,             ///< the mean of values that are 0 or 1
  means_of_shares,    ///< the mean of values from 0 to 1, each from several runs
  share_differences,  ///< the mean of values that are -1, 0 or 1
};

/// Summarises a stratified sample while its values come in, in constant memory. Each stratum counts
/// by its weight, however many of the runs it has (Cochran 1977, chapter 5).
///
/// In some runs there may be no value, as a time of survivors has none where nobody survived. Then
/// the mean is that over all runs with a value, by the ratio of two stratified means. The interval
/// of numbers is by Student's t with Satterthwaite's degrees of freedom. That of shares combines
/// the exact intervals of the strata by Zou and Donner (2008). A stratum that is sure, and whose
/// runs agree, adds nothing to it. The weight of strata that have had no run counts as if it could
/// be anything: numbers then have no interval.
class StratifiedSample {
 public:
  /// Adds a run. Throws std::invalid_argument for NaN and infinities.
  void add(const Stratum& from, std::optional<double> value);

  /// True if it has no runs, with or without a value.
  [[nodiscard]] bool empty() const { return parts_.empty(); }

  /// The 95 % of the interval are 1 - `outside`. Its standard deviation is that of the population.
  /// Throws std::invalid_argument for values that are not of the kind that `what` states.
  [[nodiscard]] Summary summary(StrataOf what, double outside = 0.05) const;

 private:
  struct Part {
    std::size_t runs = 0;
    RunningSummary values;
    std::size_t ones = 0;
    std::size_t minus_ones = 0;

    /// The share of its runs that have a value.
    [[nodiscard]] double present() const;
    [[nodiscard]] Interval share(StrataOf what, double outside) const;
  };

  [[nodiscard]] Interval shares_around(double mean, StrataOf what, double outside) const;
  [[nodiscard]] std::optional<Interval> numbers_around(double mean, double outside) const;
  [[nodiscard]] double unseen_weight() const;

  std::map<Stratum, Part> parts_;
};

}  // namespace faultline::statistics
