// SPDX-License-Identifier: Apache-2.0

// Figures of series: what their CSV holds, and how they are drawn.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/reproduction/figure.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/json/json_value.hpp"
#include "tests/analysis/reproduction/walk_item.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

/// Adds a series of one protocol with a sample of each metric at each place.
void add_series(ItemResult& result, const std::string& name,
                const std::vector<std::string>& metrics, const std::vector<double>& places,
                const std::vector<double>& sample) {
  SeriesMeasure series;
  series.over = "transactions.helpers";
  series.metrics = metrics;
  result.item.curves.push_back(result.item.measures.size());
  result.item.measures.push_back({name, series});
  std::vector<SeriesPoint> points;
  for (const double at : places) {
    SeriesPoint& point = points.emplace_back();
    point.at = at;
    point.detectors = {"fampi"};
    for (const std::string& metric : metrics) point.samples["fampi"][metric] = sample;
  }
  result.measured.push_back({{}, points, "", false});
}

std::string script_of(const ItemResult& result) {
  const FigurePanels panels = figure_panels(result);
  return drawing::panels_script("figure", panels.charts, panels.columns);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("a series that is drawn relative to a detector has ratios of means") {
  ItemResult result;
  SeriesMeasure series;
  series.over = "platform.processes";
  series.metrics = {"announce_time_s"};
  series.drawn_relative_to = "dijkstra-scholten";
  result.item.measures.push_back({"m", series});
  result.item.curves = {0};
  SeriesPoint point{8, {}};
  point.samples["indep"] = {{"announce_time_s", {3, 4, 5}}};
  point.samples["dijkstra-scholten"] = {{"announce_time_s", {1, 2, 3}}};
  point.detectors = {"dijkstra-scholten", "indep"};
  result.measured.push_back({{}, {point}, "", false});
  const statistics::Estimate ratio = statistics::estimate_ratio_of_means({3, 4, 5}, {1, 2, 3});
  CHECK(text::csv_records(figure_rows(result)) ==
        "series,metric,detector,processes,runs,ratio,low_99,high_99\n"
        "m,announce_time_s,indep,8,3,2," +
            json::shortest(ratio.confidence_99->low) + "," +
            json::shortest(ratio.confidence_99->high) + "\n");
  const std::string script = script_of(result);
  // The colour of the second detector, though the first one is not drawn.
  CHECK_THAT(script, Contains("vectors heads size screen 0.00833,90 lt 2 notitle") &&
                         Contains("with points lt 2 title") && Contains("plot 1 with lines") &&
                         Contains("\n:announce time relative to DIJKSTRA-SCHOLTEN\n") &&
                         !Contains("candlesticks"));
}

TEST_CASE("a figure shows times in the unit that is easiest to read, and its CSV in seconds") {
  ItemResult result;
  SeriesMeasure series;
  series.over = "platform.processes";
  series.metrics = {"announce_time_s"};
  result.item.measures.push_back({"m", series});
  result.item.curves = {0};
  SeriesPoint point{8, {}};
  point.samples["indep"] = {{"announce_time_s", {0.002, 0.004}}};
  point.detectors = {"indep"};
  result.measured.push_back({{}, {point}, "", false});
  const FigureRows rows = figure_rows(result);
  CHECK(rows.at(1).at(5) == "0.002");
  const std::string script = script_of(result);
  CHECK_THAT(script, Contains("\n:announce time [ms]\n") && Contains("set yrange [1.9:4.1]") &&
                         Contains(":($6*1000):($5*1000):($9*1000):($8*1000):(0.36") &&
                         Contains(":($7*1000) with lines"));
  // Panels of one metric have one unit.
  result.item.measures.push_back({"n", series});
  result.item.curves = {0, 1};
  point.samples["indep"] = {{"announce_time_s", {2.0, 4.0}}};
  result.measured.push_back({{}, {point}, "", false});
  const std::string both = script_of(result);
  CHECK_THAT(both, Contains("\n:announce time [s]\n") && !Contains("[ms]"));
}

TEST_CASE("five metrics that spread one over the ranks are drawn as one box") {
  ItemResult result;
  SeriesMeasure series;
  series.over = "platform.processes";
  series.metrics = {"share_min",        "share_quartile_1", "share_median",
                    "share_quartile_3", "share_max",        "lone_min"};
  result.item.measures.push_back({"m", series});
  result.item.curves = {0};
  SeriesPoint point{8, {}};
  point.samples["indep"] = {{"share_min", {0.0, 0.25}},   {"share_quartile_1", {0.25, 0.5}},
                            {"share_median", {0.5, 0.5}}, {"share_quartile_3", {0.5, 0.75}},
                            {"share_max", {0.875, 1.0}},  {"lone_min", {3.0, 5.0}}};
  point.detectors = {"indep"};
  result.measured.push_back({{}, {point}, "", false});
  const std::string csv = text::csv_records(figure_rows(result));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
  CHECK_THAT(csv, Contains("m,share,indep,8,2,0.125,0.125,0.375,0.5,0.625,0.9375,0.9375,\n"));
  CHECK_THAT(csv, Contains("m,lone_min,indep,8,2,3,"));
  const std::string script = script_of(result);
  CHECK_THAT(script, Contains("set multiplot layout 1,2"));
  CHECK_THAT(script, Contains("1,8,0,0.125,0.125,0.375,0.5,0.625,0.9375,0.9375,0.5\n"));
}

TEST_CASE("overlaid series share a panel for each metric, and are named after themselves") {
  ItemResult result;
  add_series(result, "a heap", {"control_messages", "waits"}, {64, 128, 256}, {1, 2});
  add_series(result, "a star", {"control_messages"}, {64, 128, 256}, {3, 4});
  CHECK(count_of(script_of(result), "\nplot ") == 3);  // two metrics and one
  result.item.overlaid = true;
  const std::string script = script_of(result);
  CHECK(count_of(script, "\nplot ") == 2);
  CHECK_THAT(script, Contains("set multiplot layout 1,2") && Contains("\n:a heap\n") &&
                         Contains("\n:a star\n") && !Contains(":FAMPI"));
  CHECK(count_of(script, "candlesticks whiskerbars") == 3);
  CHECK_THAT(script, Contains("solid 0.3 lt 1 title") && Contains("solid 0.3 lt 2 title"));
}

TEST_CASE("an axis that begins at 0 is linear, and one in geometric progression logarithmic") {
  ItemResult result;
  add_series(result, "m", {"waits"}, {0, 2, 4}, {1, 2});
  CHECK_THAT(script_of(result), !Contains("logscale x") && Contains("set xrange [-1.2:5.2]"));
  ItemResult doubling;
  add_series(doubling, "m", {"waits"}, {2, 4, 8}, {1, 2});
  CHECK_THAT(script_of(doubling), Contains("logscale x"));
}

TEST_CASE("single runs are drawn as lines, since they have no spread") {
  ItemResult result;
  add_series(result, "m", {"waits"}, {2, 4, 8}, {5});
  CHECK_THAT(script_of(result), Contains("linespoints") && !Contains("candlesticks"));
}

TEST_CASE("a figure of a series has one line for each box, and draws each where it belongs") {
  const ItemResult result =
      reproduce_item(walk_item(R"({"cell": "a", "metric": "control_messages"})", kWalkSeries), {});
  const std::string csv = text::csv_records(figure_rows(result));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 3 * 2 * 2);
  const auto& sample = result.measured[0].points[1].samples.at("hcda").at("control_messages");
  const statistics::Boxplot box = statistics::boxplot(sample);
  const std::string line = "m,control_messages,hcda,8,4," + json::shortest(box.min) + "," +
                           json::shortest(box.whisker_low) + "," + json::shortest(box.quartile_1) +
                           "," + json::shortest(box.median) + "," + json::shortest(box.quartile_3) +
                           "," + json::shortest(box.whisker_high) + "," + json::shortest(box.max) +
                           "," + json::shortest(*statistics::summarize(sample).mean) + "\n";
  CHECK_THAT(csv, Contains(line));
  CHECK_THAT(csv, Contains("series,metric,detector,processes,runs,min,"));
  const FigurePanels panels = figure_panels(result);
  CHECK(panels.columns == 2);
  REQUIRE(panels.charts.size() == 2);
  CHECK(panels.charts[0].lines.at(1).points.at(1).box->median == box.median);
  CHECK(panels.charts[0].lines.at(1).name == "HCDA");
  CHECK(panels.charts[0].x.tics.back() == std::pair<std::string, double>{"16", 16});
}

TEST_CASE("detectors are drawn in the order and colours in which their scenario names them") {
  std::string walk = walk_text(R"({"cell": "a", "metric": "control_messages"})", kWalkSeries);
  const std::string listed = R"([{"name": "cda"}, {"name": "hcda"}])";
  REQUIRE(walk.find(listed) != std::string::npos);
  walk.replace(walk.find(listed), listed.size(), R"([{"name": "hcda"}, {"name": "cda"}])");
  const ItemResult result = reproduce_item(item_from(walk), {});
  CHECK(result.measured.at(0).points.at(0).detectors == std::vector<std::string>{"hcda", "cda"});
  const std::vector<drawing::ChartLine> lines = figure_panels(result).charts.at(0).lines;
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].name == "HCDA");
  CHECK(lines[0].line_type == 1);
  CHECK(lines[1].name == "CDA");
  CHECK(lines[1].line_type == 2);
  CHECK(lines[1].dash == 2);
}

}  // namespace faultline::reproduction
