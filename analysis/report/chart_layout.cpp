// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/chart_layout.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/store/comparison.hpp"

namespace faultline::report {

namespace {

constexpr std::size_t kMostLines = 8;
constexpr std::size_t kMostCategories = 12;
constexpr std::size_t kMostPlaces = 30;  // places along x where each line has its own

std::string cell_of(const store::SelectedPoint& point, const std::string& path) {
  return store::cell_text(store::cell_at(point, path));
}

std::size_t count_values(const std::vector<store::SelectedPoint>& points, const std::string& path) {
  std::set<std::string> values;
  for (const store::SelectedPoint& point : points) values.insert(cell_of(point, path));
  return values.size();
}

/// True if there is only one value of `path` for each value of `by`.
bool determines(const std::vector<store::SelectedPoint>& points, const std::string& by,
                const std::string& path) {
  std::map<std::string, std::string> value_of;
  return std::all_of(points.begin(), points.end(), [&](const store::SelectedPoint& point) {
    const std::string value = cell_of(point, path);
    return value_of.emplace(cell_of(point, by), value).first->second == value;
  });
}

constexpr int kPlainRank = 3;  // of paths whose values do not say themselves what they are

/// Sorts paths: stacks first, then termination, then the other families, then the rest. Equal ranks
/// keep the order of the file.
int rank_of(const std::string& path) {
  if (path == "stacks") return 0;
  if (path.starts_with("termination")) return 1;
  for (const char* family : {"message_logging", "transactions", "failure_detection"})
    if (path.starts_with(family)) return 2;
  return kPlainRank;
}

std::string axis_of(const std::vector<store::SelectedPoint>& points, bool faults_first) {
  std::string best;
  std::size_t most = 0;
  bool of_faults = false;
  for (const std::string& path : store::swept_paths(points)) {
    if (path == "seed" || path == "study" || !is_numeric_axis(points, path)) continue;
    const bool faults = faults_first && path.starts_with("faults");
    const std::size_t count = count_values(points, path);
    if (faults == of_faults ? count <= most : of_faults) continue;
    best = path;
    most = count;
    of_faults = faults;
  }
  return best;
}

/// True if the value itself states what it is.
bool has_name(const store::SelectedPoint& point, const std::string& path) {
  const json::JsonValue* value = point.at(json::split_path(path));
  return value != nullptr && value->find("name") != nullptr;
}

/// "cda", "fanout 4", "delay_s 0.1".
std::string key_words(const store::SelectedPoint& point, const std::string& path,
                      const Titles& titles) {
  const bool alone = rank_of(path) < kPlainRank || has_name(point, path);
  return (alone ? "" : path_heading(titles, path) + " ") + store::words_at(point, path);
}

void append_part(std::string& text, const std::string& part) {
  text.append(text.empty() ? "" : ", ").append(part);
}

/// The keys that are needed to tell lines apart. One of several zipped keys, which change together,
/// is enough.
std::vector<std::string> needed(const std::vector<store::SelectedPoint>& points,
                                const std::vector<std::string>& keys) {
  std::vector<std::string> kept = keys;
  const auto combinations = [&](const std::vector<std::string>& paths) {
    return store::group_points(points, paths).size();
  };
  const std::size_t all = combinations(keys);
  for (std::size_t i = kept.size(); i-- > 1;) {
    std::vector<std::string> without = kept;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (combinations(without) == all) kept = without;
  }
  return kept;
}

ReportLine line_of(const store::PointGroup& group, const ReportLayout& layout,
                   const std::vector<std::string>& named) {
  ReportLine line;
  const store::SelectedPoint& any = *group.points.front();
  for (const std::string& path : named) {
    if (layout.has_protocol && path == layout.keys.front()) {
      line.protocol = store::words_at(any, path);
      continue;
    }
    append_part(line.rest, key_words(any, path, layout.titles));
    append_part(line.own_rest, key_words(any, path, {}));
  }
  line.name = line.protocol;
  if (!line.rest.empty()) append_part(line.name, line.rest);
  if (line.name.empty()) line.name = "all runs";
  return line;
}

/// Line types are dealt out in the order of the lines, so that the first few protocols get the
/// colours that differ most. Colours tell protocols apart, and dashes everything else. If nothing
/// else differs, each protocol has a dash of its own, so that lines that coincide remain visible.
void choose_styles(std::vector<ReportLine>& lines, bool has_protocol) {
  std::map<std::string, std::size_t> types;
  std::map<std::string, std::size_t> dashes;
  const bool by_rest =
      has_protocol && std::any_of(lines.begin(), lines.end(), [&](const ReportLine& line) {
        return line.rest != lines.front().rest;
      });
  for (ReportLine& line : lines) {
    const std::string& coloured = has_protocol ? line.protocol : line.name;
    types.emplace(coloured, drawing::line_type_at(types.size()));
    line.line_type = types[coloured];
    const std::string& dashed = by_rest ? line.rest : line.name;
    dashes.emplace(dashed, drawing::dash_at(dashes.size()));
    line.dash = dashes[dashed];
  }
}

/// Splits panels that have more than `most` lines.
std::vector<ReportPanel> split(std::vector<ReportPanel> panels, std::size_t most) {
  std::vector<ReportPanel> result;
  for (ReportPanel& panel : panels) {
    const std::size_t parts = (panel.lines.size() + most - 1) / most;
    for (std::size_t part = 0; part < parts; ++part) {
      ReportPanel& to = result.emplace_back(ReportPanel{panel.rest, panel.own_rest, {}});
      if (parts > 1)
        for (std::string* rest : {&to.rest, &to.own_rest})
          append_part(*rest, "part " + std::to_string(part + 1) + " of " + std::to_string(parts));
      const std::size_t end = std::min(panel.lines.size(), (part + 1) * most);
      for (std::size_t i = part * most; i < end; ++i) to.lines.push_back(std::move(panel.lines[i]));
    }
  }
  return result;
}

/// Makes a panel for each combination of the values other than the protocol.
std::vector<ReportPanel> by_rest(std::vector<ReportLine> lines) {
  std::vector<ReportPanel> panels;
  for (ReportLine& line : lines) {
    auto panel = std::find_if(panels.begin(), panels.end(),
                              [&](const ReportPanel& of) { return of.own_rest == line.own_rest; });
    if (panel == panels.end()) panel = panels.insert(panels.end(), {line.rest, line.own_rest, {}});
    line.name = line.protocol;
    line.dash = drawing::dash_at(panel->lines.size());
    panel->lines.push_back(std::move(line));
  }
  return panels;
}

/// The layout with this path along x; "" for nothing.
ReportLayout layout_over(const std::vector<store::SelectedPoint>& points, const std::string& x) {
  ReportLayout layout;
  layout.x = x;
  layout.x_is_numeric = x.empty() || is_numeric_axis(points, x);
  for (const std::string& path : store::swept_paths(points))
    if (path != "seed" && path != "study" && path != layout.x && count_values(points, path) > 1 &&
        (layout.x.empty() || !determines(points, layout.x, path)))
      layout.keys.push_back(path);
  std::stable_sort(
      layout.keys.begin(), layout.keys.end(),
      [](const std::string& a, const std::string& b) { return rank_of(a) < rank_of(b); });
  const auto protocol =
      std::find_if(layout.keys.begin(), layout.keys.end(),
                   [&](const std::string& path) { return !is_numeric_axis(points, path); });
  layout.has_protocol = protocol != layout.keys.end();
  if (layout.has_protocol) std::rotate(layout.keys.begin(), protocol, protocol + 1);
  return layout;
}

/// The place of each category along x, by the text of its cell.
std::map<std::string, double> places_of(const std::vector<store::SelectedPoint>& points,
                                        const ReportLayout& layout) {
  std::map<std::string, double> places;
  if (layout.x.empty() || layout.x_is_numeric) return places;
  for (const store::SelectedPoint& point : points)
    places.emplace(cell_of(point, layout.x), static_cast<double>(places.size() + 1));
  return places;
}

}  // namespace

bool is_numeric_axis(const std::vector<store::SelectedPoint>& points, const std::string& path) {
  return count_values(points, path) > 1 &&
         std::all_of(points.begin(), points.end(), [&](const store::SelectedPoint& point) {
           return json::number_of(store::cell_at(point, path)).has_value();
         });
}

bool has_several_values(const std::vector<store::SelectedPoint>& points, const std::string& path) {
  return count_values(points, path) > 1;
}

std::vector<std::string> categories_of(const std::vector<store::SelectedPoint>& points,
                                       const ReportLayout& layout) {
  std::vector<std::string> categories;
  if (layout.x.empty() || layout.x_is_numeric) return categories;
  std::set<std::string> known;
  for (const store::SelectedPoint& point : points)
    if (known.insert(cell_of(point, layout.x)).second)
      categories.push_back(store::words_at(point, layout.x));
  return categories;
}

ReportLayout layout_of(const std::vector<store::SelectedPoint>& points, bool faults_first,
                       const std::string& chosen_x) {
  const bool is_chosen = !chosen_x.empty() && has_several_values(points, chosen_x);
  ReportLayout layout = layout_over(points, is_chosen ? chosen_x : axis_of(points, faults_first));
  // No number is swept. Then the protocols are along x, and the values of all other keys are side
  // by side at each.
  const bool beside = layout.x.empty() && needed(points, layout.keys).size() > 1 &&
                      count_values(points, layout.keys.front()) <= kMostCategories;
  return beside ? layout_over(points, layout.keys.front()) : layout;
}

std::string protocol_path(const std::vector<store::SelectedPoint>& points) {
  const ReportLayout layout = layout_over(points, axis_of(points, false));
  return layout.has_protocol ? layout.keys.front() : "";
}

std::vector<std::string> competing_paths(const std::vector<store::SelectedPoint>& points) {
  const std::string protocol = protocol_path(points);
  if (protocol.empty()) return {};
  std::vector<std::string> paths = store::tied_paths(points, {protocol});
  paths.insert(paths.begin(), protocol);
  return paths;
}

std::vector<ReportPanel> panels_of(const std::vector<store::SelectedPoint>& points,
                                   const ReportLayout& layout) {
  const std::map<std::string, double> places = places_of(points, layout);
  const std::vector<std::string> named = needed(points, layout.keys);
  std::vector<std::string> paths = layout.keys;
  if (!layout.x.empty()) paths.push_back(layout.x);
  std::vector<ReportLine> lines;
  std::map<std::string, std::size_t> known;
  for (store::PointGroup& group : store::group_points(points, paths)) {
    const double x = layout.x.empty()      ? 0.0
                     : layout.x_is_numeric ? *json::number_of(group.key.back())
                                           : places.at(store::cell_text(group.key.back()));
    if (!layout.x.empty()) group.key.pop_back();
    const auto [place, is_new] = known.emplace(json::to_json(group.key), lines.size());
    if (is_new) lines.push_back(line_of(group, layout, named));
    lines[place->second].groups.emplace_back(x, std::move(group));
  }
  for (ReportLine& line : lines)
    std::stable_sort(line.groups.begin(), line.groups.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  choose_styles(lines, layout.has_protocol);
  if (layout.x.empty()) return split({{"", "", std::move(lines)}}, kMostPlaces);
  const bool one_chart = lines.size() <= kMostLines || !layout.has_protocol;
  return split(
      one_chart ? std::vector<ReportPanel>{{"", "", std::move(lines)}} : by_rest(std::move(lines)),
      kMostLines);
}

ArrangedPoints arranged(const std::vector<store::SelectedPoint>& points, bool faults_first,
                        const std::string& chosen_x, const Titles& titles) {
  ReportLayout layout = layout_of(points, faults_first, chosen_x);
  layout.titles = titles;
  auto categories = categories_of(points, layout);
  auto panels = panels_of(points, layout);
  return {std::move(layout), std::move(categories), std::move(panels)};
}

}  // namespace faultline::report
