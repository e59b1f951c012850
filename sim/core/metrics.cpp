// SPDX-License-Identifier: Apache-2.0
#include "sim/core/metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "sim/core/quantile.hpp"

namespace faultline {

namespace {

struct SampleFigure {
  const char* suffix;
  double share;
};

constexpr std::array<SampleFigure, 5> kSampleFigures = {
    {{"_min", 0.0}, {"_quartile_1", 0.25}, {"_median", 0.5}, {"_quartile_3", 0.75}, {"_max", 1.0}}};

}  // namespace

const char* merge_word(Merge merge) {
  switch (merge) {
    case Merge::sum:
      return "sum";
    case Merge::maximum:
      return "maximum";
    case Merge::mean:
      return "mean";
    case Merge::sample:
      return "sample";
    case Merge::last:
      return "last";
    case Merge::digest:
      return "digest";
    case Merge::whole:
      return "whole";
  }
  return "";
}

bool only_rises(const MetricSpec& metric) {
  if (metric.trend != Trend::of_merge) return false;
  return metric.merge == Merge::sum || metric.merge == Merge::maximum ||
         metric.merge == Merge::whole;
}

std::string metric_unit(const std::string& name) {
  if (name.ends_with("_Bps")) return "B/s";
  if (name.ends_with("_s") && !name.ends_with("_per_s")) return "s";
  return name.find("bytes") != std::string::npos ? "B" : "";
}

void Metrics::set_of_kind(const MetricSpec& metric, const std::string& kind, double value) {
  std::string name = metric.name;
  name.resize(name.size() - kOfAnyKind.size());
  set(name + kind, value);
}

std::vector<std::string> result_names(const MetricSpec& metric) {
  if (metric.merge != Merge::sample) return {metric.name};
  std::vector<std::string> names;
  names.reserve(kSampleFigures.size());
  for (const SampleFigure& figure : kSampleFigures)
    names.push_back(std::string(metric.name) + figure.suffix);
  return names;
}

std::size_t MetricTotals::place_of(const MetricSpec& metric) const {
  const auto place = std::find(declared_.begin(), declared_.end(), &metric);
  if (place == declared_.end())
    throw std::logic_error(std::string("metric not declared: ") + metric.name);
  return static_cast<std::size_t>(place - declared_.begin());
}

void MetricTotals::add(const MetricSpec& metric, double value, double weight) {
  Total& total = total_of(metric);
  total.reported = true;
  switch (metric.merge) {
    case Merge::sum:
      total.value = total.value.value_or(0.0) + value;
      break;
    case Merge::maximum:
      total.value = total.value ? std::max(*total.value, value) : value;
      break;
    case Merge::mean:
      total.value = total.value.value_or(0.0) + value;
      total.weight += weight;
      break;
    case Merge::sample:
      total.sample.push_back(value);
      break;
    case Merge::digest:
      total.value = std::fmod(total.value.value_or(0.0) + value, kDigestModulus);
      break;
    case Merge::last:
    case Merge::whole:
      total.value = value;
      break;
  }
}

std::optional<double> MetricTotals::value(const MetricSpec& metric) const {
  const Total& total = totals_[place_of(metric)];
  if (metric.merge != Merge::mean || !total.value) return total.value;
  return total.weight > 0.0 ? std::optional(*total.value / total.weight) : std::nullopt;
}

void MetricTotals::write_to(Metrics& result) const {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (!totals_[i].reported) continue;
    if (declared_[i]->merge != Merge::sample) {
      result.set(*declared_[i], value(*declared_[i]));
      continue;
    }
    std::vector<double> sorted = totals_[i].sample;
    std::sort(sorted.begin(), sorted.end());
    const std::vector<std::string> names = result_names(*declared_[i]);
    for (std::size_t figure = 0; figure < names.size(); ++figure)
      result.set(names[figure],
                 sorted.empty() ? std::nullopt
                                : std::optional(quantile(sorted, kSampleFigures[figure].share)));
  }
}

void MetricTotals::digest(Digest& into) const {
  for (const Total& total : totals_)
    into.add(total.reported, total.value, total.weight, total.sample);
  into.add(numbers_);
}

}  // namespace faultline
