// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/metric_type.hpp"

namespace faultline::statistics {

MetricType metric_type(const std::string& name) {
  if (name == "terminated" || name == "completed" || name == "survived") return MetricType::share;
  if (name == "outcome" || name == "fatal_reason") return MetricType::text;
  if (name.ends_with("_s") && !name.ends_with("_per_s")) return MetricType::time;
  if (name.find("fraction") != std::string::npos) return MetricType::fraction;
  return MetricType::number;
}

bool is_between_0_and_1(MetricType type) {
  return type == MetricType::share || type == MetricType::fraction;
}

std::string without_unit(const std::string& name) {
  return metric_type(name) == MetricType::time ? name.substr(0, name.size() - 2) : name;
}

Summary summarize(MetricType type, const std::vector<double>& values, ShareValues what) {
  return type == MetricType::share ? summarize_share(values, what) : summarize(values);
}

}  // namespace faultline::statistics
