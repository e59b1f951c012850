// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/same_everywhere.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/study_page.hpp"
#include "tests/analysis/store/hand_made_store.hpp"

namespace faultline::report {

using Catch::Contains;

TEST_CASE("a metric is the same everywhere if all runs that have it agree but for rounding") {
  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {7, 7, -7});
  store.add(store::swept("cda", 64), {7, 7 * (1 + 1e-12)});
  const auto points = store.points();
  const auto messages = same_value(points, "control_messages");
  REQUIRE(messages);
  CHECK(messages->value == 7);
  CHECK(messages->runs == 5);
  const auto latency = same_value(points, "detection_latency_s");
  REQUIRE(latency);
  CHECK(latency->runs == 4);  // the run that gave up has none
  CHECK_FALSE(same_value(points, "borrows"));
  store.add(store::swept("cda", 256), {7.001});
  CHECK_FALSE(same_value(store.points(), "control_messages"));
}

TEST_CASE("a value of a run that was cut off is no value that all have") {
  store::HandMadeStore store;
  store.add_runs(store::swept("cda", 16), {store::ended_run(0, engine::Outcome::terminated, 7),
                                           store::ended_run(1, engine::Outcome::limit, 7)});
  CHECK_FALSE(same_value(store.points(), "control_messages"));
}

TEST_CASE("what is the same is told in one sentence for each number of runs") {
  const std::vector<SameValue> same = {
      {"end_time_s", 0.04, 72}, {"rejoins", 0, 48}, {"false_reports", 0, 72}};
  CHECK(same_values_words(same, 72, {}) ==
        "In all 72 runs <code>end_time_s</code> is 40 ms, <code>false_reports</code> is 0. "
        "In the 48 runs that have it, <code>rejoins</code> is 0.");
  CHECK(same_values_words(same, 72, {{"rejoins", "<back>"}}).find("<back>") == std::string::npos);
  CHECK(same_values_words({}, 72, {}).empty());
}

TEST_CASE("that all runs completed, or none, is a sentence with what the intervals show") {
  store::HandMadeStore all;
  all.add(store::swept("indep", 16), {1, 2, 3});
  all.add(store::swept("indep", 64), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  // Clopper and Pearson: three of three show at least 0.025^(1/3) = 0.2924.
  CHECK(same_completion_words(all.points()) ==
        "All 13 runs completed: at least 0.2924 of the runs of each point do, by exact 95 % "
        "intervals.");
  store::HandMadeStore none;
  none.add(store::swept("indep", 16), {-1, -2, -3});
  CHECK_THAT(same_completion_words(none.points()),
             Contains("None of the 3 runs completed: at most 0.7076"));
  none.add(store::swept("indep", 64), {1});
  CHECK(same_completion_words(none.points()).empty());
}

namespace {

std::vector<StudyReport> reports_of(store::HandMadeStore& store,
                                    const std::vector<std::string>& metrics) {
  return study_reports(store.points(), {.store = "r", .conditions = {}, .metrics = metrics});
}

}  // namespace

TEST_CASE("a report has no charts of what is the same everywhere, unless the reader chose it") {
  store::HandMadeStore store;
  store.add(store::swept("cda", 16), {1, 2, 3});
  store.add(store::swept("hcda", 16), {4, 5, 6});
  const StudyReport report = reports_of(store, {}).at(0);
  CHECK(report.metrics == std::vector<std::string>{"control_messages"});
  REQUIRE(report.same.size() == 1);
  CHECK(report.same[0].metric == "detection_latency_s");
  CHECK(report.curves.size() == 1);
  CHECK(report.survival.empty());
  drawing::HtmlPage page("t", "a");
  add_study(page, report, "r", {});
  CHECK_THAT(page.text(), Contains("In all 6 runs <code>detection_latency_s</code> is 500 ms.") &&
                              Contains("All 6 runs completed") &&
                              !Contains("--metric detection_latency_s"));
  const StudyReport chosen = reports_of(store, {"detection_latency_s"}).at(0);
  CHECK(chosen.same.empty());
  CHECK(chosen.curves.size() == 1);
}

}  // namespace faultline::report
