// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "analysis/report/chart_layout.hpp"
#include "analysis/report/study_charts.hpp"
#include "analysis/report/study_page.hpp"
#include "tests/analysis/store/hand_made_store.hpp"

namespace faultline::report {

using Catch::Contains;

TEST_CASE("charts, tables and the page say which means are over runs that were cut off") {
  store::HandMadeStore store;
  store.add_runs(store::swept("cda", 16), {store::ended_run(0, engine::Outcome::terminated, 10),
                                           store::ended_run(1, engine::Outcome::limit, 14)});
  store.add(store::swept("hcda", 16), {20, 21});
  auto points = store.points();
  const auto curves = curves_of(arranged(points, false), "control_messages");
  const drawing::ChartPoint& point = curves.at(0).lines.at(0).points.at(0);
  CHECK(*point.y == 12);
  CHECK(point.bound == statistics::MeanBound::at_least);
  CHECK_FALSE(point.y_interval);
  CHECK(drawing::chart_rows(curves.at(0)).at(0).back() == "bound");
  CHECK(drawing::chart_rows(curves.at(0)).at(1).back() == "at-least");
  CHECK(drawing::chart_rows(curves.at(0)).at(2).back().empty());
  CHECK(curves.at(0).notes.back() ==
        "1 of 2 points has runs that were cut off at a limit: at least so much");
  CHECK(boxes_of(arranged(points, false), "control_messages").at(0).notes == curves.at(0).notes);
  drawing::HtmlPage page("report", "");
  for (const StudyReport& report :
       study_reports(std::move(points), {.store = "r", .conditions = {}, .metrics = {}}))
    add_study(page, report, "r", {});
  CHECK_THAT(page.text(), Contains("1 of 4 runs was cut off at a limit, which is no result") &&
                              Contains("1 cut off") && !Contains("broke a promise"));
}

}  // namespace faultline::report
