// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/comparison.hpp"
#include "analysis/store/comparison_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
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
  const ComparisonSettings settings{.by = {"termination"}, .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  const auto first_of = [](const Row& row) { return text::csv_field(row.at(0).value); };
  CHECK(first_of(comparison_rows(comparison).at(0)) == R"({"name":"venkatesan","leaders":1})");
  CHECK(first_of(comparison_rows(comparison, ValuesAs::words).at(0)) == "venkatesan, leaders 1");
  const std::string table = comparison_table(comparison, settings);
  CHECK_THAT(table, Contains("\nvenkatesan, leaders 1  ") &&
                        Contains("\nvenkatesan, leaders 5  ") && !Contains("{"));
}

TEST_CASE("a comparison is one table: the winner, and how far the others are from it") {
  HandMadeStore store;
  const auto add = [&store](const char* stack, int processes, const std::vector<double>& messages) {
    store.add({{"stacks", stack}, {"platform.processes", processes}, {"engine", "loggp"}},
              messages);
  };
  add("rdaemon + fampi", 16, {20, 22, 24});
  add("swim + causal", 16, {10, 11, 12});
  add("oracle", 16, {25, 26, 28});
  add("rdaemon + fampi", 64, {20, 22, 24});
  add("swim + causal", 64, {21, 22, 24});
  const auto points = store.points();
  const ComparisonSettings settings{.by = {"stacks"}, .metric = "control_messages"};
  // The 0.975 quantile of Student's t for 2 degrees of freedom is 4.303 in printed tables. Of three
  // pairs, each has an interval at 1 - 0.05 / 3, for which it is 7.649.
  CHECK_THAT(comparison_table(compare(points, settings), settings), Contains(R"(
At every point: engine=loggp

platform.
processes  stacks                  mean           difference
---------  ---------------  -----------  -------------------
16         swim + causal    11.0 +- 2.5               winner
16         rdaemon + fampi  22.0 +- 5.0          11.0 +- 4.4
16         oracle           26.3 +- 3.8          15.3 +- 2.5
64         rdaemon + fampi  22.0 +- 5.0  no difference shown
64         swim + causal    22.3 +- 3.8           0.3 +- 1.4
)"));
}

TEST_CASE("several paths compete in the combinations that occur") {
  HandMadeStore store;
  for (const int processes : {16, 64})
    for (const auto& [detector, delay_s] :
         std::vector<std::pair<std::string, double>>{{"oracle", 0.5}, {"rdaemon", 0.25}}) {
      json::JsonValue::Object values = swept(delay_s == 0.5 ? "indep" : "rel-eager", processes);
      values.push_back(
          {"failure_detection", json::json_object({{"name", detector}, {"delay_s", delay_s}})});
      values.push_back({"workload.fanout", 1 / delay_s});
      store.add(values, {delay_s, delay_s, delay_s});
    }
  const auto points = store.points();
  const ComparisonSettings both{.by = {"termination", "failure_detection", "workload.fanout"},
                                .metric = "control_messages"};
  const Comparison comparison = compare(points, both);
  REQUIRE(comparison.situations.size() == 2);
  CHECK(comparison.paths == std::vector<std::string>{"platform.processes"});
  const Contender& first = comparison.situations[1].contenders.at(0);
  CHECK(first.name == "indep + oracle, delay_s 0.5 + fanout 2");
  CHECK(first.value == R"({"termination":{"name":"indep"},"failure_detection":)"
                       R"({"name":"oracle","delay_s":0.5},"workload.fanout":2})");
  CHECK(comparison.situations[1].winner() == &comparison.situations[1].contenders.at(1));
  CHECK(tied_paths(points, {"termination"}) ==
        std::vector<std::string>{"failure_detection", "workload.fanout"});
  CHECK(tied_paths(points, {"termination.name", "platform.processes"}) ==
        std::vector<std::string>{"failure_detection", "workload.fanout"});
  CHECK_THROWS_WITH(compare(points, {.by = {"termination"}, .metric = "control_messages"}),
                    "compare: --by termination: no two points differ only in this: "
                    "failure_detection,workload.fanout change with it; expected --by "
                    "termination,failure_detection,workload.fanout");
  CHECK_THROWS_WITH(compare(points, {.by = {"workload.fanout"}, .metric = "control_messages"}),
                    Contains("expected --by workload.fanout,termination,failure_detection"));
}

TEST_CASE("what has one value is no part of the names of contenders") {
  HandMadeStore store;
  store.add(swept("cda", 16), {1, 1, 1});
  store.add(swept("hcda", 16), {2, 2, 2});
  const auto points = store.points();
  const Comparison comparison =
      compare(points, {.by = {"termination", "platform.processes"}, .metric = "control_messages"});
  CHECK(comparison.situations.at(0).contenders.at(1).name == "hcda");
  CHECK(comparison.common == "platform.processes=16");
}

TEST_CASE("points of different seeds are not compared") {
  HandMadeStore store;
  store.add({{"stacks", "a"}}, {1, 1, 1}, 5);
  store.add({{"stacks", "b"}}, {2, 2, 2}, 6);
  const auto points = store.points();
  CHECK_THROWS_WITH(compare(points, {.by = {"stacks"}, .metric = "control_messages"}),
                    Contains("points 0 and 1 have different seeds"));
}

TEST_CASE("names and keys that have no room in a table are in its legend") {
  HandMadeStore store;
  const std::string name(30, 'n');
  const std::string key(40, 'k');
  for (const char* number : {"1", "2"})
    for (const char* stack : {"x", "y"})
      store.add({{"stacks", name + stack}, {"platform.machine", key + number}}, {3, 4, 4.5});
  const auto points = store.points();
  const ComparisonSettings settings{.by = {"stacks"}, .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  CHECK_THAT(comparison_table(comparison, settings, 200), !Contains("0: "));
  // Numbers for the keys are enough.
  CHECK_THAT(comparison_table(comparison, settings),
             Contains("\n1: platform.machine=" + key + "2\n") && Contains("\n1     " + name) &&
                 !Contains("A: "));
  CHECK_THAT(comparison_table(comparison, settings, 60),
             Contains("\nB: " + name + "y\n") && Contains("\n0: platform.machine=" + key) &&
                 Contains("\n1     A       3.8 +- 1.9"));
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
      compare(points, {.by = {"termination"}, .metric = "terminated", .higher_is_better = true});
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

TEST_CASE("the shares of completed runs stand in their column, and nowhere else") {
  const ComparisonSettings settings{.by = {"termination"}, .metric = "control_messages"};
  HandMadeStore store;
  store.add(swept("indep", 16), {1, 1, -1});
  store.add(swept("rel-eager", 16), {5, 5, 5});
  const auto points = store.points();
  const std::string table = comparison_table(compare(points, settings), settings);
  // Clopper and Pearson's interval of two in three, as printed tables have it.
  CHECK_THAT(table, Contains("0.67 [0.09, 0.99]") && !Contains("2/3"));
  CHECK_THAT(table, Contains("a run that gives up early is cheap"));
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
  const ComparisonSettings settings{.by = {"termination"}, .metric = "control_messages"};
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
             Contains("0.50 [0.27, 0.73], worse") && Contains("the share of runs that completed"));
  // All runs have the metric of this table, and only those that completed that of the next one.
  CHECK_THAT(table, !Contains(" over "));
  const ComparisonSettings latency{.by = {"termination"}, .metric = "detection_latency_s"};
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
      compare(points, {.by = {"termination"}, .metric = "control_messages"});
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
  const ComparisonSettings settings{.by = {"termination"}, .metric = "control_messages"};
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
  const ComparisonSettings settings{.by = {"termination"}, .metric = "control_messages"};
  const Comparison comparison = compare(points, settings);
  REQUIRE(comparison.situations.at(0).winner() != nullptr);
  CHECK(comparison.situations[0].winner()->name == "indep");
  CHECK_THAT(rows_csv(comparison_rows(comparison)), Contains("indep,indep,,,metric"));
  CHECK_THAT(comparison_table(comparison, settings), !Contains("completed"));
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
  const ComparisonSettings settings{.by = {"termination"}, .metric = "control_messages"};
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
