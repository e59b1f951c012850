// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_points.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/core/missing_folder.hpp"
#include "sim/json/problems.hpp"

namespace faultline::cli {

void need_store(const std::string& path) {
  store::check_store_name(path);
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found) {
    const std::string folder = missing_folder(path);
    throw UsageError(path + ": no such file" + (folder.empty() ? "" : ", " + folder));
  }
}

std::vector<store::SelectedPoint> stored_points(const std::string& path,
                                                const std::vector<std::string>& conditions) {
  need_store(path);
  store::ResultStore store(path, store::StoreUse::read);
  auto points = store::select_points(store, conditions);
  if (points.empty()) throw UsageError(path + ": no point satisfies the conditions");
  const std::string note = store.note();
  if (!note.empty()) std::fprintf(stderr, "faultline: %s\n", note.c_str());
  return points;
}

std::string missing_text(const std::vector<store::SelectedPoint>& points) {
  const std::string note = store::missing_note(points);
  return note.empty() ? note : "\n" + text::wrapped(note + ".");
}

void check_metrics(const std::string& option, const std::vector<std::string>& metrics,
                   const std::vector<store::SelectedPoint>& points) {
  constexpr std::size_t kMostNames = 200;  // all protocols and workloads have fewer metrics
  const std::vector<std::string> known = store::metric_names(points);
  for (const std::string& metric : metrics)
    if (std::find(known.begin(), known.end(), metric) == known.end())
      throw UsageError(option + ": no point has the metric " + json::in_quotes(metric) +
                       json::suggestion(metric, known, kMostNames));
}

}  // namespace faultline::cli
