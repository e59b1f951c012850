// SPDX-License-Identifier: Apache-2.0

// What a point will surely fail at, or say little about, is noted; what just about works is not.
#include "sim/scenario/prospect_notes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

using Sets = std::vector<std::string>;

/// The notes with these words, of the good scenario after these changes.
Sets notes_with(const std::string& words, const Sets& sets) {
  const Workspace workspace;
  Sets found;
  for (const std::string& note : workspace.scenario_after(sets).notes)
    if (note.find(words) != std::string::npos) found.push_back(note);
  return found;
}

Sets with(Sets sets, const Sets& more) {
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

const std::string kOracle = R"(failure_detection={"name": "oracle", "delay_s": 1})";
const std::string kNodeFault = R"(faults.at=[{"time_s": 1, "nodes": [1]}])";
const std::string kRankFault = R"(faults.at=[{"time_s": 1, "ranks": [5]}])";
const std::string kNoTermination = R"(termination={"name": "none"})";

/// The notes with these words about a program of TryBlocks under fampi with these timeouts.
Sets notes_of_fampi(const std::string& words, const std::string& timeouts, const Sets& more) {
  return notes_with(
      words, with({kNoTermination, kOracle, R"(workload={"name": "try-blocks"})",
                   "platform.spare_nodes=2", R"(transactions={"name": "fampi", )" + timeouts + "}"},
                  more));
}

}  // namespace

TEST_CASE("a detector that survives the death of one rank and not of a node is noted") {
  const std::string words = "survives the death of one rank, and may give up after that of a node";
  const auto notes = [&](const std::string& termination, const Sets& more) {
    return notes_with(words, with({"termination=" + termination, kOracle}, more));
  };
  // Two leaders are the first two of the four ranks of node 0; of five, one is elsewhere.
  const auto leaders = notes(R"({"name": "venkatesan", "leaders": 2})", {kNodeFault});
  REQUIRE(leaders.size() == 1);
  CHECK_THAT(leaders[0],
             Contains("s.json: termination: venkatesan ") && Contains("up to 4 ranks here"));
  CHECK(notes(R"({"name": "venkatesan", "leaders": 5})", {kNodeFault}).empty());
  // One leader does not survive the death of a rank either: the node changes nothing.
  CHECK(notes(R"({"name": "venkatesan", "leaders": 1})", {kNodeFault}).empty());
  CHECK(notes(R"({"name": "venkatesan", "leaders": 2})", {kRankFault}).empty());
  CHECK(notes(R"({"name": "rel-lazy"})", {kNodeFault}).size() == 1);
  CHECK(notes(R"({"name": "rel-lazy"})", {kNodeFault, "platform.mapping=round-robin"}).size() == 1);
  CHECK(notes(R"({"name": "rel-lazy"})",
              {kNodeFault, "platform.processes=8", "platform.processes_per_node=1"})
            .empty());
}

TEST_CASE("checkpoints by time that are further apart than faults are noted") {
  const auto notes = [](const std::string& interval_s) {
    return notes_with(
        "rarer than faults",
        {kNoTermination, kOracle, R"(workload={"name": "try-blocks"})", "platform.spare_nodes=2",
         R"(faults.poisson={"mtbf_s": 50, "victims": "ranks"})",
         R"(transactions={"name": "ulfm", "checkpoint": "storage", )"
         R"("checkpoint_interval_s": )" +
             interval_s + "}"});
  };
  const auto rare = notes("100");
  REQUIRE(rare.size() == 1);
  CHECK_THAT(rare[0], Contains("s.json: transactions.checkpoint_interval_s: makes checkpoints "
                               "rarer than faults: there are at least 100 s from one to the next, "
                               "and a fault strikes every 50 s"));
  CHECK(notes("50").empty());
}

TEST_CASE("checkpoints by iterations that compute for longer than faults let them are noted") {
  const auto notes = [](const std::string& iterations, const std::string& faults) {
    return notes_with("rarer than faults",
                      {kNoTermination, kOracle, "platform.spare_nodes=2", faults,
                       R"(message_logging={"name": "checkpoint-restart"})",
                       R"(workload={"name": "stencil", "compute_s": 10, )"
                       R"("checkpoint_iterations": )" +
                           iterations + "}"});
  };
  const std::string often = R"(faults.poisson={"mtbf_s": 50, "victims": "ranks"})";
  const auto rare = notes("6", often);
  REQUIRE(rare.size() == 1);
  CHECK_THAT(rare[0], Contains("s.json: workload.checkpoint_iterations: ") && Contains("60 s"));
  CHECK(notes("5", often).empty());
  CHECK(notes("1000", kRankFault).empty());  // how often faults strike is not known
  // Each of 16 ranks fails by itself every 800 s, which is every 50 s in the job.
  CHECK(notes("6", R"(faults.poisson={"mtbf_s": 800, "victims": "ranks", "per": "node"})").size() ==
        1);
}

TEST_CASE("patience that ends before the failure detector must have told of a death is noted") {
  const auto notes = [](const std::string& timeouts, const Sets& more) {
    return notes_of_fampi("to tell of the death", timeouts, more);
  };
  // As its page says: a request, and then four waits.
  const std::string shorter = R"("request_timeout_s": 0.05, "wait_timeout_s": 0.2, "retries": 3)";
  const auto impatient = notes(shorter, {kRankFault});
  REQUIRE(impatient.size() == 1);
  CHECK_THAT(impatient[0],
             Contains("s.json: transactions: fampi waits for a dead rank for at most 0.85 s in "
                      "all, and oracle may take 1 s to tell of the death"));
  const std::string longer = R"("request_timeout_s": 0.05, "wait_timeout_s": 0.2, "retries": 4)";
  CHECK(notes(longer, {kRankFault}).empty());
  CHECK(notes(shorter, {}).empty());  // nobody dies
  CHECK(notes(shorter, {kRankFault, "failure_detection.delay_s=0.1"}).empty());
}

TEST_CASE("patience that ends before an iteration does is noted") {
  const auto notes = [](const std::string& timeouts, const Sets& more) {
    return notes_of_fampi("an iteration computes for", timeouts,
                          with({"workload.compute_s=9"}, more));
  };
  const std::string shorter = R"("request_timeout_s": 0.9, "wait_timeout_s": 2, "retries": 3)";
  const auto impatient = notes(shorter, {kRankFault});
  REQUIRE(impatient.size() == 1);
  CHECK_THAT(impatient[0],
             Contains("s.json: transactions: fampi waits for a dead rank for at most 8.9 s in all, "
                      "and an iteration computes for 9 s: a rank that has heard of a death gives "
                      "up before those come that still compute"));
  CHECK(notes(R"("request_timeout_s": 1.1, "wait_timeout_s": 2, "retries": 3)", {kRankFault})
            .empty());
  CHECK(notes(shorter, {}).empty());  // nobody dies
}

TEST_CASE("costs of a protocol from another machine are noted unless the scenario states its own") {
  const auto notes = [](const std::string& options, const Sets& more) {
    return notes_with(" calibrated on intrepid",
                      with({kNoTermination, R"(workload={"name": "stencil"})",
                            R"(message_logging={"name": "causal")" + options + "}"},
                           more));
  };
  const auto borrowed = notes("", {});
  REQUIRE(borrowed.size() == 1);
  CHECK_THAT(borrowed[0],
             Contains("s.json: message_logging: the defaults of log_message_s, log_byte_s, "
                      "bookkeeping_s, determinant_s and piggyback_s were calibrated on intrepid, "
                      "and this job runs on tiny"));
  CHECK(notes("", {"platform.machine=intrepid"}).empty());
  CHECK(notes(R"(, "log_message_s": 1e-6, "log_byte_s": 1e-10, "bookkeeping_s": 1e-7, )"
              R"("determinant_s": 1e-5, "piggyback_s": 1e-6)",
              {})
            .empty());
  CHECK_THAT(notes(R"(, "log_message_s": 1e-6)", {}).at(0), !Contains("log_message_s"));
}

TEST_CASE("faults of which none is expected in all runs together are noted") {
  const auto notes = [](const std::string& source, const Sets& more) {
    return notes_with("no fault is expected", with({"termination.name=rel-lazy", kOracle,
                                                    "stop.time_s=60", "faults.poisson=" + source},
                                                   more));
  };
  // Two runs of 60 s see 0.96 faults that strike every 125 s, and 1.2 that strike every 100 s.
  const auto rare = notes(R"({"mtbf_s": 125, "victims": "ranks"})", {});
  REQUIRE(rare.size() == 1);
  CHECK_THAT(rare[0], Contains("s.json: faults.poisson[0]: no fault is expected: one strikes every "
                               "125 s on average, and 2 runs have at most 60 s each until "
                               "stop.time_s"));
  CHECK(notes(R"({"mtbf_s": 100, "victims": "ranks"})", {}).empty());
  CHECK(notes(R"({"mtbf_s": 125, "victims": "ranks"})", {"replications=3"}).empty());
  CHECK_THAT(notes(R"({"mtbf_s": 125, "victims": "ranks"})", {"replications=1"}).at(0),
             Contains("and the run has at most 60 s until stop.time_s"));
  // Of the 60 s, 20 are left to this source.
  const std::string late = R"({"mtbf_s": 50, "victims": "ranks", "start_s": 40})";
  CHECK(notes(late, {}).size() == 1);
  CHECK(notes(late, {"stop.time_s=100"}).empty());
  CHECK(notes(R"({"mtbf_s": 50, "victims": "ranks", "end_s": 20})", {}).size() == 1);
  CHECK(notes(R"([{"mtbf_s": 1, "victims": "ranks"}, {"mtbf_s": 1e6, "victims": "ranks"}])", {})
            .size() == 1);
}

}  // namespace faultline::scenario
