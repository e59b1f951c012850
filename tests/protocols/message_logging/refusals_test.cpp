// SPDX-License-Identifier: Apache-2.0

// What message logging refuses, and of what it warns, with its path in the scenario.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace faultline::message_logging {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A scenario that is accepted, unless a test changes parts of it.
struct Told {
  std::string platform = R"("processes": 8, "processes_per_node": 2)";
  std::string workload = R"("name": "stencil", "checkpoint_iterations": 5)";
  std::string logging = "causal";
  std::string options = "";
  std::string rest = R"("failure_detection": {"name": "oracle"}, )";
  std::string faults = R"({"time_s": 0.01, "ranks": [1]})";
};

std::string text_of(const Told& told) {
  return R"({"schema_version": 1, "platform": {"machine": "intrepid", )" + told.platform +
         R"(}, "workload": {)" + told.workload + R"(}, "message_logging": {"name": ")" +
         told.logging + "\"" + told.options + "}, " + told.rest + R"("faults": {"at": [)" +
         told.faults + R"(]}, "stop": {"when": "finished"}})";
}

std::string error_of(const Told& told) {
  try {
    scenario::parse_scenario(text_of(told), "s.json");
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

const std::vector<std::string>& protocols() {
  static const std::vector<std::string> names{"checkpoint-restart", "causal", "pessimistic",
                                              "send-deterministic", "fast"};
  return names;
}

}  // namespace

TEST_CASE("message logging accepts what it can recover") {
  const std::string objects =
      R"("name": "stencil", "checkpoint_iterations": 5, "objects_per_process": 8)";
  for (const std::string& protocol : protocols()) {
    CHECK(error_of({.logging = protocol}) == "");
    CHECK(error_of({.workload = objects, .logging = protocol}) == "");
  }
}

TEST_CASE("message logging refuses faults that it cannot recover from") {
  for (const std::string& protocol : protocols()) {
    CHECK(error_of({.workload = R"("name": "stencil")", .logging = protocol}) == "");
    for (const std::string spares : {"", R"(, "spare_nodes": 2)"})
      CHECK_THAT(error_of({.platform = R"("processes": 4, "processes_per_node": 4)" + spares,
                           .logging = protocol}),
                 Contains("platform.processes: expected at least 2 nodes"));
    CHECK_THAT(error_of({.logging = protocol, .faults = R"({"time_s": 0.01, "nodes": [1]})"}),
               Contains("platform.spare_nodes: ") && Contains("expected at least 1"));
    CHECK_THAT(error_of({.logging = protocol, .rest = ""}),
               Contains("message_logging: ") && Contains("failure detector"));
    CHECK(error_of({.platform = R"("processes": 8, "processes_per_node": 2, "spare_nodes": 1)",
                    .logging = protocol,
                    .faults = R"({"time_s": 0.01, "nodes": [1]})"}) == "");
  }
}

TEST_CASE("a protocol that brings back one rank at a time warns of faults that take several") {
  const auto notes = [](const std::string& protocol, const std::string& per_node,
                        const std::string& faults) {
    return scenario::parse_scenario(text_of({.platform = R"("processes": 8, "spare_nodes": 2, )"
                                                         R"("processes_per_node": )" +
                                                         per_node,
                                             .logging = protocol,
                                             .faults = faults}),
                                    "s.json")
        .notes;
  };
  const std::string node = R"({"time_s": 0.01, "nodes": [1]})";
  const std::string drawn = R"(], "poisson": [{"mtbf_s": 10, "victims": "nodes"})";
  const std::string several = R"({"time_s": 0.01, "ranks": [1, 5]})";
  const std::string several_drawn =
      R"(], "poisson": [{"mtbf_s": 10, "victims": "ranks", "size": 2})";
  for (const std::string& protocol : protocols()) {
    CAPTURE(protocol);
    const bool singly = protocol != "checkpoint-restart" && protocol != "fast";
    for (const std::string& faults : {node, drawn, several, several_drawn}) {
      const std::vector<std::string> told = notes(protocol, "4", faults);
      REQUIRE(told.size() == (singly ? 1 : 0));
      if (!singly) continue;
      CHECK_THAT(told[0], StartsWith("s.json: message_logging: " + protocol +
                                     " brings back one rank at a time") &&
                              Contains(", choose checkpoint-restart or fast"));
      if (faults == node || faults == drawn)
        CHECK_THAT(told[0], Contains("the death of a node, which holds up to 4 ranks here"));
    }
    for (const std::string& faults : {node, drawn}) CHECK(notes(protocol, "1", faults).empty());
    CHECK(notes(protocol, "4", R"({"time_s": 0.01, "ranks": [1]})").empty());
    CHECK(notes(protocol, "4", "").empty());
  }
}

TEST_CASE("message logging asks for spare nodes where drawn faults strike nodes") {
  const auto error = [](const std::string& protocol, const std::string& spare_nodes,
                        const std::string& victims) {
    return error_of(
        {.platform = R"("processes": 8, "processes_per_node": 2, "spare_nodes": )" + spare_nodes,
         .logging = protocol,
         .faults = R"(], "poisson": [{"mtbf_s": 10, "victims": ")" + victims + "\"}"});
  };
  for (const std::string& protocol : protocols()) {
    CHECK_THAT(error(protocol, "0", "nodes"),
               Contains("platform.spare_nodes: ") && Contains("expected at least 1"));
    CHECK(error(protocol, "1", "nodes") == "");
    CHECK(error(protocol, "0", "ranks") == "");
  }
}

TEST_CASE("message logging refuses images that are larger than 1 TB") {
  const auto error = [](const std::string& object_bytes, const std::string& more) {
    return error_of(
        {.workload = R"("name": "stencil", "objects_per_process": 4, "object_bytes": )" +
                     object_bytes + more});
  };
  const std::string checkpoints = R"(, "checkpoint_iterations": 5)";
  CHECK(error("250000000000", checkpoints) == "");
  CHECK_THAT(
      error("250000000001", checkpoints),
      Contains("workload.object_bytes: expected at most 250000000000 with 4 objects_per_process"));
  CHECK_THAT(error("250000000001", ""), !Contains("object_bytes"));
  for (const std::string& protocol : protocols()) {
    const auto image = [&](const std::string& bytes) {
      return error_of({.logging = protocol, .options = R"(, "image_bytes": )" + bytes});
    };
    CHECK(image("1000000000000") == "");
    CHECK_THAT(image("1000000000001"), Contains("message_logging.image_bytes: "));
  }
}

TEST_CASE("protocols without determinants refuse programs that depend on the order of messages") {
  for (const std::string& protocol : protocols()) {
    const bool refused = protocol == "fast" || protocol == "send-deterministic";
    const std::string error =
        error_of({.workload = R"("name": "ordered-stencil", "checkpoint_iterations": 5)",
                  .logging = protocol});
    CAPTURE(protocol, error);
    CHECK(error.empty() != refused);
    if (refused) CHECK_THAT(error, Contains("message_logging: ") && Contains("allow_unsafe"));
  }
}

TEST_CASE("message logging refuses a termination detector whose messages it cannot replay") {
  for (const std::string& protocol : protocols())
    for (const bool dies : {false, true}) {
      const std::string error =
          error_of({.logging = protocol,
                    .rest = R"("termination": {"name": "cda"}, )"
                            R"("failure_detection": {"name": "oracle"}, )",
                    .faults = dies ? R"({"time_s": 0.01, "ranks": [1]})" : ""});
      CAPTURE(protocol, dies, error);
      if (protocol == "fast")
        CHECK_THAT(error,
                   Contains("message_logging: fast does not work below another layer (cda)"));
      else if (protocol == "send-deterministic" && dies)
        CHECK_THAT(error, Contains("message_logging: send-deterministic replays messages in "
                                   "another order, and what cda sends depends on that"));
      else
        CHECK(error == "");
    }
}

TEST_CASE("fast refuses more helpers than there are objects on a rank or other ranks") {
  const auto error = [](const std::string& helpers, const std::string& objects,
                        const std::string& faults) {
    return error_of({.workload = R"("name": "stencil", "checkpoint_iterations": 5, )"
                                 R"("objects_per_process": )" +
                                 objects,
                     .logging = "fast",
                     .options = R"(, "helpers": )" + helpers,
                     .faults = faults});
  };
  for (const std::string faults : {"", R"({"time_s": 0.01, "ranks": [1]})"}) {
    CHECK(error("4", "4", faults) == "");
    CHECK_THAT(error("5", "4", faults), Contains("message_logging.helpers: expected at most 4, the "
                                                 "objects_per_process of the workload, got 5"));
    CHECK(error("7", "16", faults) == "");
    CHECK_THAT(error("8", "16", faults), Contains("message_logging.helpers: ") &&
                                             Contains("at most 7 with 8 processes, got 8"));
  }
  CHECK_THAT(error_of({.workload = R"("name": "ping-pong")",
                       .logging = "fast",
                       .options = R"(, "helpers": 1)",
                       .faults = ""}),
             Contains("message_logging.helpers: expected 0, because ping-pong has no objects"));
}

TEST_CASE("too many helpers for the job and for the workload are told in one line") {
  const std::string error =
      error_of({.workload = R"("name": "stencil", "checkpoint_iterations": 5)",
                .logging = "fast",
                .options = R"(, "helpers": 8)"});
  CHECK_THAT(error, Contains("message_logging.helpers: expected at most 7 with 8 processes"));
  CHECK_THAT(error, !Contains("objects_per_process") && !Contains("\n"));
}

TEST_CASE("images that do not fit into the memory of a node are warned of, and run") {
  const auto notes = [](const char* machine, const char* per_node, const char* bytes) {
    return scenario::parse_scenario(
               std::string(R"({"schema_version": 1, "platform": {"machine": ")") + machine +
                   R"(", "processes": 4, "processes_per_node": )" + per_node +
                   R"(}, "workload": {"name": "stencil", "iterations": 1},
                               "message_logging": {"name": "checkpoint-restart", "image_bytes": )" +
                   bytes + "}}",
               "s.json")
        .notes;
  };
  CHECK(notes("intrepid", "1", "2147483648").empty());
  CHECK(notes("intrepid", "4", "536870912").empty());
  CHECK(notes("nacl", "1", "1000000000000").empty());  // its file does not state it
  CHECK(notes("intrepid", "1", "2147483649") ==
        std::vector<std::string>{"s.json: message_logging.image_bytes: does not fit: a node of "
                                 "intrepid has a memory of 2147483648 bytes"});
  const std::vector<std::string> several = notes("intrepid", "4", "536870913");
  REQUIRE(several.size() == 1);
  CHECK_THAT(several[0], Contains("and holds 4 ranks"));
}

}  // namespace faultline::message_logging
