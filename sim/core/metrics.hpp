// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/number_set.hpp"
#include "sim/core/stack.hpp"

namespace faultline {

/// How the values that actors report, in all phases and incarnations, become one.
enum class Merge : std::uint8_t {
  sum,
  maximum,
  mean,    ///< the sum of the values divided by the sum of their weights; null while that is zero
  sample,  ///< NAME_min, NAME_quartile_1, NAME_median, NAME_quartile_3 and NAME_max of the values
  last,    ///< what was reported last; the ranks report in their order
  digest,  ///< the sum modulo kDigestModulus of whole numbers below it
  whole,   ///< nothing is merged: the engine reports one value for the run
};

/// A digest as a metric has 52 bits: a double holds the sum of two of them exactly.
inline constexpr double kDigestModulus = 4503599627370496.0;

/// Whether a run that goes on for longer can report less. If not, the value of a run that a limit
/// has cut off is a lower bound.
enum class Trend : std::uint8_t {
  of_merge,  ///< sums, maxima and what the engine reports only rise, anything else may fall
  may_fall,
  settled,  ///< it does not go on: a run that a limit has cut off has its value, too
};

/// The declaration of a metric. Merging, `list` and the docs come from it. There is one object for
/// each metric: its component reports a value for that object, and its registration points to it.
/// The metrics that the engine reports are in sim/core/run_metrics.hpp. Metrics of one name have
/// one meaning, whichever component reports them.
struct MetricSpec {
  const char* name;
  Merge merge;
  const char* doc;
  Trend trend = Trend::of_merge;
  /// Tables and reports show it where nobody names metrics and one of these families matters
  /// (analysis/runs/usual_metrics). That of the workload always does.
  Families usual_for = 0;
};

/// "sum", "maximum", "mean", "sample", "last", "digest" or "whole".
const char* merge_word(Merge merge);

/// How the name of a metric ends that counts each kind of message by itself: the kind's name takes
/// the place of it.
inline constexpr std::string_view kOfAnyKind = "KIND";

/// Returns whether a run that goes on for longer reports at least as much.
bool only_rises(const MetricSpec& metric);

/// The unit of a metric, which its name ends with or contains: "s", "B/s", "B", or "" for a number
/// without a unit.
std::string metric_unit(const std::string& name);

/// The names that a metric has in a result: its own one, or the five of a sample.
std::vector<std::string> result_names(const MetricSpec& metric);

/// The metrics of a component, in the order in which `list` and the docs show them.
using MetricSpecs = std::vector<const MetricSpec*>;

/// Named results of a run. An empty value becomes JSON's null ("does not apply").
class Metrics {
 public:
  void set(const MetricSpec& metric, std::optional<double> value) { values_[metric.name] = value; }
  /// For a metric whose name ends with kOfAnyKind: sets the one of that kind.
  void set_of_kind(const MetricSpec& metric, const std::string& kind, double value);
  /// For metrics of a sample, and for tests.
  void set(const std::string& name, std::optional<double> value) { values_[name] = value; }
  [[nodiscard]] const std::map<std::string, std::optional<double>>& values() const {
    return values_;
  }

 private:
  std::map<std::string, std::optional<double>> values_;
};

/// What the actors with one component report, merged as its registration declares. Reporting
/// throws std::logic_error if the metric is not declared there.
class MetricTotals {
 public:
  MetricTotals() = default;
  explicit MetricTotals(const MetricSpecs& declared)
      : declared_(declared), totals_(declared.size()) {}

  template <class Number>
  void put(const MetricSpec& metric, Number value) {
    add(metric, static_cast<double>(value), 1.0);
  }
  /// A value of a mean, as its product with its weight.
  void put_weighted(const MetricSpec& metric, double product, double weight) {
    add(metric, product, weight);
  }
  /// The metric does not apply. It is null unless others report a value.
  void put_null(const MetricSpec& metric) { total_of(metric).reported = true; }

  /// A set of numbers to which all actors add, such as the tasks that were done. It is no metric
  /// itself; it lets an actor report what only all of them together know.
  NumberSet& numbers() { return numbers_; }

  /// The merged value, but for a sample. Empty if it is null or nobody has reported the metric.
  [[nodiscard]] std::optional<double> value(const MetricSpec& metric) const;
  void digest(Digest& into) const;
  /// Adds the metrics that were reported to a result.
  void write_to(Metrics& result) const;

 private:
  struct Total {
    bool reported = false;
    std::optional<double> value;  ///< of a mean, the sum of the products
    double weight = 0.0;
    std::vector<double> sample;
  };

  void add(const MetricSpec& metric, double value, double weight);
  [[nodiscard]] std::size_t place_of(const MetricSpec& metric) const;
  Total& total_of(const MetricSpec& metric) { return totals_[place_of(metric)]; }

  MetricSpecs declared_;
  std::vector<Total> totals_;  ///< as in `declared_`
  NumberSet numbers_;
};

}  // namespace faultline
