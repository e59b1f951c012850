// SPDX-License-Identifier: Apache-2.0

// Titles of the reader, on charts and pages.

#include "analysis/report/titles.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/report/chart_layout.hpp"
#include "analysis/report/study_charts.hpp"
#include "analysis/report/study_page.hpp"
#include "sim/core/error.hpp"
#include "tests/analysis/store/hand_made_store.hpp"

namespace faultline::report {

using Catch::Contains;

TEST_CASE("titles stand on axes, in keys and headings, and names of columns and files stay") {
  store::HandMadeStore store;
  for (const char* protocol : {"cda", "hcda"})
    for (const int processes : {16, 64, 256, 512, 1024, 2048})
      for (const int fanout : {2, 4, 8, 16, 32}) {
        json::JsonValue::Object values = store::swept(protocol, processes);
        values.push_back({"workload.fanout", fanout});
        store.add(values, {1.0 * fanout, -2.0});
      }
  const auto points = store.points();
  const Titles titles = read_titles({"platform.processes=ranks", "workload.fanout=<children> = N",
                                     "control_messages=messages",
                                     "detection_latency_s=time to detect", "termination=detector"});
  const ArrangedPoints usual = arranged(points, false);
  const ArrangedPoints titled = arranged(points, false, {}, titles);
  const drawing::Chart messages = curves_of(titled, "control_messages").at(1);
  CHECK(messages.x.title == "ranks");
  CHECK(messages.y.title == "messages");
  CHECK(messages.title == "Messages, <children> = N 4");
  CHECK(messages.panel == "<children> = N 4");
  CHECK(messages.stem == "mean-control-messages-fanout-4");
  CHECK(drawing::chart_table(messages).columns ==
        std::vector<std::string>{"line", "ranks", "runs", "messages", "low", "high"});
  CHECK(drawing::chart_rows(messages).at(0) ==
        std::vector<std::string>{"line", "processes", "runs", "control_messages", "low", "high"});
  const drawing::Chart latency = curves_of(titled, "detection_latency_s").at(0);
  const std::string own_title = curves_of(usual, "detection_latency_s").at(0).y.title;
  const std::string unit = own_title.substr(own_title.find(" ["));
  CHECK(latency.y.title == "time to detect" + unit);
  CHECK(latency.title == "Time to detect, <children> = N 2");
  CHECK(drawing::chart_table(latency).columns.at(3) == "time to detect [s]");
  CHECK(drawing::chart_table(boxes_of(titled, "control_messages").at(0)).columns.at(1) == "ranks");
  const drawing::Chart plane = planes_of(titled, "control_messages").at(0);
  CHECK(plane.x.title == "messages");
  CHECK(drawing::chart_table(plane).columns ==
        std::vector<std::string>{"line", "ranks", "runs", "messages", "messages, low",
                                 "messages, high", "survived", "low", "high"});
  CHECK(drawing::chart_rows(plane).at(0).at(1) == "processes");

  const auto reports = study_reports(
      store.points(),
      {.store = "r", .conditions = {}, .metrics = {"control_messages"}, .titles = titles});
  drawing::HtmlPage page("t", "a");
  add_study(page, reports.at(0), "r", {});
  CHECK_THAT(page.text(), Contains("Which detector wins where") &&
                              Contains("Paired differences of messages") &&
                              Contains("&lt;children&gt; = N") && !Contains("<children>"));
}

TEST_CASE("the axis of a time names its unit, whatever its title") {
  store::HandMadeStore store;
  for (const double mtbf_s : {0.001, 0.002, 0.004})
    store.add({{"faults.poisson.mtbf_s", mtbf_s}}, {1, -2});
  const auto points = store.points();
  const std::string unit = std::string(" [") + text::time_unit(0.004).word + "]";
  const auto title_of = [&](const std::string& title) {
    const Titles titles = {{"faults.poisson.mtbf_s", title}};
    return survival_of(arranged(points, true, {}, title.empty() ? Titles() : titles)).at(0).x.title;
  };
  CHECK(unit != " [s]");
  CHECK(title_of("") == "faults.poisson.mtbf" + unit);
  CHECK(title_of("time between faults") == "time between faults" + unit);
  CHECK(title_of("time between faults [s]") == "time between faults" + unit);
}

TEST_CASE("a drawing grows with long titles of its axes") {
  drawing::Chart chart;
  chart.x.title = "processes";
  chart.y.title = "control messages";
  const drawing::Canvas usual = drawing::canvas_of(chart);
  chart.x.title = std::string(90, 'x');
  CHECK(drawing::canvas_of(chart).width > usual.width);
  CHECK(drawing::canvas_of(chart).height == usual.height);
  chart.y.title = std::string(90, 'y');
  CHECK(drawing::canvas_of(chart).height > usual.height);
  chart.y.title = std::string(100000, 'y');
  CHECK(drawing::canvas_of(chart).height < 2000);
}

TEST_CASE("titles that cannot be shown, or are of nothing, are refused") {
  const auto title = [](const std::string& text) { return read_titles({text}); };
  CHECK(title("a.b=c = d").at("a.b") == "c = d");
  for (const char* text : {"a.b", "=c", ""})
    CHECK_THROWS_WITH(title(text), Contains("expected PATH=TEXT"));
  CHECK_THROWS_WITH(title("a.b= "), Contains("expected a text after \"a.b=\""));
  for (const char* text : {"a.b=\x1b[1m", "a.b=c\nd", "a.b=\xff", "a.b=\u202e"})
    CHECK_THROWS_WITH(title(text), Contains("without control characters"));
  CHECK_THROWS_WITH(read_titles({"a=b", "c=d", "a=b"}), Contains("\"a\" has two titles"));

  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {1});
  store.add(store::swept("cda", 64), {1});
  const auto with_title = [&](const std::string& name, const std::string& x) {
    return study_reports(
        store.points(),
        {.store = "r", .conditions = {}, .metrics = {}, .x = x, .titles = {{name, "text"}}});
  };
  CHECK(with_title("platform.processes", "platform.processes").size() == 1);
  CHECK(with_title("borrows", "").size() == 1);
  CHECK_THROWS_WITH(with_title("platform.proceses", ""),
                    Contains("did you mean \"platform.processes\""));
  CHECK_THROWS_WITH(with_title("platform.machine", ""), Contains("neither swept in the store"));
}

}  // namespace faultline::report
