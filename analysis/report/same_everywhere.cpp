// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/same_everywhere.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "analysis/drawing/html_page.hpp"
#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/text/summary_text.hpp"

namespace faultline::report {

namespace {

/// Times are differences of clocks, which have rounding errors.
bool is_same(double one, double other) {
  constexpr double kRounding = 1e-9;
  return std::fabs(one - other) <= kRounding * std::max(std::fabs(one), std::fabs(other));
}

/// "<code>end_time_s</code> is 40 s".
std::string value_words(const SameValue& same, const Titles& titles) {
  const text::TimeUnit unit =
      text::unit_of(statistics::metric_type(same.metric), std::fabs(same.value));
  std::string words = "<code>" + drawing::escaped(metric_heading(titles, same.metric)) +
                      "</code> is " + text::compact(same.value * unit.in_one_s);
  if (*unit.word != '\0') words += std::string(" ") + unit.word;
  return words;
}

std::string runs_words(std::size_t runs, std::size_t all_runs) {
  if (runs == 1) return all_runs == 1 ? "In the run " : "In the one run that has it, ";
  if (runs == all_runs) return "In all " + std::to_string(runs) + " runs ";
  return "In the " + std::to_string(runs) + " runs that have it, ";
}

}  // namespace

std::optional<SameValue> same_value(const std::vector<store::SelectedPoint>& points,
                                    const std::string& metric) {
  SameValue same{.metric = metric};
  for (const store::SelectedPoint& point : points)
    for (const runs::RunRecord& run : point.stored.runs) {
      const auto value = run.number(metric);
      if (!value) continue;
      if (runs::is_cut_off(run)) return std::nullopt;
      if (same.runs++ == 0) same.value = *value;
      if (!is_same(same.value, *value)) return std::nullopt;
    }
  return same.runs == 0 ? std::nullopt : std::optional(same);
}

std::string same_values_words(const std::vector<SameValue>& same, std::size_t all_runs,
                              const Titles& titles) {
  std::map<std::size_t, std::string, std::greater<>> by_runs;
  for (const SameValue& of : same) {
    std::string& words = by_runs[of.runs];
    words += (words.empty() ? "" : ", ") + value_words(of, titles);
  }
  std::string text;
  for (const auto& [runs, words] : by_runs)
    text += (text.empty() ? "" : " ") + runs_words(runs, all_runs) + words + ".";
  return text;
}

std::string same_completion_words(const std::vector<store::SelectedPoint>& points) {
  std::size_t runs = 0;
  std::size_t completed = 0;
  double low = 1.0;   // the least of what the points show
  double high = 0.0;  // the most
  for (const store::SelectedPoint& point : points) {
    const store::PointGroup alone{{}, {&point}};
    const store::GroupSample of = store::sample(alone, runs::kCompleted);
    runs += of.values.size();
    completed += static_cast<std::size_t>(std::count(of.values.begin(), of.values.end(), 1.0));
    const auto interval = store::summarize(alone, runs::kCompleted).confidence_95;
    if (!interval) continue;
    low = std::min(low, interval->low);
    high = std::max(high, interval->high);
  }
  if (runs < 2 || (completed > 0 && completed < runs)) return {};
  const std::string all = std::to_string(runs) + " runs completed: ";
  const std::string of_points = std::string(" of the runs of each point do, by ") +
                                (store::sampled_by_strata(points) ? "" : "exact ") +
                                "95 % intervals.";
  return completed == runs ? "All " + all + "at least " + text::compact(low) + of_points
                           : "None of the " + all + "at most " + text::compact(high) + of_points;
}

}  // namespace faultline::report
