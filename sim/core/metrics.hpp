#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/number_set.hpp"
#include "sim/core/quantile.hpp"

namespace faultline {

/// Named results of a run. An empty value becomes JSON's null ("does not apply").
class Metrics {
 public:
  /// Adds to the total over all ranks.
  void add(const std::string& name, double value) {
    auto& entry = values_[name];
    entry = entry.value_or(0.0) + value;
  }
  /// Keeps the largest value over all ranks.
  void maximum(const std::string& name, double value) {
    auto& entry = values_[name];
    entry = entry ? std::max(*entry, value) : value;
  }
  /// Adds to a weighted mean over all ranks and phases: the sum of the totals divided by the sum of
  /// the weights, or null while that sum is zero.
  void average(const std::string& name, double total, double weight) {
    auto& [totals, weights] = averages_[name];
    totals += total;
    weights += weight;
    set(name, weights > 0.0 ? std::optional(totals / weights) : std::nullopt);
  }
  /// Adds a value to a sample that has one value for each rank in each phase. The sample becomes
  /// the metrics NAME_min, NAME_quartile_1, NAME_median, NAME_quartile_3 and NAME_max.
  void sample(const std::string& name, double value) { samples_[name].push_back(value); }
  /// A set of numbers to which all ranks add, such as the tasks that were done. It is no metric
  /// itself; it lets a rank report what only all of them together know.
  NumberSet& numbers(const std::string& name) { return numbers_[name]; }
  /// Turns the samples into metrics, and drops the sets of numbers. Call it when all ranks have
  /// reported.
  void close_samples() {
    for (auto& [name, values] : samples_) {
      std::sort(values.begin(), values.end());
      set(name + "_min", values.front());
      set(name + "_quartile_1", quantile(values, 0.25));
      set(name + "_median", quantile(values, 0.5));
      set(name + "_quartile_3", quantile(values, 0.75));
      set(name + "_max", values.back());
    }
    samples_.clear();
    numbers_.clear();
  }
  void set(const std::string& name, std::optional<double> value) { values_[name] = value; }
  [[nodiscard]] const std::map<std::string, std::optional<double>>& values() const {
    return values_;
  }

 private:
  std::map<std::string, std::optional<double>> values_;
  std::map<std::string, std::pair<double, double>> averages_;
  std::map<std::string, std::vector<double>> samples_;
  std::map<std::string, NumberSet> numbers_;
};

}  // namespace faultline
