// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/series_samples.hpp"

#include <algorithm>
#include <iterator>

#include "analysis/text/text_table.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::reproduction {

namespace {

/// The endings of the five metrics that make one box.
constexpr const char* kBoxParts[] = {"_min", "_quartile_1", "_median", "_quartile_3", "_max"};

/// The name of the CSV's column of protocols. All series of a figure are of one family.
std::string protocol_column(const ReproductionItem& item) {
  return protocol_word(series_of(item, item.curves.front()).family);
}

/// One line of the CSV. The mean of a box over ranks is not known.
std::vector<std::string> box_record(const MetricSamples& samples, const std::string& metric) {
  const statistics::Boxplot box = box_of(samples, metric);
  const auto found = samples.find(metric);
  return {std::to_string(samples.begin()->second.size()),
          json::shortest(box.min),
          json::shortest(box.whisker_low),
          json::shortest(box.quartile_1),
          json::shortest(box.median),
          json::shortest(box.quartile_3),
          json::shortest(box.whisker_high),
          json::shortest(box.max),
          found == samples.end() ? "" : json::shortest(*statistics::summarize(found->second).mean)};
}

/// One line of the CSV. A single run gives no interval.
std::vector<std::string> ratio_record(const SeriesMeasure& series, const SeriesPoint& point,
                                      const std::string& detector, const std::string& metric) {
  const statistics::Estimate ratio = ratio_at(series, point, detector, metric);
  const auto& interval = ratio.confidence_99;
  return {std::to_string(point.samples.at(detector).at(metric).size()),
          json::shortest(*ratio.value), interval ? json::shortest(interval->low) : "",
          interval ? json::shortest(interval->high) : ""};
}

FigureRows ratio_rows(const ItemResult& result) {
  const ReproductionItem& item = result.item;
  FigureRows rows = {{"series", "metric", protocol_column(item), over_of(item), "runs", "ratio",
                      "low_99", "high_99"}};
  for (const std::size_t curve : item.curves) {
    const SeriesMeasure& series = series_of(item, curve);
    for (const SeriesPoint& point : result.measured[curve].points)
      for (const auto& [detector, samples] : point.samples) {
        if (detector == series.drawn_relative_to) continue;
        for (const std::string& metric : series.metrics) {
          std::vector<std::string> record = {item.measures[curve].name, metric, detector,
                                             json::shortest(point.at)};
          const auto ratio = ratio_record(series, point, detector, metric);
          record.insert(record.end(), ratio.begin(), ratio.end());
          rows.push_back(std::move(record));
        }
      }
  }
  return rows;
}

FigureRows box_rows(const ItemResult& result) {
  const ReproductionItem& item = result.item;
  FigureRows rows = {{"series", "metric", protocol_column(item), over_of(item), "runs", "min",
                      "whisker_low", "quartile_1", "median", "quartile_3", "whisker_high", "max",
                      "mean"}};
  for (const std::size_t curve : item.curves)
    for (const SeriesPoint& point : result.measured[curve].points)
      for (const auto& [detector, samples] : point.samples)
        for (const std::string& metric : drawn_metrics(series_of(item, curve))) {
          std::vector<std::string> record = {item.measures[curve].name, metric, detector,
                                             json::shortest(point.at)};
          const auto box = box_record(samples, metric);
          record.insert(record.end(), box.begin(), box.end());
          rows.push_back(std::move(record));
        }
  return rows;
}

}  // namespace

const SeriesMeasure& series_of(const ReproductionItem& item, std::size_t measure) {
  return std::get<SeriesMeasure>(item.measures[measure].how);
}

bool draws_ratios(const ReproductionItem& item) {
  return !series_of(item, item.curves.front()).drawn_relative_to.empty();
}

std::string over_of(const ReproductionItem& item) {
  const std::string& path = series_of(item, item.curves.front()).over;
  return path.substr(path.rfind('.') + 1);
}

std::vector<std::string> drawn_metrics(const SeriesMeasure& series) {
  std::vector<std::string> drawn = series.metrics;
  if (!series.drawn_relative_to.empty()) return drawn;
  for (const std::string& metric : series.metrics) {
    if (!metric.ends_with(kBoxParts[0])) continue;
    const std::string name = metric.substr(0, metric.size() - std::string(kBoxParts[0]).size());
    const auto is_part = [&](const std::string& other) {
      return std::any_of(std::begin(kBoxParts), std::end(kBoxParts),
                         [&](const char* part) { return other == name + part; });
    };
    if (std::count_if(drawn.begin(), drawn.end(), is_part) != std::ssize(kBoxParts)) continue;
    std::erase_if(drawn, is_part);
    drawn.push_back(name);
  }
  return drawn;
}

statistics::Boxplot box_of(const MetricSamples& samples, const std::string& metric) {
  const auto found = samples.find(metric);
  if (found != samples.end()) return statistics::boxplot(found->second);
  const auto mean = [&](std::size_t part) {
    return *statistics::summarize(samples.at(metric + kBoxParts[part])).mean;
  };
  return {.min = mean(0),
          .whisker_low = mean(0),
          .quartile_1 = mean(1),
          .median = mean(2),
          .quartile_3 = mean(3),
          .whisker_high = mean(4),
          .max = mean(4)};
}

statistics::Estimate ratio_at(const SeriesMeasure& series, const SeriesPoint& point,
                              const std::string& detector, const std::string& metric) {
  return statistics::estimate_ratio_of_means(point.samples.at(detector).at(metric),
                                             point.samples.at(series.drawn_relative_to).at(metric));
}

FigureRows series_rows(const ItemResult& result) {
  return draws_ratios(result.item) ? ratio_rows(result) : box_rows(result);
}

}  // namespace faultline::reproduction
