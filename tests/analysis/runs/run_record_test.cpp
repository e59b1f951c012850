// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/run_record.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "analysis/runs/exit_code.hpp"
#include "sim/core/error.hpp"

namespace faultline::runs {

using Catch::Contains;

namespace {

scenario::Scenario two_points() {
  scenario::Scenario scenario;
  scenario.engine = scenario::EngineKind::loggp;
  scenario.seed = 7;
  scenario.points.resize(2);
  scenario.point_labels = {"four-counter", "cda"};
  return scenario;
}

ReplicationRecord some_replication() {
  ReplicationRecord record{.point = 1, .replication = 3, .run = RunRecord{}, .error = {}};
  RunRecord& run = *record.run;
  run.replication = 3;
  run.outcome = engine::Outcome::violated;
  run.terminated = false;
  run.fatal_reason = "the root\n\"0\" has failed";
  run.metrics = {{"application_messages", 1e6},
                 {"borrows", std::nullopt},
                 {"end_time_s", 1e6},
                 {"interior_fraction_mean", 0.1}};
  run.violations = {{.kind = "credit", .time_s = 0.5, .actor = 3, .detail = "lost"},
                    {.kind = "hung", .time_s = 2, .actor = std::nullopt, .detail = ""}};
  run.events = 1000;
  run.wall_s = 0.5;
  run.peak_rss_bytes = 4096;
  return record;
}

constexpr const char* kLine =
    R"({"point":1,"label":"cda","seed":7,"replication":3,"engine":"loggp","metrics":)"
    R"({"outcome":"violated","terminated":false,"fatal_reason":"the root\n\"0\" has failed",)"
    R"("application_messages":1000000,"borrows":null,"end_time_s":1e+06,)"
    R"("interior_fraction_mean":0.1},"violations":[)"
    R"({"kind":"credit","time_s":0.5,"actor":3,"detail":"lost"},)"
    R"({"kind":"hung","time_s":2,"actor":null,"detail":""}],"performance":)"
    R"({"events":1000,"wall_s":0.5,"events_per_s":2000,"peak_rss_bytes":4096}})";

}  // namespace

TEST_CASE("run record: written as the output has it, and read back as it was") {
  CHECK(replication_line(two_points(), some_replication()) == kLine);
  const ReplicationRecord read = read_replication_line(kLine);
  CHECK(replication_line(two_points(), read) == kLine);
  REQUIRE(read.run);
  CHECK(read.run->replication == 3);
  CHECK(read.run->outcome == engine::Outcome::violated);
  CHECK(read.run->terminated == false);
  CHECK(read.run->metrics.size() == 4);
  CHECK(read.run->violations.at(0).actor == ActorId{3});
  CHECK_FALSE(read.run->violations.at(1).actor);
}

TEST_CASE("run record: what is derived stands beside the metrics, and is read back") {
  ReplicationRecord record = some_replication();
  record.run->derived = {{"completed", 0.0}, {"messages_per_s", 2.5}, {"rate_per_s", std::nullopt}};
  const std::string line = replication_line(two_points(), record);
  CHECK_THAT(line, Contains(R"(0.1},"derived":{"completed":false,"messages_per_s":2.5,)"
                            R"("rate_per_s":null},"violations":[)"));
  const ReplicationRecord read = read_replication_line(line);
  CHECK(replication_line(two_points(), read) == line);
  CHECK(read.run->number("completed") == 0.0);
  CHECK(json::to_json(read.run->cell("completed")) == "false");
  CHECK(read.run->number("messages_per_s") == 2.5);
  CHECK(read.run->has_number("rate_per_s"));
  CHECK(read.run->cell("rate_per_s").is_null());
  // A store of a stranger may have such a name among its metrics.
  RunRecord run = *record.run;
  run.metrics.push_back({"completed", 0.5});
  CHECK(run.number("completed") == 0.0);
}

TEST_CASE("run record: every outcome is read back, with its exit code") {
  for (const std::string& word : engine::outcome_words()) {
    std::string line = kLine;
    line.replace(line.find("violated"), 8, word);
    ReplicationRecord record = read_replication_line(line);
    INFO(word);
    CHECK(engine::outcome_word(record.run->outcome) == word);
    CHECK(exit_code(record) == kExitViolation);  // it has violations
    record.run->violations.clear();
    const bool good = word == "terminated" || word == "finished" || word == "fatal-reported" ||
                      word == "all-failed";
    CHECK(exit_code(record) == (good ? kExitGood : word == "limit" ? kExitRun : kExitViolation));
    CHECK(survived(*record.run) == (word == "terminated" || word == "finished"));
  }
}

TEST_CASE("run record: why a replication has none") {
  const ReplicationRecord record{
      .point = 1, .replication = 3, .run = std::nullopt, .error = "out of memory"};
  const ReplicationRecord read = read_replication_line(replication_line(two_points(), record));
  CHECK_FALSE(read.run);
  CHECK(read.error == "out of memory");
  CHECK_FALSE(read.out_of_memory);
  CHECK(exit_code(read) == kExitRun);
  ReplicationRecord ended = record;
  ended.out_of_memory = true;
  CHECK(read_replication_line(replication_line(two_points(), ended)).out_of_memory);
}

TEST_CASE("run record: metrics by name") {
  RunRecord run = *some_replication().run;
  CHECK(run.number("end_time_s") == 1e6);
  CHECK(run.number("terminated") == 0.0);
  CHECK_FALSE(run.number("borrows"));
  CHECK(run.has_number("borrows"));
  CHECK_FALSE(run.has_number("borows"));
  CHECK_FALSE(run.has_number("fatal_reason"));
  CHECK(json::to_json(run.cell("application_messages")) == "1000000");
  CHECK(json::to_json(run.cell("terminated")) == "false");
  CHECK(json::to_json(run.cell("outcome")) == "\"violated\"");
  CHECK(run.cell("waves").is_null());
  run.terminated.reset();
  CHECK_FALSE(run.number("terminated"));
  CHECK(run.cell("terminated").is_null());
}

TEST_CASE("run record: a number that JSON does not have is none from the start") {
  engine::RunResult result;
  result.metrics.set("a", std::numeric_limits<double>::infinity());
  result.metrics.set("b", std::nan(""));
  result.metrics.set("c", 1.5);
  const RunRecord run = run_record(2, result, scenario::RunSpec{});
  CHECK(run.replication == 2);
  CHECK_FALSE(run.number("a"));
  CHECK_FALSE(run.number("b"));
  CHECK(run.number("c") == 1.5);
}

TEST_CASE("run record: anything that is not a record is refused") {
  for (const auto& [from, to, message] :
       {std::tuple{R"("seed":7,"replication":3,)", R"("seed":7,)", "replication: missing"},
        std::tuple{"violated", "violatd", R"(did you mean "violated")"},
        std::tuple{":false", ":0", "metrics.terminated: expected true, false or null"},
        std::tuple{":1e+06", R"(:"1")", "metrics.end_time_s: expected a number or null"},
        std::tuple{R"("violations":[)", R"("derived":{"completed":"yes"},"violations":[)",
                   "derived.completed: expected a number, true, false or null"},
        std::tuple{R"("actor":3)", R"("actor":-3)", "violations[0].actor: expected a count"},
        std::tuple{R"("time_s":0.5)", R"("time_s":null)",
                   "violations[0].time_s: expected a number"},
        std::tuple{R"("events":1000)", R"("events":0.5)",
                   "performance.events: expected a count"}}) {
    std::string line = kLine;
    line.replace(line.find(from), std::string(from).size(), to);
    INFO(line);
    CHECK_THROWS_WITH(read_replication_line(line), Contains(message));
  }
  CHECK_THROWS_AS(read_replication_line("{}"), UsageError);
  CHECK_THROWS_AS(read_replication_line(""), UsageError);
  CHECK_THROWS_AS(read_replication_line(R"({"error": 5})"), UsageError);
}

}  // namespace faultline::runs
