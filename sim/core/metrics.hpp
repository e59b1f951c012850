#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace faultline {

/// Named results of a run; an empty value is JSON's null ("does not apply").
class Metrics {
 public:
  /// Adds to a total over all ranks.
  void add(const std::string& name, double value) {
    auto& entry = values_[name];
    entry = entry.value_or(0.0) + value;
  }
  /// Keeps the largest over all ranks.
  void maximum(const std::string& name, double value) {
    auto& entry = values_[name];
    entry = entry ? std::max(*entry, value) : value;
  }
  void set(const std::string& name, std::optional<double> value) { values_[name] = value; }
  [[nodiscard]] const std::map<std::string, std::optional<double>>& values() const {
    return values_;
  }

 private:
  std::map<std::string, std::optional<double>> values_;
};

}  // namespace faultline
