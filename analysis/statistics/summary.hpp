// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace faultline::statistics {

/// A closed interval of real numbers.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};

/// How far the mean of a sample holds if some of its runs were cut off at a limit.
enum class MeanBound : std::uint8_t {
  exact,     ///< none was cut off
  at_least,  ///< their mean would be at least this, had they gone on
  unknown,   ///< it could be more or less
};

/// The word for a bound in files: "at-least" or "unknown"; "" for an exact mean.
const char* bound_word(MeanBound bound);

/// Statistics of a sample, in the unit of its values. Absent is whatever the sample is too small
/// for: everything if it is empty; standard deviation and interval if it has one value.
struct Summary {
  std::size_t count = 0;
  std::optional<double> mean;
  std::optional<double> standard_deviation;  ///< of the sample, divisor n - 1
  std::optional<Interval> confidence_95;     ///< of the mean, by Student's t with n - 1 degrees
  std::optional<double> min;
  std::optional<double> max;
  bool is_share = false;  ///< then the interval is exact, asymmetric, and present for one value
  bool is_stratified = false;  ///< weighted (analysis/statistics/strata); shares are then not exact
  std::size_t cut_off = 0;     ///< number of values from runs that were cut off at a limit
  MeanBound bound = MeanBound::exact;
};

/// Summarises a sample while its values come in, in one pass (Welford 1962) and constant memory.
class RunningSummary {
 public:
  /// Throws std::invalid_argument for NaN and infinities.
  void add(double value);
  [[nodiscard]] Summary summary() const;

 private:
  std::size_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  ///< sum of squared deviations from the mean of the values so far
  double min_ = 0.0;
  double max_ = 0.0;
};

/// Summarises `values` in one pass (Welford 1962), so a large mean does not swallow the spread. The
/// interval assumes independent values, and roughly normal ones if there are few. Throws
/// std::invalid_argument for NaN and infinities: the caller leaves missing measurements out, since
/// only the caller knows why they are missing.
Summary summarize(const std::vector<double>& values);

/// The values from which a share is summarised, and the method for its interval.
enum class ShareValues {
  runs,   ///< one run each, 0 or 1: Clopper and Pearson
  means,  ///< means of runs that are not independent, from 0 to 1: Hoeffding
};

/// Summarises the values of a share. Its interval (analysis/statistics/share_interval) lies within
/// [0, 1]. Throws std::invalid_argument if the values are not of the kind that `what` states.
Summary summarize_share(const std::vector<double>& values, ShareValues what = ShareValues::runs);

/// A sample as Tukey's boxplot shows it. Quartiles are interpolated linearly between order
/// statistics. A whisker ends at the last datum within 1.5 times the distance of the quartiles.
struct Boxplot {
  double min = 0.0;
  double whisker_low = 0.0;
  double quartile_1 = 0.0;
  double median = 0.0;
  double quartile_3 = 0.0;
  double whisker_high = 0.0;
  double max = 0.0;
};

/// Throws std::invalid_argument when there are no values.
Boxplot boxplot(std::vector<double> values);

/// The half-width of the 95 % confidence interval of a mean over `count` >= 2 values, in standard
/// errors: the 0.975 quantile of Student's t with count - 1 degrees of freedom.
double student_t_95(std::size_t count);

/// Half the width of an interval that misses the mean with probability `outside`, in standard
/// errors: a quantile of Student's t as for student_t_95().
double student_t(std::size_t count, double outside);

/// Half the width of the interval with the confidence level of three standard errors of a normal
/// distribution, 99.73 %. It is close to 3 for many values, and larger for few, whose spread is
/// less certain.
double student_t_three_sigma(std::size_t count);

}  // namespace faultline::statistics
