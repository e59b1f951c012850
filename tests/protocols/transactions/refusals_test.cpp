// SPDX-License-Identifier: Apache-2.0

// What transactions refuse, with its path in the scenario.

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace faultline::transactions {

using Catch::Matchers::Contains;

namespace {

/// A scenario that is accepted, unless a test changes parts of it.
struct Told {
  std::string platform = R"("processes": 8, "processes_per_node": 2, "spare_nodes": 1)";
  std::string workload = R"("name": "minife")";
  std::string transactions = R"("name": "fampi")";
  std::string rest = R"("failure_detection": {"name": "oracle"}, )";
  std::string fault = R"({"time_s": 0.01, "ranks": [1]})";
};

/// The members of a component: its name, and its options as they follow.
std::string named(const std::string& name, const std::string& options) {
  std::string members = R"("name": ")";
  members += name;
  members += '"';
  members += options;
  return members;
}

std::string text_of(const Told& told) {
  const std::string transactions =
      told.transactions.empty() ? "" : R"("transactions": {)" + told.transactions + "}, ";
  return R"({"schema_version": 1, "platform": {"machine": "stampede", )" + told.platform +
         R"(}, "workload": {)" + told.workload + "}, " + transactions + told.rest +
         R"("faults": {"at": [)" + told.fault + "]}, " + R"("stop": {"when": "finished"}})";
}

/// The notes on a scenario that is accepted.
std::vector<std::string> notes_of(const Told& told) {
  return scenario::parse_scenario(text_of(told), "s.json").notes;
}

std::string error_of(const Told& told) {
  try {
    scenario::parse_scenario(text_of(told), "s.json");
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("transactions are accepted under programs of TryBlocks") {
  CHECK(error_of({}) == "");
  for (const std::string name : {"fampi", "relaunch"})
    for (const std::string checkpoint : {"none", "local", "partner", "storage"})
      for (const std::string interval : {"checkpoint_iterations", "checkpoint_interval_s"}) {
        std::string transactions = R"("name": ")";
        transactions.append(name).append(R"(", "checkpoint": ")").append(checkpoint);
        transactions.append(R"(", ")").append(interval).append("\": 2");
        if (checkpoint == "local") transactions.append(R"(, "spawn": "same-node")");
        CHECK(error_of({.transactions = transactions}) == "");
      }
  CHECK(error_of({.transactions = R"("name": "none")"}) == "");
}

TEST_CASE("transactions refuse programs without TryBlocks, and families that know of no worlds") {
  for (const std::string name : {"fampi", "relaunch", "ulfm"}) {
    const std::string chosen = R"("name": ")" + name + "\"";
    CHECK_THAT(error_of({.workload = R"("name": "ordered-stencil")", .transactions = chosen}),
               Contains("transactions: " + name +
                        " needs a program of TryBlocks, and ordered-stencil is none, choose "
                        "lulesh-mpi, minife, stencil, try-blocks or try-script"));
    CHECK(error_of({.workload = R"("name": "stencil")", .transactions = chosen}) == "");
    CHECK_THAT(error_of({.workload = R"("name": "stencil", "objects_per_process": 2)",
                         .transactions = chosen}),
               Contains("workload.objects_per_process: expected 1 under transactions"));
    const std::string detector = R"("failure_detection": {"name": "oracle"}, )";
    CHECK_THAT(error_of({.transactions = chosen,
                         .rest = detector + R"("termination": {"name": "indep"}, )"}),
               Contains("transactions: " + name +
                        " does not work above termination detection (indep), expected termination "
                        "none"));
    CHECK_THAT(error_of({.transactions = chosen,
                         .rest = detector + R"("message_logging": {"name": "causal"}, )"}),
               Contains("transactions: " + name +
                        " does not work above message logging (causal), expected message_logging "
                        "none"));
    CHECK_THAT(error_of({.transactions = chosen, .rest = ""}),
               Contains("transactions: " + name + " needs a failure detector under faults"));
  }
}

TEST_CASE("transactions refuse options that do not fit the job") {
  CHECK_THAT(
      error_of({.platform = R"("processes": 8, "processes_per_node": 2)"}),
      Contains("transactions.spawn: \"spare-node\" needs a spare node under faults, expected "
               "at least 1 in platform.spare_nodes, or \"same-node\""));
  CHECK(error_of({.platform = R"("processes": 8, "processes_per_node": 2)",
                  .transactions = R"("name": "fampi", "spawn": "same-node")"}) == "");
  CHECK_THAT(
      error_of({.platform = R"("processes": 8, "processes_per_node": 8, "spare_nodes": 1)",
                .transactions =
                    R"("name": "fampi", "checkpoint": "partner", "checkpoint_iterations": 1)"}),
      Contains("transactions.checkpoint: expected at least 2 nodes for \"partner\""));
  CHECK_THAT(
      error_of({.transactions = R"("name": "relaunch", "checkpoint": "storage", )"
                                R"("checkpoint_iterations": 1, "checkpoint_interval_s": 1)"}),
      Contains(
          "transactions.checkpoint_interval_s: expected at most one of checkpoint_iterations and "
          "checkpoint_interval_s"));
  CHECK_THAT(error_of({.transactions = R"("name": "fampi", "checkpoint": "partner")"}),
             Contains("transactions.checkpoint_interval_s: expected checkpoint_iterations or "
                      "checkpoint_interval_s, or faults with a mean time between them"));
  for (const std::string timeout : {"request_timeout_s", "wait_timeout_s"})
    CHECK_THAT(error_of({.transactions = R"("name": "fampi", ")" + timeout + "\": 0"}),
               Contains("transactions." + timeout + ": expected a number above 0"));
}

TEST_CASE("no death is to be recovered from with what it takes away") {
  const std::string fampi = R"("name": "fampi", )";
  const std::string local = R"("checkpoint": "local", "checkpoint_iterations": 1)";
  const std::string of_node = R"({"time_s": 0.01, "nodes": [1]})";
  const std::string of_spare = R"({"time_s": 0.01, "nodes": [4]})";
  const std::string nobody = R"({"time_s": 0.01, "ranks": [1], "soft": true})";
  for (const std::string name : {"fampi", "ulfm", "relaunch"})
    CHECK_THAT(error_of({.transactions = named(name, ", " + local)}),
               Contains("s.json: transactions.checkpoint: \"local\" leaves checkpoints on the node "
                        "of the dead process, and spawn \"spare-node\" starts the new one on "
                        "another, expected \"partner\" or \"storage\" under faults, or spawn "
                        "\"same-node\""));
  CHECK(error_of({.transactions = fampi + local + R"(, "spawn": "same-node")"}) == "");
  CHECK(error_of({.transactions = fampi + local, .fault = nobody}) == "");
  CHECK(error_of({.transactions = fampi + local, .fault = ""}) == "");
  CHECK(error_of({.workload = R"("name": "try-blocks")",
                  .transactions = fampi + local + R"(, "recovery": "shrink")"}) == "");
  const std::string same = R"(, "spawn": "same-node")";
  for (const std::string name : {"fampi", "ulfm", "relaunch"})
    CHECK_THAT(error_of({.transactions = named(name, same), .fault = of_node}),
               Contains("s.json: transactions.spawn: \"same-node\" has no node for the processes "
                        "of a node that fails"));
  CHECK(error_of({.transactions = R"("name": "fampi")" + same, .fault = of_spare}) == "");
  CHECK(error_of({.transactions = R"("name": "fampi")" + same}) == "");
  CHECK(error_of({.workload = R"("name": "try-blocks")",
                  .transactions = R"("name": "fampi", "recovery": "shrink")" + same,
                  .fault = of_node}) == "");
}

TEST_CASE("what a death may leave waiting, or end, is noted") {
  const std::string two = R"({"time_s": 0.01, "ranks": [1]}, {"time_s": 0.02, "ranks": [2]})";
  const std::string outside = R"("name": "minife", "dots": "outside")";
  CHECK(notes_of({}).empty());
  for (const std::string name : {"fampi", "ulfm"}) {
    const Told told{.workload = outside, .transactions = R"("name": ")" + name + "\""};
    const std::vector<std::string> notes = notes_of(told);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Contains("transactions: " + name +
                                  " gives up only requests inside of TryBlocks, and minife has "
                                  "messages outside of them"));
  }
  // The whole job starts again, wherever a rank waits.
  CHECK(notes_of({.workload = outside, .transactions = R"("name": "relaunch")"}).empty());
  CHECK(notes_of({.workload = outside, .fault = ""}).empty());
  const auto stated = [](const std::string& steps) {
    return notes_of({.workload = R"("name": "try-script", "steps": [)" + steps + "]"}).size();
  };
  CHECK(stated(R"("try", "allreduce 8 B", "finish", "allreduce 8 B")") == 1);
  CHECK(stated(R"("try", "allreduce 8 B", "finish", "compute 1 s")") == 0);
  const std::string unprotected = R"("name": "fampi", "protect_recovery": false)";
  CHECK(notes_of({.transactions = unprotected}).empty());
  REQUIRE(notes_of({.transactions = unprotected, .fault = two}).size() == 1);
  CHECK_THAT(notes_of({.transactions = unprotected, .fault = two})[0],
             Contains("transactions.protect_recovery: false: a rank that waits"));
  const std::string alone = R"("name": "fampi", "scope": "local")";
  REQUIRE(notes_of({.workload = R"("name": "try-blocks")", .transactions = alone}).size() == 1);
  CHECK_THAT(notes_of({.workload = R"("name": "try-blocks")", .transactions = alone})[0],
             Contains("transactions.scope: \"local\" recovers from no death"));
}

TEST_CASE("a wait that is shorter than any message takes is noted") {
  const auto notes = [](const std::string& transactions, const std::string& detector) {
    return notes_of({.transactions = transactions,
                     .rest = R"("failure_detection": {)" + detector + "}, ",
                     .fault = ""});
  };
  const std::string oracle = R"("name": "oracle")";
  CHECK(notes(R"("name": "fampi", "request_timeout_s": 1e-5)", oracle).empty());
  for (const std::string option : {"request_timeout_s", "wait_timeout_s"}) {
    const auto noted = notes(R"("name": "fampi", ")" + option + R"(": 1e-7)", oracle);
    REQUIRE(noted.size() == 1);
    CHECK_THAT(noted[0], Contains("transactions." + option + ": is too short for stampede"));
  }
  const std::string short_wait = R"(, "heartbeat_period_s": 1e-8, "timeout_s": 2e-8)";
  for (const std::string name : {"rdaemon", "ulfm"}) {
    const auto noted = notes(R"("name": "fampi")", named(name, short_wait));
    REQUIRE(noted.size() == 1);
    CHECK_THAT(noted[0], Contains("failure_detection.timeout_s: is too short for stampede"));
  }
  const auto noted = notes(R"("name": "fampi")", R"("name": "swim", "answer_timeout_s": 1e-8)");
  REQUIRE(noted.size() == 1);
  CHECK_THAT(noted[0], Contains("failure_detection.answer_timeout_s: is too short"));
}

TEST_CASE("what a partition of the network loses is noted, unless requests are given up") {
  const auto notes = [](const std::string& transactions) {
    std::string text = text_of({.transactions = transactions, .fault = ""});
    const std::string at = R"("faults": {"at": []})";
    text.replace(text.find(at), at.size(),
                 R"("faults": {"partition": {"nodes": [[0], [1]], "from_s": 1, "to_s": 2}})");
    return scenario::parse_scenario(text, "s.json").notes;
  };
  CHECK(notes(R"("name": "fampi")").empty());
  for (const std::string name : {"relaunch", "ulfm", "none"}) {
    const auto noted = notes(R"("name": ")" + name + "\"");
    REQUIRE(noted.size() == 1);
    CHECK_THAT(noted[0], Contains("faults.partition: nobody sends the lost messages again: unless "
                                  "a failure detector notices the cut before it heals, whatever "
                                  "waits for them in minife waits for ever"));
  }
}

TEST_CASE("a world shrinks only under a program that can go on with fewer ranks") {
  const std::string shrink = R"("name": "fampi", "recovery": "shrink")";
  for (const std::string workload : {R"("name": "minife")", R"("name": "lulesh-mpi")",
                                     R"("name": "try-blocks", "needs_all_ranks": true)"})
    CHECK_THAT(
        error_of({.workload = workload, .transactions = shrink}),
        Contains(
            "transactions.recovery: expected \"rebuild\" or \"merge\": the workload needs all of "
            "its ranks"));
  CHECK(error_of({.platform = R"("processes": 8, "processes_per_node": 2)",
                  .workload = R"("name": "try-blocks")",
                  .transactions = shrink}) == "");
}

TEST_CASE("nothing is presumed of TryBlocks without a collective inside") {
  const std::string presumed = R"("name": "fampi", "scope": "with-collective")";
  for (const std::string workload :
       {R"("name": "minife", "dots": "outside")", R"("name": "minife", "dots": "none")",
        R"("name": "try-blocks")"})
    CHECK_THAT(
        error_of({.workload = workload, .transactions = presumed}),
        Contains("transactions.scope: expected \"global\": the TryBlocks of the workload contain "
                 "no collective"));
  for (const std::string workload : {R"("name": "minife")", R"("name": "lulesh-mpi")",
                                     R"("name": "try-blocks", "allreduces": 1)"})
    CHECK(error_of({.workload = workload, .transactions = presumed}) == "");
}

TEST_CASE("errors and stalls strike ranks, and one of the two at a time") {
  const auto fault_error = [](const std::string& fault, const Told& told) {
    Told one = told;
    one.fault = fault;
    return error_of(one);
  };
  const std::string soft = R"({"time_s": 0.01, "ranks": [1], "soft": true})";
  CHECK(fault_error(soft, {}) == "");
  // Nobody dies, so nobody needs to be told.
  CHECK(fault_error(soft, {.rest = ""}) == "");
  CHECK(fault_error(R"({"time_s": 0.01, "ranks": [1], "stall_s": 1})", {.rest = ""}) == "");
  // Where no TryBlock is rejected, somebody dies.
  CHECK_THAT(fault_error(soft, {.transactions = R"("name": "relaunch")", .rest = ""}),
             Contains("relaunch needs a failure detector under faults"));
  CHECK_THAT(fault_error(R"({"time_s": 1, "ranks": [1], "soft": true, "stall_s": 1})", {}),
             Contains("s.json: faults.at[0]: expected at most one of soft and stall_s"));
  CHECK_THAT(fault_error(R"({"time_s": 1, "ranks": [1], "nodes": [0], "stall_s": 1})", {}),
             Contains("s.json: faults.at[0]: expected ranks alone with stall_s"));
  CHECK_THAT(fault_error(R"({"time_s": 1, "daemons": [0], "soft": true})", {}),
             Contains("s.json: faults.at[0]: expected ranks alone with soft"));
  for (const std::string stall : {"0", "-1", "1e300", "\"1\""})
    CHECK_THAT(fault_error(R"({"time_s": 1, "ranks": [1], "stall_s": )" + stall + "}", {}),
               Contains("s.json: faults.at[0].stall_s: expected a number above 0"));
  CHECK_THAT(fault_error(R"({"time_s": 1, "ranks": [1], "soft": 1})", {}),
             Contains("s.json: faults.at[0].soft: expected"));
}

TEST_CASE("minife refuses more ranks than it has rows, and sums outside of long TryBlocks") {
  CHECK_THAT(error_of({.workload = R"("name": "minife", "nx": 1, "ny": 1, "nz": 1)"}),
             Contains("workload.n"));
  CHECK_THAT(
      error_of({.workload = R"("name": "minife", "dots": "outside", "iterations_per_block": 2)"}),
      Contains("workload.iterations_per_block: 1 with dots \"outside\""));
}

TEST_CASE("a spare node can fail, too, and nodes that are not the job's cannot") {
  CHECK(error_of({.fault = R"({"time_s": 0.01, "nodes": [4]})"}) == "");
  CHECK_THAT(error_of({.fault = R"({"time_s": 0.01, "nodes": [5]})"}),
             Contains("faults.at[0].nodes[0]: expected one of the job's nodes, 0 to 4, got 5"));
}

TEST_CASE("a rank tries a TryBlock again alone only if it needs no messages of others in it") {
  const std::string local = R"("name": "fampi", "scope": "local")";
  const std::string stall = R"({"time_s": 0.01, "ranks": [1], "stall_s": 1})";
  for (const std::string workload : {R"("name": "minife")", R"("name": "minife", "dots": "none")",
                                     R"("name": "try-blocks", "allreduces": 1)"})
    for (const std::string& fault : {Told().fault, stall})
      CHECK_THAT(error_of({.workload = workload, .transactions = local, .fault = fault}),
                 Contains("s.json: transactions: fampi with scope \"local\" repeats a TryBlock at "
                          "one rank alone"));
  CHECK(error_of({.workload = R"("name": "try-blocks")", .transactions = local}) == "");
  // Nothing is tried again if nothing goes wrong.
  CHECK(error_of({.transactions = local, .fault = ""}) == "");
}

TEST_CASE("each mistake in a scenario of transactions is one line, with its file and path") {
  const Told no_cube{.platform = R"("processes": 12, "processes_per_node": 2, "spare_nodes": 1)",
                     .workload = R"("name": "lulesh-mpi")"};
  const Told no_spare{.platform = R"("processes": 8, "processes_per_node": 2)"};
  const auto with = [](const std::string& more) {
    return Told{.transactions = R"("name": "fampi", )" + more};
  };
  const auto stated = [](const std::string& steps) {
    return Told{.workload = R"("name": "try-script", "steps": [)" + steps + "]"};
  };
  const std::vector<std::pair<Told, std::string>> mistakes{
      {stated(R"("try", "try local among 0-3", "allreduce 8 B", "finish", "finish")"),
       "workload.steps[2]"},
      {stated(R"("try", "allreduce 8 B among 4-8", "finish")"), "workload.steps[1]"},
      {stated(R"("try", "try", "finish", "finish")"), "workload.steps[1]"},
      {stated(R"("try")"), "workload.steps[0]"},
      {stated(R"("finish")"), "workload.steps[0]"},
      {stated(""), "workload.steps"},
      {{.workload = R"("name": "try-script")"}, "workload.steps"},
      {{.workload =
            R"("name": "try-script", "steps": ["try", "allreduce 8 B among 0-7", "finish"])",
        .transactions = R"("name": "fampi", "scope": "with-collective")"},
       "transactions.scope"},
      {{.workload = R"("name": "try-script", "steps": ["try", "allreduce 8 B", "finish"])",
        .transactions = R"("name": "fampi", "recovery": "shrink")"},
       "transactions.recovery"},
      {{.workload = R"("name": "minife", "group": [0, 1])"}, "workload.group"},
      {{.workload = R"("name": "minife", "dots": "none")",
        .transactions = R"("name": "fampi", "scope": "with-collective")"},
       "transactions.scope"},
      {no_cube, "workload.name"},
      {{.workload = R"("name": "minife", "nx": 1, "ny": 1, "nz": 1)"}, "workload.nx"},
      {with(R"("request_timeout_s": 0)"), "transactions.request_timeout_s"},
      {with(R"("wait_timeout_s": 0)"), "transactions.wait_timeout_s"},
      {with(R"("recovery": "shrink")"), "transactions.recovery"},
      {no_spare, "transactions.spawn"},
      {with(R"("checkpoint_iterations": 1, "checkpoint_interval_s": 1)"),
       "transactions.checkpoint_interval_s"},
      {with(R"("checkpoint": "storage")"), "transactions.checkpoint_interval_s"},
      {{.rest = ""}, "transactions"},
      {{.transactions = R"("name": "relaunch")", .rest = ""}, "transactions"},
      {{.rest = Told().rest + R"("message_logging": {"name": "causal"}, )"}, "transactions"},
      {{.rest = Told().rest + R"("message_logging": {"name": "fast"}, )"}, "transactions"},
      {{.rest = Told().rest + R"("termination": {"name": "indep"}, )"}, "transactions"},
      {{.transactions = "", .rest = ""}, "workload"}};
  for (const auto& [told, path] : mistakes) {
    const std::string error = error_of(told);
    CAPTURE(error);
    CHECK(error.rfind("s.json: " + path + ": ", 0) == 0);
    CHECK(error.find('\n') == std::string::npos);
  }
}

}  // namespace faultline::transactions
