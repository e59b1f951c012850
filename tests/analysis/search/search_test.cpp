// SPDX-License-Identifier: Apache-2.0

// The search for what nobody has thought of: it draws what is declared, a number is a scenario, the
// smallest scenario is found, and what is wrong is seen.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "analysis/search/drawn_option.hpp"
#include "analysis/search/drawn_scenario.hpp"
#include "analysis/search/judged_run.hpp"
#include "analysis/search/option_places.hpp"
#include "analysis/search/search.hpp"
#include "analysis/search/search_report.hpp"
#include "analysis/search/shrunk_scenario.hpp"
#include "sim/core/registry.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/scenario/declarations.hpp"
#include "tests/support/json_tree.hpp"

namespace faultline::search {

using faultline::test::tree;

namespace {

/// How many numbers the lists of victims have in all.
std::size_t victims_in(const json::JsonValue& scenario) {
  const json::JsonValue* const faults = scenario.find("faults");
  const json::JsonValue* const at = faults == nullptr ? nullptr : faults->find("at");
  std::size_t count = 0;
  if (at != nullptr)
    for (const json::JsonValue& fault : *at->list())
      if (const json::JsonValue* ranks = fault.find("ranks")) count += ranks->list()->size();
  return count;
}

double processes_of(const json::JsonValue& scenario) {
  const json::JsonValue* const platform = scenario.find("platform");
  const json::JsonValue* const processes =
      platform == nullptr ? nullptr : platform->find("processes");
  return processes == nullptr ? 0.0 : json::number_of(*processes).value_or(0.0);
}

}  // namespace

TEST_CASE("a number is a scenario") {
  std::set<std::string> different;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const std::string text = json::to_json(draw_scenario(number));
    CHECK(text == json::to_json(draw_scenario(number)));
    different.insert(text);
  }
  CHECK(different.size() == 200);
}

TEST_CASE("everything that is declared is drawn off its default") {
  std::set<std::string> stated;
  for (std::uint64_t number = 0; number < 6000; ++number)
    for (const std::string& place : stated_options(draw_scenario(number))) stated.insert(place);
  for (const std::string& place : drawn_options().drawn) {
    CAPTURE(place);
    CHECK(stated.contains(place));
  }
  for (const Registration& component : registrations()) {
    CAPTURE(component.name);
    CHECK(stated.contains(std::string(family_key(component.family)) + "." + component.name +
                          ".name"));
  }
}

TEST_CASE("drawn values are in the ranges that options declare, and at their ends now and then") {
  Stream random(1, 0, Purpose::faults, 0);
  for (const Registration& component : registrations())
    for (const OptionSpec& spec : component.options) {
      if (!can_be_drawn(spec)) continue;
      CAPTURE(component.name, spec.name);
      json::Problems problems("drawn");
      for (int i = 0; i < 100; ++i)
        json::read_option(draw_value(spec, random, 16), spec, spec.name, problems);
      CHECK(problems.empty());
    }
  const OptionSpec share{.name = "share", .kind = OptionKind::number, .minimum = 0, .maximum = 1};
  std::set<double> drawn;
  for (int i = 0; i < 200; ++i) drawn.insert(*json::number_of(draw_value(share, random, 4)));
  CHECK(drawn.contains(0.0));
  CHECK(drawn.contains(1.0));
  CHECK(drawn.size() > 50);
}

TEST_CASE("a finding is shrunk to the least scenario that shows it") {
  const json::JsonValue large = tree(R"({"schema_version": 1, "seed": 77,
    "platform": {"machine": "mira", "processes": 48, "spare_nodes": 3},
    "workload": {"name": "stencil", "iterations": 40},
    "faults": {"at": [{"time_s": 1.25, "ranks": [3, 17, 40]}, {"event": 200, "nodes": [5]},
                      {"time_s": 0.5, "ranks": [2]}],
               "slow": {"factor": 33.3, "nodes": [1]}}})");
  // Found if two ranks die in a job of at least five processes.
  const KindOf kind_of = [](const json::JsonValue& scenario) -> std::string {
    return victims_in(scenario) >= 2 && processes_of(scenario) >= 5 ? "two" : "";
  };
  const Shrunk least = shrunk(large, "two", kind_of, 100000);
  CHECK(victims_in(least.scenario) == 2);
  CHECK(processes_of(least.scenario) == 5);
  CHECK(least.scenario.find("seed") == nullptr);
  CHECK(least.scenario.find("workload") == nullptr);
  CHECK(least.scenario.find("platform")->find("spare_nodes") == nullptr);
  CHECK(least.scenario.find("faults")->find("slow") == nullptr);
  CHECK(kind_of(least.scenario) == "two");
}

TEST_CASE("shrinking keeps the kind, and ends when it has tried often enough") {
  const json::JsonValue scenario = tree(R"({"a": 8, "b": [1, 2, 3]})");
  const Shrunk same = shrunk(
      scenario, "kind", [](const json::JsonValue&) { return "other"; }, 1000);
  CHECK(json::to_json(same.scenario) == json::to_json(scenario));
  const json::JsonValue many = tree(R"({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6})");
  const Shrunk soon = shrunk(
      many, "kind", [](const json::JsonValue&) { return "kind"; }, 3);
  CHECK(soon.scenario.object()->size() == 3);
}

TEST_CASE("a scenario that is refused is told apart from one that runs") {
  const Judgement refused =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "mira", "processes": 2},
               "workload": {"name": "ping-pong", "repetitions": -5}})"),
             {});
  CHECK(refused.refused == "workload.repetitions: expected an integer of at least #, got -#");
  CHECK_FALSE(refused.finding);
  const Judgement run =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "mira", "processes": 2},
               "workload": {"name": "ping-pong", "repetitions": 5}})"),
             {});
  CHECK(run.refused.empty());
  CHECK(run.outcome == "finished");
  CHECK_FALSE(run.finding);
}

TEST_CASE("a tree that grows too large is no fault of the program") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "intrepid", "processes": 1},
               "workload": {"name": "random-tree", "minimum_height": 8,
                            "largest_subtree_height": 26}})"),
             {});
  CHECK(judgement.refused.starts_with("when it runs: the tree grows beyond # tasks"));
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("what a paper prints wrong is found, and known to be so") {
  // The printed rule of the cornet lets a process wait for an acknowledgement for ever.
  const Judgement judgement = judged(
      tree(R"({"schema_version": 1, "name": "search 743", "seed": 743, "platform": {"machine":
    "nacl", "processes": 60, "ordering": "fifo", "local_exit_delay_s": 0.00133,
    "link_lost_delay_s": 0.0431, "daemon_core": "shared", "start_delay_s": 1.71e-06},
    "workload": {"name": "ordered-stencil", "iterations": 7, "object_mapping":
    "linear"}, "termination": {"name": "dijkstra-scholten", "control_bytes": 0,
    "as_printed": ["cornet"]}})"),
      {});
  CHECK(judgement.as_printed);
  REQUIRE(judgement.finding);
  CHECK(judgement.finding->kind == "hung");
}

TEST_CASE("a program without protection may wait for the dead, and a detector may not") {
  const std::string start = R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 2}, "workload": {"name": "stencil"},
    "failure_detection": {"name": "oracle"}, "faults": {"at": [{"event": 1, "ranks": [1]}]})";
  const Judgement bare = judged(tree(start + "}"), {});
  CHECK(bare.outcome == "deadlock");
  CHECK_FALSE(bare.finding);
  const Judgement cut = judged(tree(R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 4}, "workload": {"name": "allreduce"},
    "failure_detection": {"name": "rdaemon"},
    "faults": {"partition": {"nodes": [[0], [1, 2, 3]], "from_s": 0, "to_s": 0.05}}})"),
                               {});
  CHECK(cut.outcome == "deadlock");
  CHECK(cut.by_membership);
}

TEST_CASE("only what the network has really kept from somebody is an excuse") {
  const auto judged_under = [](const std::string& partition, const std::string& more) {
    return judged(tree(R"({"schema_version": 1, "seed": 1, )" + more + R"(
      "platform": {"machine": "mira", "processes": 4}, "workload": {"name": "allreduce"},
      "failure_detection": {"name": "oracle"},
      "faults": {"partition": {"nodes": [[0], [1, 2, 3]], )" +
                       partition + "}}}"),
                  {});
  };
  // The job waits for what is lost, and nobody repeats it.
  CHECK(judged_under(R"("from_s": 0)", "").by_membership);
  if (platform::kHasSimGrid)
    CHECK(judged_under(R"("from_s": 0)", R"("engine": "simgrid",)").by_membership);
  // The job has ended before the network is cut.
  const Judgement later = judged_under(R"("from_s": 1000)", "");
  CHECK(later.outcome == "finished");
  CHECK_FALSE(later.by_membership);
}

TEST_CASE("judgements come back from their line as they were") {
  Judgement judgement;
  judgement.outcome = "hung";
  judgement.finding = Finding{"hung", "a \"text\"\nof two lines"};
  judgement.as_printed = true;
  judgement.struck = true;
  judgement.events = 12;
  const Judgement again = read_judgement(tree(json::to_json(judgement_json(judgement))));
  CHECK(again.outcome == "hung");
  REQUIRE(again.finding);
  CHECK(again.finding->text == judgement.finding->text);
  CHECK(again.as_printed);
  CHECK_FALSE(again.by_membership);
  CHECK(again.struck);
  CHECK_FALSE(again.struck_amid);
  CHECK(again.events == 12);
}

TEST_CASE("a search finds the mistakes of printed protocols, whatever the number of jobs") {
  SearchSettings settings;
  // What a number draws changes with the declarations; of so many, some are wrong as printed.
  settings.first = 330;
  settings.scenarios = 400;
  settings.most_shrunk = 0;
  settings.judging.as_printed = true;
  const SearchResult one = search::search(settings);
  settings.jobs = 3;
  const SearchResult three = search::search(settings);
  CHECK(search_json(one) == search_json(three));
  CHECK_FALSE(one.found.empty());
  std::uint64_t times = 0;
  for (const FoundKind& found : one.found) times += found.times;
  settings.judging.as_printed = false;
  const SearchResult without = search::search(settings);
  CHECK(without.as_printed == times);
  CHECK(without.found.empty());
}

}  // namespace faultline::search
