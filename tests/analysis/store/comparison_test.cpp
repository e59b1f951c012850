// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/comparison.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/store/query.hpp"
#include "tests/analysis/store/hand_made_store.hpp"

namespace faultline::store {

using Catch::Contains;

TEST_CASE("a comparison names components in words, and its rows as they are stored") {
  HandMadeStore store;
  for (const int leaders : {1, 5})
    store.add({{"termination", json::json_object({{"name", "venkatesan"}, {"leaders", leaders}})}},
              {1.0 * leaders, 2.0 * leaders, 2.5 * leaders});
  const auto points = store.points();
  const ComparisonSettings settings{.by = "termination", .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  const auto first_of = [](const Row& row) { return text::csv_field(row.at(0).value); };
  CHECK(first_of(comparison_rows(comparison).at(0)) == R"({"name":"venkatesan","leaders":1})");
  CHECK(first_of(comparison_rows(comparison, ValuesAs::words).at(0)) == "venkatesan, leaders 1");
  const std::string table = comparison_table(comparison, settings);
  CHECK_THAT(table, Contains("venkatesan,  venkatesan,\n"));
  CHECK_THAT(table, Contains("leaders 1    leaders 5\n") && !Contains("{"));
}

TEST_CASE("a truth value counts as 1 and 0") {
  HandMadeStore store;
  store.add(swept("indep", 16), {1, -1, -1, 1});
  const auto points = store.points();
  const auto groups = group_points(points, {"platform.processes"});
  CHECK(*summarize(groups.at(0), "terminated").mean == 0.5);
  const auto names = metric_names(points);
  CHECK(std::find(names.begin(), names.end(), "terminated") != names.end());
  CHECK(run_rows(points).at(0).size() == run_rows(points).at(3).size());
}

TEST_CASE("shares have exact intervals, in a group as of one point") {
  HandMadeStore store;
  const std::vector<double> all_but_one = {1, 1, 1, 1, 1, 1, 1, 1, 1, -1};
  store.add(swept("indep", 16), all_but_one, 1);
  store.add(swept("indep", 16), all_but_one, 2);
  store.add(swept("indep", 64), std::vector<double>(10, 1), 1);
  const auto points = store.points();
  const auto by_size = group_points(points, {"platform.processes"});
  // Points of different seeds are independent: 18 of 20 runs, and 0.683 and 0.988 in tables.
  const statistics::Summary pooled = summarize(by_size.at(0), "terminated");
  CHECK(pooled.is_share);
  CHECK(*pooled.mean == 0.9);
  CHECK(pooled.confidence_95->low == Approx(0.683).margin(5e-4));
  CHECK(pooled.confidence_95->high == Approx(0.988).margin(5e-4));
  // Points of one seed are not; a replication counts once, and its share lies between 0 and 1.
  const auto all = group_points(points, {"termination.name"});
  const statistics::Summary mixed = summarize(all.at(0), "terminated");
  CHECK(mixed.count == 20);
  CHECK(*mixed.mean == Approx(0.925));
  CHECK(mixed.confidence_95->low < 0.925);
  CHECK(mixed.confidence_95->high > 0.925);
  CHECK(mixed.confidence_95->high < 1.0);
  CHECK(*summarize(by_size.at(1), "terminated").mean == 1.0);
  CHECK(summarize(by_size.at(1), "terminated").confidence_95->low < 0.7);
  CHECK_FALSE(summarize(by_size.at(0), "control_messages").is_share);
}

TEST_CASE("a run has completed or not, also without a termination detector and in an old store") {
  HandMadeStore store;
  std::vector<runs::RunRecord> runs = {
      ended_run(0, engine::Outcome::finished, 10), ended_run(1, engine::Outcome::limit, 10),
      ended_run(2, engine::Outcome::all_failed, 10), ended_run(3, engine::Outcome::finished, 10)};
  for (runs::RunRecord& run : runs) run.terminated.reset();
  store.stop_when("finished");
  store.add_runs(swept("none", 16), runs);  // a store does not keep what is derived
  store.stop_when("time");
  store.add_runs(swept("none", 32), runs);
  const auto points = store.points();
  const auto groups = group_points(points, {"platform.processes"});
  const statistics::Summary completed = summarize(groups.at(0), "completed");
  CHECK(*completed.mean == 0.5);
  // Two in four in printed tables: 0.068 to 0.932.
  CHECK(completed.confidence_95->low == Approx(0.068).margin(5e-4));
  CHECK(completed.confidence_95->high == Approx(0.932).margin(5e-4));
  CHECK(completed.cut_off == 0);
  CHECK(summarize(groups.at(0), "terminated").count == 0);
  CHECK(summarize(groups.at(1), "completed").count == 0);
  const Row row = run_rows(points).at(1);
  const auto cell = std::find_if(row.begin(), row.end(), [](const json::JsonMember& member) {
    return member.key == "completed";
  });
  REQUIRE(cell != row.end());
  CHECK((cell - 1)->key == "outcome");
  CHECK(json::to_json(cell->value) == "false");
}

TEST_CASE("a point without memory has completed nothing, one that failed otherwise says nothing") {
  const auto share_of = [](const char* failure, bool alone) {
    HandMadeStore store;
    if (!alone) store.add(swept("cda", 16), {1, 1, -1});
    store.add_failed(swept("cda", 64), failure);
    const auto points = store.points();
    return summarize(group_points(points, {"termination.name"}).at(0), "completed");
  };
  const statistics::Summary alone = share_of("out of memory: needs more", true);
  CHECK(alone.count == 1);
  CHECK(*alone.mean == 0.0);
  CHECK(alone.confidence_95->high == Approx(0.975));
  // Beside another point of its seed it counts in each replication.
  const statistics::Summary pooled = share_of("out of memory", false);
  CHECK(pooled.count == 3);
  CHECK(*pooled.mean == Approx(1.0 / 3));
  CHECK(share_of("took longer than 1 s", true).count == 0);
  CHECK(*share_of("took longer than 1 s", false).mean == Approx(2.0 / 3));
}

TEST_CASE("the metrics that nobody named are those that some run has, and no times of 0") {
  HandMadeStore store;
  std::vector<runs::RunRecord> runs = {ended_run(0, engine::Outcome::finished, 10),
                                       ended_run(1, engine::Outcome::finished, 10)};
  for (runs::RunRecord& run : runs)
    run.metrics.insert(run.metrics.end(),
                       {{"shrink_time_s", 0.0}, {"spawn_time_s", 0.5}, {"waves", 3.0}});
  store.add_runs(swept("none", 16), std::move(runs));
  const auto usual = usual_metrics(store.points());
  CHECK(usual == std::vector<std::string>{"control_messages", "spawn_time_s"});
}

TEST_CASE("a difference of shares lies between -1 and 1, and is shown where it is one") {
  HandMadeStore store;
  store.add(swept("indep", 16), {-1, -1, 1});
  store.add(swept("rel-eager", 16), {1, 1, 1});
  store.add(swept("indep", 64), {-1, -1, -1, -1, -1, -1, -1, -1, 1, 1});
  store.add(swept("rel-eager", 64), std::vector<double>(10, 1));
  const auto points = store.points();
  const auto comparison =
      compare(points, {.by = "termination", .metric = "terminated", .higher_is_better = true});
  const PairedDifference& few = comparison.situations.at(0).pairs.at(0);
  CHECK(*few.difference.mean == Approx(-2.0 / 3));
  CHECK(few.difference.confidence_95->low >= -1.0);
  CHECK(few.difference.confidence_95->high <= 1.0);
  CHECK(comparison.situations[0].winner() == nullptr);
  const PairedDifference& many = comparison.situations.at(1).pairs.at(0);
  CHECK(many.difference.confidence_95->high < 0.0);
  REQUIRE(comparison.situations[1].winner() != nullptr);
  CHECK(comparison.situations[1].winner()->name == "rel-eager");
}

TEST_CASE("a comparison warns where one competitor survives more often") {
  const ComparisonSettings settings{.by = "termination", .metric = "control_messages"};
  HandMadeStore store;
  store.add(swept("indep", 16), {1, 1, -1});
  store.add(swept("rel-eager", 16), {5, 5, 5});
  const auto points = store.points();
  CHECK_THAT(unequal_endings(compare(points, settings)), Contains("indep 2/3; rel-eager 3/3"));
  HandMadeStore alike;
  alike.add(swept("indep", 16), {1, 1, -1});
  alike.add(swept("rel-eager", 16), {5, -5, 5});
  const auto others = alike.points();
  CHECK(unequal_endings(compare(others, settings)).empty());
}

namespace {

/// That many runs with this number of messages, of which the first ones complete.
std::vector<double> runs_of(std::size_t runs, std::size_t completed, double messages) {
  std::vector<double> values(runs, -messages);
  std::fill_n(values.begin(), completed, messages);
  return values;
}

}  // namespace

TEST_CASE("who completes less often than the best is worse, whatever it costs") {
  HandMadeStore store;
  // 10 and 20 of 20 runs: 0.272 to 0.728, and 0.832 to 1 in printed tables.
  store.add(swept("indep", 16), runs_of(20, 10, 1));
  store.add(swept("rel-eager", 16), runs_of(20, 20, 5));
  const auto points = store.points();
  const ComparisonSettings settings{.by = "termination", .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  const Situation& situation = comparison.situations.at(0);
  CHECK(situation.contenders.at(0).completes_less);
  CHECK_FALSE(situation.contenders.at(1).completes_less);
  REQUIRE(situation.winner() != nullptr);
  CHECK(situation.winner()->name == "rel-eager");
  const PairedDifference& pair = situation.pairs.at(0);
  CHECK(pair.by_completed);
  CHECK_FALSE(pair.first_better);
  CHECK(*pair.difference.mean == -4);  // of the metric, as ever
  const std::string csv = rows_csv(comparison_rows(comparison));
  CHECK_THAT(csv, Contains("rel-eager,rel-eager,0.5,1,completed"));
  const std::string table = comparison_table(comparison, settings);
  CHECK_THAT(table,
             Contains("0.50 [0.27, 0.73], worse") && Contains("Shares of runs that completed"));
  // All runs have the metric of this table, and only those that completed that of the next one.
  CHECK_THAT(table, !Contains(" over "));
  const ComparisonSettings latency{.by = "termination", .metric = "detection_latency_s"};
  CHECK_THAT(comparison_table(compare(points, latency), latency),
             Contains("over 30 runs that\ncompleted") || Contains("over 30 runs that completed"));
}

TEST_CASE("among those that complete as often as the best the metric decides") {
  HandMadeStore store;
  store.add(swept("indep", 16), runs_of(20, 4, 1));
  store.add(swept("rel-lazy", 16), runs_of(20, 20, 5));
  store.add(swept("rel-eager", 16), runs_of(20, 19, 3));
  const auto points = store.points();
  const Comparison comparison =
      compare(points, {.by = "termination", .metric = "control_messages"});
  const Situation& situation = comparison.situations.at(0);
  REQUIRE(situation.winner() != nullptr);
  CHECK(situation.winner()->name == "rel-eager");
  REQUIRE(situation.pairs.size() == 3);
  CHECK(situation.pairs[0].by_completed);
  CHECK(situation.pairs[1].by_completed);
  CHECK_FALSE(situation.pairs[2].by_completed);
  CHECK(situation.pairs[2].second_better);
}

TEST_CASE("nobody wins who completes less than half of its runs") {
  HandMadeStore store;
  store.add(swept("indep", 16), runs_of(30, 1, 1));
  store.add(swept("rel-eager", 16), runs_of(30, 0, 5));
  const auto points = store.points();
  const ComparisonSettings settings{.by = "termination", .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  CHECK(comparison.situations.at(0).pairs.at(0).first_better);
  CHECK(comparison.situations.at(0).winner() == nullptr);
  CHECK_THAT(comparison_table(comparison, settings), Contains("none completes half"));
}

TEST_CASE("where runs end without regard to their programs, the metric alone decides") {
  HandMadeStore store;
  store.stop_when("time");
  store.add(swept("indep", 16), runs_of(20, 0, 1));
  store.add(swept("rel-eager", 16), runs_of(20, 20, 5));
  const auto points = store.points();
  const ComparisonSettings settings{.by = "termination", .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  REQUIRE(comparison.situations.at(0).winner() != nullptr);
  CHECK(comparison.situations[0].winner()->name == "indep");
  CHECK_THAT(rows_csv(comparison_rows(comparison)), Contains("indep,indep,,,metric"));
  CHECK_THAT(comparison_table(comparison, settings), !Contains("completed"));
  CHECK(unequal_endings(comparison).empty());
}

TEST_CASE("runs that were cut off are counted, bound means, and keep their point from winning") {
  HandMadeStore store;
  const auto ended = [](std::int64_t replication, double messages) {
    return ended_run(replication, engine::Outcome::terminated, messages);
  };
  store.add_runs(swept("cda", 16), {ended(0, 10), ended_run(1, engine::Outcome::limit, 5),
                                    ended_run(2, engine::Outcome::limit, 3), ended(3, 10)});
  store.add(swept("hcda", 16), {20, 21, 22, 23});
  const auto points = store.points();
  const auto groups = group_points(points, {"termination.name"});
  const statistics::Summary cut = summarize(groups.at(0), "control_messages");
  CHECK(*cut.mean == 7);
  CHECK(cut.cut_off == 2);
  CHECK(cut.bound == statistics::MeanBound::at_least);
  CHECK_FALSE(cut.confidence_95);
  // Only runs that ended have a latency.
  CHECK(summarize(groups.at(0), "detection_latency_s").bound == statistics::MeanBound::exact);
  CHECK(summarize(groups.at(1), "control_messages").bound == statistics::MeanBound::exact);
  const std::string csv =
      rows_csv(summary_rows(groups, {"termination.name"}, {"control_messages"}));
  CHECK_THAT(csv, Contains(",cut_off,bound") && Contains("cda,control_messages,1,0,4,7,") &&
                      Contains(",3,10,2,at-least") && Contains(",20,23,0,"));
  const ComparisonSettings settings{.by = "termination", .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  CHECK(comparison.situations.at(0).contenders.at(0).excluded == "2 cut off");
  CHECK(comparison.situations.at(0).winner() == nullptr);
  CHECK_THAT(comparison_table(comparison, settings),
             Contains("2 of 8 runs were cut off at a limit") && !Contains(" 7 "));
}

TEST_CASE("a replication over points of one seed is cut off if any of its runs is") {
  HandMadeStore store;
  store.add_runs(swept("cda", 16), {ended_run(0, engine::Outcome::terminated, 10),
                                    ended_run(1, engine::Outcome::limit, 20)});
  store.add(swept("cda", 32), {30, 40});
  const auto points = store.points();
  const statistics::Summary both =
      summarize(group_points(points, {"termination.name"}).at(0), "control_messages");
  CHECK(both.count == 2);
  CHECK(both.cut_off == 1);
  CHECK(*both.mean == 25);
}

}  // namespace faultline::store
