#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace faultline {

/// A closed interval of real numbers.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};

/// Statistics of a sample, in the unit of its values. What the sample is too small to say is
/// absent: everything for no values, spread and interval for one.
struct Summary {
  std::size_t count = 0;
  std::optional<double> mean;
  std::optional<double> standard_deviation;  ///< of the sample, divisor n - 1
  std::optional<Interval> confidence_95;     ///< of the mean, by Student's t with n - 1 degrees
  std::optional<double> min;
  std::optional<double> max;
  bool is_share = false;  ///< the interval is exact instead, not symmetric, and there for one value
};

/// A sample that is summarised as its values come, in one pass (Welford 1962), so that it takes no
/// more memory for more of them.
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

/// Summarises `values` in one pass (Welford 1962), so a large mean does not swallow the spread.
/// The interval assumes independent values, and roughly normal ones where they are few.
/// Throws std::invalid_argument for NaN and infinities: a missing measurement is left out by the
/// caller, who knows why it is missing.
Summary summarize(const std::vector<double>& values);

/// What the values of a share are.
enum class ShareValues {
  runs,   ///< 0 or 1 each: Clopper and Pearson
  means,  ///< from 0 to 1, of runs that belong together: Hoeffding
};

/// Summarises the values of a share; its interval (analysis/statistics/share_interval) lies within
/// [0, 1]. Throws std::invalid_argument for values that are none of a share.
Summary summarize_share(const std::vector<double>& values, ShareValues what = ShareValues::runs);

/// A sample as Tukey's boxplot shows it. Quartiles lie between order statistics by linear
/// interpolation; a whisker ends at the last datum within 1.5 times their distance.
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

/// Half-width of the 95 % confidence interval of a mean over `count` >= 2 values, in standard
/// errors: the 0.975 quantile of Student's t with count - 1 degrees of freedom.
double student_t_95(std::size_t count);

/// The same for an interval outside of which the mean is with probability `outside`.
double student_t(std::size_t count, double outside);

/// The same for the interval that holds 99.73 % of the normal distribution within three standard
/// errors: 3 for many values, and as much more for few as they are less certain of their spread.
double student_t_three_sigma(std::size_t count);

}  // namespace faultline
