// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/study_page.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/report/chart_layout.hpp"
#include "analysis/report/study_charts.hpp"
#include "analysis/store/comparison.hpp"
#include "analysis/text/shell_words.hpp"
#include "tests/analysis/store/hand_made_store.hpp"

namespace faultline::report {

using Catch::Contains;

namespace {

std::vector<std::string> names_of(const std::vector<ReportLine>& lines) {
  std::vector<std::string> names;
  names.reserve(lines.size());
  for (const ReportLine& line : lines) names.push_back(line.name);
  return names;
}

std::vector<ReportPanel> panels_of(const std::vector<store::SelectedPoint>& points) {
  return panels_of(points, layout_of(points, false));
}

std::vector<std::string> stems_of(const std::vector<drawing::Chart>& charts) {
  std::vector<std::string> stems;
  stems.reserve(charts.size());
  for (const drawing::Chart& chart : charts) stems.push_back(chart.stem);
  return stems;
}

}  // namespace

TEST_CASE("curves have the mean and Student's interval of each point") {
  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {1, 2, 3});
  store.add(store::swept("hcda", 16), {5});
  store.add(store::swept("cda", 64), {7, 7, 7});
  const auto points = store.points();
  const auto charts = curves_of(arranged(points, false), "control_messages");
  REQUIRE(charts.size() == 1);
  REQUIRE(charts[0].lines.size() == 2);
  const drawing::ChartLine& cda = charts[0].lines[0];
  CHECK(cda.name == "cda");
  REQUIRE(cda.points.size() == 2);
  CHECK(cda.points[0].x == 16);
  CHECK(*cda.points[0].y == Approx(2));
  // t of 2 degrees of freedom is 4.30265, the deviation 1.
  CHECK(cda.points[0].y_interval->low == Approx(2 - 4.30265 / std::sqrt(3.0)));
  CHECK(cda.points[0].y_interval->high == Approx(2 + 4.30265 / std::sqrt(3.0)));
  CHECK(cda.points[1].x == 64);
  CHECK(*cda.points[1].y == 7);
  CHECK(charts[0].lines[1].name == "hcda");
  CHECK_FALSE(charts[0].lines[1].points[0].y_interval);
  CHECK(charts[0].x.name == "processes");
}

TEST_CASE("survival is the share of runs that end, with Clopper and Pearson's interval") {
  store::HandMadeStore store;
  store.add(store::swept("indep", 16), {1, 2, 3, -4});
  store.add(store::swept("indep", 64), {-1, -2});
  const auto points = store.points();
  CHECK(has_faults(points));
  const auto charts = survival_of(arranged(points, true));
  REQUIRE(charts.size() == 1);
  const auto& line = charts[0].lines.at(0).points;
  CHECK(*line.at(0).y == Approx(0.75));
  CHECK(line[0].runs == 4);
  // The 95 % interval of three in four in printed tables.
  CHECK(line[0].y_interval->low == Approx(0.194).margin(5e-4));
  CHECK(line[0].y_interval->high == Approx(0.994).margin(5e-4));
  CHECK(*line.at(1).y == 0);
  CHECK(line[1].y_interval->low == 0);

  const auto planes = planes_of(arranged(points, true), "control_messages");
  const drawing::ChartPoint& first = planes.at(0).lines.at(0).points.at(0);
  CHECK(first.x == Approx(2.5));
  CHECK(*first.y == Approx(0.75));
  CHECK(first.of == "16");
}

TEST_CASE("boxes have the quartiles of the replications") {
  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {1, 2, 3, 4, 100});
  const auto points = store.points();
  const statistics::Boxplot box =
      *boxes_of(arranged(points, false), "control_messages").at(0).lines.at(0).points.at(0).box;
  CHECK(box.quartile_1 == 2);
  CHECK(box.median == 3);
  CHECK(box.quartile_3 == 4);
  CHECK(box.whisker_high == 4);
  CHECK(box.max == 100);
}

TEST_CASE("the number with the most values is along x, and what it determines makes no lines") {
  store::HandMadeStore store;
  for (const int processes : {16, 64, 256})
    for (const int fanout : {2, 4})
      for (const char* protocol : {"cda", "hcda"}) {
        json::JsonValue::Object values = store::swept(protocol, processes);
        values.push_back({"workload.fanout", fanout});
        values.push_back({"workload.tokens", 10 * fanout});
        values.push_back({"platform.processes_per_node", processes / 16});
        store.add(values, {1});
      }
  const auto points = store.points();
  const ReportLayout layout = layout_of(points, false);
  CHECK(layout.x == "platform.processes");
  CHECK(layout.keys ==
        std::vector<std::string>{"termination", "workload.fanout", "workload.tokens"});
  CHECK(layout.has_protocol);
  const auto panels = panels_of(points);
  REQUIRE(panels.size() == 1);
  CHECK(names_of(panels[0].lines) == std::vector<std::string>{"cda, fanout 2", "hcda, fanout 2",
                                                              "cda, fanout 4", "hcda, fanout 4"});
  CHECK(panels[0].lines[0].line_type == panels[0].lines[2].line_type);
  CHECK(panels[0].lines[0].dash != panels[0].lines[2].dash);
}

TEST_CASE("survival is over a number of the faults, if one is swept") {
  store::HandMadeStore store;
  for (const int processes : {16, 64, 256})
    for (const int size : {2, 4}) {
      json::JsonValue::Object values = store::swept("cda", processes);
      values.push_back({"faults.counts.size", size});
      store.add(values, {1});
    }
  const auto points = store.points();
  CHECK(layout_of(points, false).x == "platform.processes");
  CHECK(layout_of(points, true).x == "faults.counts.size");
}

TEST_CASE("points that differ in their seed alone are one sample") {
  store::HandMadeStore store;
  for (const int seed : {1, 2}) {
    json::JsonValue::Object values = store::swept("cda", 16);
    values.push_back({"seed", seed});
    store.add(values, {1.0 * seed, 2.0 * seed}, seed);
  }
  const auto points = store.points();
  const auto charts = curves_of(arranged(points, false), "control_messages");
  REQUIRE(charts.at(0).lines.size() == 1);
  REQUIRE(charts[0].lines[0].points.size() == 1);
  CHECK(charts[0].lines[0].points[0].runs == 4);
  CHECK(*charts[0].lines[0].points[0].y == Approx(1.5 * 1.5));
}

TEST_CASE("more lines than a chart holds make a chart for each combination beside the protocol") {
  store::HandMadeStore store;
  for (const char* machine : {"mira", "cori", "nacl"})
    for (const char* protocol : {"cda", "hcda", "edod"})
      for (const int processes : {16, 64}) {
        json::JsonValue::Object values = store::swept(protocol, processes);
        values.push_back({"platform.machine", machine});
        store.add(values, {1});
      }
  const auto points = store.points();
  const auto panels = panels_of(points);
  REQUIRE(panels.size() == 3);
  CHECK(panels[1].rest == "machine cori");
  CHECK(names_of(panels[1].lines) == std::vector<std::string>{"cda", "hcda", "edod"});
  CHECK(panels[0].lines[2].line_type == panels[2].lines[2].line_type);
}

TEST_CASE("large studies are drawn in parts that can be read") {
  store::HandMadeStore store;
  for (int fanout = 1; fanout <= 19; ++fanout)
    for (int processes = 1; processes <= 51; ++processes)
      store.add({{"platform.processes", processes}, {"workload.fanout", fanout}}, {1});
  const auto points = store.points();
  const auto panels = panels_of(points);
  REQUIRE(panels.size() == 3);
  CHECK(panels[0].rest == "part 1 of 3");
  CHECK(panels[0].lines.size() == 8);
  CHECK(panels[2].lines.size() == 3);
  const auto reports =
      study_reports(points, {.store = "r", .conditions = {}, .metrics = {"control_messages"}});
  CHECK(reports.at(0).curves.size() == 3);
  CHECK(reports[0].boxes.size() == 1);
  CHECK(drawing::chart_table(reports[0].curves[0]).rows.size() == 8 * 51 / 2);
  const auto many = curves_of(arranged(points, false), "control_messages");
  CHECK_THAT(drawing::chart_script(many[0]), !Contains("vectors"));
  CHECK_THAT(drawing::chart_script(many[2]), Contains("vectors"));
}

TEST_CASE("without a swept number each line has a place of its own") {
  store::HandMadeStore store;
  store.add({{"termination", json::json_object({{"name", "cda"}, {"initial_credit", 4}})}}, {1});
  store.add({{"termination", json::json_object({{"name", "cda"}})}}, {2});
  const auto points = store.points();
  const auto charts = curves_of(arranged(points, false), "control_messages");
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].x.names_lines);
  CHECK(charts[0].lines[0].name == "cda, initial_credit 4");
  CHECK(charts[0].lines[1].name == "cda");
  CHECK(charts[0].lines[0].line_type != charts[0].lines[1].line_type);
  CHECK_THAT(drawing::chart_script(charts[0]),
             Contains("\n:cda, initial_credit 4\n:cda\n") && Contains("\n1,1\n2,2\n"));
}

TEST_CASE("panels of one metric share their axes, and are named by what they show") {
  store::HandMadeStore store;
  double messages = 1;
  for (const char* machine : {"Mira", "mira", "../\u6f22 x"})
    for (const char* protocol : {"cda", "hcda", "edod"})
      for (const int processes : {16, 64}) {
        json::JsonValue::Object values = store::swept(protocol, processes);
        values.push_back({"platform.machine", machine});
        store.add(values, {messages *= 2});
      }
  const auto reports = study_reports(
      store.points(), {.store = "r", .conditions = {}, .metrics = {"control_messages"}});
  const auto& curves = reports.at(0).curves;
  CHECK(stems_of(curves) == std::vector<std::string>{"mean-control-messages-machine-mira",
                                                     "mean-control-messages-machine-mira-2",
                                                     "mean-control-messages-machine-x"});
  for (const drawing::Chart& chart : curves) {
    CHECK(chart.y.range->low < 2);
    CHECK(chart.y.range->high > messages);
    CHECK(chart.y.logarithmic);
    CHECK(chart.x.tics == curves[0].x.tics);
  }
  const drawing::Chart& third = curves.at(2);
  CHECK(third.panel == "machine ../\u6f22 x");
  CHECK_THAT(drawing::chart_script(third), Contains("\n:machine ../\u6f22 x\n"));
}

TEST_CASE("names of files are short, and never the same") {
  store::HandMadeStore store;
  const std::string machine(300, 'm');
  for (const char* end : {"a", "b"})
    for (int protocol = 0; protocol < 5; ++protocol)
      for (const int processes : {16, 64}) {
        json::JsonValue::Object values = store::swept("p" + std::to_string(protocol), processes);
        values.push_back({"platform.machine", machine + end});
        store.add(values, {1});
      }
  const auto reports = study_reports(
      store.points(), {.store = "r", .conditions = {}, .metrics = {"control_messages"}});
  const auto stems = stems_of(reports.at(0).curves);
  REQUIRE(stems.size() == 2);
  CHECK(stems[0] != stems[1]);
  CHECK(stems[1] == stems[0] + "-2");
  CHECK(stems[0].size() < 100);
}

TEST_CASE("the reader chooses what is along x") {
  store::HandMadeStore store;
  for (const char* protocol : {"hcda", "cda"})
    for (const int processes : {16, 64, 256})
      for (const int fanout : {2, 4}) {
        json::JsonValue::Object values = store::swept(protocol, processes);
        values.push_back({"workload.fanout", fanout});
        store.add(values, {1.0 * fanout});
      }
  const auto points = store.points();
  const auto by_fanout = curves_of(arranged(points, false, "workload.fanout"), "control_messages");
  CHECK(by_fanout.at(0).x.name == "fanout");
  CHECK(by_fanout[0].lines.size() == 6);
  CHECK(by_fanout[0].lines[0].points.size() == 2);
  const drawing::Chart by_protocol =
      curves_of(arranged(points, false, "termination"), "control_messages").at(0);
  CHECK(by_protocol.x.categories == std::vector<std::string>{"hcda", "cda"});
  REQUIRE(by_protocol.lines.size() == 6);
  CHECK(by_protocol.lines[0].name == "processes 16, fanout 2");
  CHECK(by_protocol.lines[0].points.at(1).x == 2);
  CHECK(drawing::chart_rows(by_protocol).at(2) ==
        std::vector<std::string>{"processes 16, fanout 2", "cda", "1", "2", "", ""});
  const auto with_axis = [&](const std::string& x) {
    return study_reports(store.points(), {.store = "r", .conditions = {}, .metrics = {}, .x = x});
  };
  CHECK_THAT(with_axis("workload.fanout").at(0).curves.at(0).command,
             Contains("--group-by termination,platform.processes,workload.fanout"));
  CHECK_THROWS_WITH(with_axis("workload.fanot"), Contains("did you mean \"workload.fanout\""));
  CHECK_THROWS_WITH(with_axis("faults.counts"), Contains("--x: \"faults.counts\" has the same"));
}

TEST_CASE("without a swept number protocols stand beside each other, the rest side by side") {
  store::HandMadeStore store;
  for (const int fanout : {4, 8})
    for (const char* protocol : {"cda", "hcda"})
      store.add({{"termination", json::json_object({{"name", protocol}})},
                 {"workload", json::json_object({{"name", "flood"}, {"fanout", fanout}})}},
                {1});
  const auto points = store.points();
  const drawing::Chart chart = curves_of(arranged(points, false), "control_messages").at(0);
  CHECK(chart.x.categories == std::vector<std::string>{"cda", "hcda"});
  REQUIRE(chart.lines.size() == 2);
  CHECK(chart.lines[0].name == "flood, fanout 4");
  CHECK(protocol_path(points) == "termination");
}

TEST_CASE("stacks compete before any protocol") {
  store::HandMadeStore store;
  for (const char* protocol : {"cda", "hcda"})
    for (const char* stack : {"swim + causal", "<oracle>"})
      for (const int processes : {16, 64}) {
        json::JsonValue::Object values = store::swept(protocol, processes);
        values.push_back({"stacks", stack});
        store.add(values, {1, 2, 4});
      }
  const auto points = store.points();
  const ReportLayout layout = layout_of(points, false);
  CHECK(layout.x == "platform.processes");
  CHECK(layout.keys == std::vector<std::string>{"stacks", "termination"});
  CHECK(competing_paths(points) == std::vector<std::string>{"stacks"});
  CHECK(names_of(panels_of(points).at(0).lines) ==
        std::vector<std::string>{"swim + causal, cda", "<oracle>, cda", "swim + causal, hcda",
                                 "<oracle>, hcda"});
  const auto reports =
      study_reports(points, {.store = "r", .conditions = {}, .metrics = {"control_messages"}});
  drawing::HtmlPage page("t", "a");
  add_study(page, reports.at(0), "r", {});
  CHECK_THAT(page.text(), Contains("Which stack wins where") && Contains("The stacks") &&
                              Contains("&lt;oracle&gt;") && !Contains("<oracle>"));
}

TEST_CASE("families that advance together compete together") {
  store::HandMadeStore store;
  for (const int processes : {16, 64})
    for (const char* protocol : {"indep", "rel-eager"}) {
      json::JsonValue::Object values = store::swept(protocol, processes);
      const bool first = protocol[0] == 'i';
      values.push_back(
          {"failure_detection", json::json_object({{"name", first ? "oracle" : "rdaemon"}})});
      store.add(values, {first ? 1.0 : 2.0, 2});
    }
  const auto points = store.points();
  CHECK(competing_paths(points) == std::vector<std::string>{"termination", "failure_detection"});
  CHECK(competing_paths({points.front()}).empty());
}

TEST_CASE("a chart says which points have no value, and why") {
  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {1});
  store.add(store::swept("cda", 64), {1});
  store.add(store::swept("hcda", 16), {-3, -4});
  store.add(store::swept("hcda", 64), {1});
  const auto points = store.points();
  CHECK(curves_of(arranged(points, false), "control_messages").at(0).notes.empty());
  CHECK(curves_of(arranged(points, false), "detection_latency_s").at(0).notes ==
        std::vector<std::string>{"1 of 4 points has no value, of hcda", "runs: 2 fatal-reported"});
  CHECK(curves_of(arranged(points, false), "borrows").at(0).notes ==
        std::vector<std::string>{"4 of 4 points have no value, of cda and hcda",
                                 "runs: 2 fatal-reported, 3 terminated"});
  CHECK(survival_of(arranged(points, true)).at(0).notes.empty());
}

TEST_CASE("values beyond the whiskers are drawn, each once") {
  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {1, 2, 3, 4, 100, 100, 3, 2});
  store.add(store::swept("cda", 64), {1, 2, 3});
  const drawing::Chart chart = boxes_of(arranged(store.points(), false), "control_messages").at(0);
  CHECK(chart.lines.at(0).points.at(0).outliers == std::vector<double>{100});
  CHECK_THAT(drawing::chart_script(chart),
             Contains("$outliers << END_OF_NUMBERS\n1,100\nEND_OF_NUMBERS\n") &&
                 Contains("$outliers every ::0::0 using"));
  CHECK(chart.x.categories == std::vector<std::string>{"16", "64"});
  CHECK(drawing::chart_rows(chart).at(2).at(1) == "64");
}

TEST_CASE("components are named in words everywhere on the page") {
  store::HandMadeStore store;
  for (const int leaders : {1, 5})
    for (const int processes : {16, 64})
      store.add({{"termination", json::json_object({{"name", "venkatesan"}, {"leaders", leaders}})},
                 {"platform.processes", processes}},
                {1.0 * leaders, leaders == 1 ? -2.0 : 2.0});
  const auto reports = study_reports(
      store.points(), {.store = "r", .conditions = {}, .metrics = {"control_messages"}});
  drawing::HtmlPage page("t", "a");
  add_study(page, reports.at(0), "r", {});
  const std::string text = page.text();
  CHECK_THAT(text, Contains("venkatesan, leaders 5") && !Contains("&quot;leaders&quot;:"));
}

TEST_CASE("the page says why runs were fatal, of the study and of each protocol") {
  const auto page_of = [](store::HandMadeStore& store) {
    const auto reports = study_reports(
        store.points(), {.store = "r", .conditions = {}, .metrics = {"control_messages"}});
    drawing::HtmlPage page("t", "a");
    add_study(page, reports.at(0), "r", {});
    return page.text();
  };
  store::HandMadeStore store;
  store.add(store::swept("indep", 16), {1, -2, -3});
  store.add(store::swept("indep", 64), {1, 2, -3});
  store.add(store::swept("rel-eager", 16), {1, 2, 3});
  const std::string text = page_of(store);
  CHECK_THAT(text, !Contains("<root>"));
  const std::string told = "3 fatal-reported: 3 the &lt;root&gt; has failed";
  CHECK(text.find(told) != text.rfind(told));
  const std::size_t begin = text.find("Why runs were fatal");
  REQUIRE(begin != std::string::npos);
  const std::string table = text.substr(begin, text.find("</table>", begin) - begin);
  CHECK_THAT(table, Contains("indep") && Contains(told) && !Contains("rel-eager"));
  store::HandMadeStore survived;
  survived.add(store::swept("indep", 16), {1, 2});
  survived.add(store::swept("rel-eager", 16), {1, 2});
  CHECK_THAT(page_of(survived), !Contains("why fatal") && !Contains("were fatal"));
}

TEST_CASE("metrics that no run has are not drawn, and unknown ones are refused") {
  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {1, 2});
  const auto reports = study_reports(
      store.points(), {.store = "r.sqlite", .conditions = {}, .metrics = {"borrows"}});
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].curves.empty());
  CHECK(reports[0].boxes.empty());
  CHECK_THROWS_WITH(
      study_reports(store.points(), {.store = "r", .conditions = {}, .metrics = {"borows"}}),
      Contains("did you mean \"borrows\""));
}

TEST_CASE("text appears in HTML and shells unchanged, and hidden characters as numbers") {
  CHECK(drawing::escaped("<a & \"b\">\x01\u202e") == "&lt;a &amp; &quot;b&quot;&gt;\\x01\\u202e");
  CHECK(text::shell_word("it's\n\x1b\\") == R"($'it\'s\012\033\\')");
  CHECK(text::shell_line({"faultline", "query", "my r.sqlite", "--where", "a == 'b'"}) ==
        R"(faultline query 'my r.sqlite' --where 'a == '\''b'\''')");
}

}  // namespace faultline::report
