// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/titles.hpp"

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/problems.hpp"

namespace faultline::report {

Titles read_titles(const std::vector<std::string>& options) {
  const std::string option = "report: --title: ";
  Titles titles;
  for (const std::string& words : options) {
    const std::size_t equals = words.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(option + "expected PATH=TEXT, got " + json::in_quotes(words));
    const std::string path = words.substr(0, equals);
    const std::string text = words.substr(equals + 1);
    if (text.find_first_not_of(' ') == std::string::npos)
      throw UsageError(option + "expected a text after " + json::in_quotes(path + "="));
    if (visible(text) != text)
      throw UsageError(option + json::in_quotes(path) +
                       ": expected a text of one line in UTF-8 without control characters, got " +
                       json::in_quotes(text));
    if (!titles.emplace(path, text).second)
      throw UsageError(option + json::in_quotes(path) + " has two titles");
  }
  return titles;
}

std::string given_title(const Titles& titles, const std::string& name) {
  const auto title = titles.find(name);
  if (title == titles.end()) return "";
  const bool needs_unit = statistics::metric_type(name) == statistics::MetricType::time &&
                          !title->second.ends_with(" [s]");
  return title->second + (needs_unit ? " [s]" : "");
}

std::string path_heading(const Titles& titles, const std::string& path) {
  const std::string given = given_title(titles, path);
  return given.empty() ? short_path(path) : given;
}

std::string metric_heading(const Titles& titles, const std::string& metric) {
  const std::string given = given_title(titles, metric);
  return given.empty() ? metric : given;
}

std::string metric_axis_title(const Titles& titles, const std::string& metric) {
  const std::string given = given_title(titles, metric);
  return given.empty() ? drawing::axis_title(metric) : given;
}

std::string short_path(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::string last = dot == std::string::npos ? path : path.substr(dot + 1);
  return last == "name" && dot != std::string::npos ? path.substr(0, dot) : last;
}

}  // namespace faultline::report
