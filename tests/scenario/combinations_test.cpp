// SPDX-License-Identifier: Apache-2.0

// Parts of a scenario that do not go together: what is refused, what is noted, and what is not.

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

const std::string kFault = R"(faults.at=[{"time_s": 1, "nodes": [0]}])";

}  // namespace

TEST_CASE("combinations whose assumptions clash are refused by name unless allowed") {
  const Workspace workspace;
  const auto [sets, path, message] =
      GENERATE(table<std::vector<std::string>, std::string, std::string>({
          {{"termination.name=test-ordered", "platform.ordering=unordered"},
           "termination: ",
           "test-ordered needs messages in order, expected platform.ordering \"fifo\""},
          {{"termination.name=cda", kFault},
           "termination: ",
           "cda tolerates no faults, expected no faults"},
          {{"termination.name=cda", R"(failure_detection={"name": "erring-oracle"})"},
           "termination: ",
           "cda tolerates no faults, and erring-oracle declares a rank dead that lives, expected "
           "another failure_detection"},
          {{"termination.name=test-adopting", kFault},
           "termination: ",
           "test-adopting needs a failure detector under faults"},
          {{"termination.name=test-adopting", R"(message_logging={"name": "test-logging"})"},
           "termination: ",
           "test-adopting does not work above message logging (test-logging)"},
          {{"termination.name=test-ordered", R"(message_logging={"name": "test-imaging"})"},
           "message_logging: ",
           "test-imaging needs images of everything above it, and test-ordered has none, choose "},
      }));
  CAPTURE(message);
  const std::string error = workspace.errors_after(sets);
  CHECK_THAT(error, Contains("s.json: " + path));
  CHECK_THAT(error, Contains(message));
  CHECK_THAT(error, Contains("or set \"allow_unsafe\": true"));
  auto allowed = sets;
  allowed.emplace_back("allow_unsafe=true");
  CHECK(workspace.errors_after(allowed).empty());
}

TEST_CASE("combinations whose assumptions hold are accepted") {
  const Workspace workspace;
  CHECK(workspace
            .errors_after({"termination.name=test-adopting", kFault,
                           R"(failure_detection={"name": "oracle"})"})
            .empty());
  CHECK(workspace.errors_after({"termination.name=test-ordered", kFault}).empty());
  CHECK(workspace.errors_after({"platform.ordering=unordered"}).empty());
}

TEST_CASE("only the point that clashes is refused") {
  const Workspace workspace;
  const std::string error =
      workspace.errors_after({R"(termination=[{"name": "test-silent"}, {"name": "cda"}])", kFault});
  CHECK_THAT(error, Contains("termination[1]: cda tolerates no faults"));
  CHECK(lines_in(error) == 1);
}

TEST_CASE("a run that may never finish, and losses of nobody's messages, are warned of") {
  const Workspace workspace;
  const auto notes = [&workspace](std::vector<std::string> sets) {
    sets.insert(sets.end(), {R"(termination={"name": "none"})", R"(workload={"name": "stencil"})"});
    return workspace.scenario_after(sets).notes;
  };
  const std::string oracle = R"(failure_detection={"name": "oracle"})";
  CHECK(notes({oracle}).empty());
  const auto unprotected = notes({oracle, kFault});
  REQUIRE(unprotected.size() == 1);
  CHECK_THAT(unprotected[0],
             Contains("s.json: stop.when: \"finished\" may never come: stencil waits "
                      "for ranks that die, and nothing brings them back, choose "));
  CHECK(notes({oracle, kFault, "stop.when=time"}).empty());
  const auto lossless = notes({oracle, "platform.detection_loss_probability=0.1"});
  REQUIRE(lossless.size() == 1);
  CHECK_THAT(lossless[0], Contains("s.json: platform.detection_loss_probability: has no effect: "
                                   "oracle sends no messages"));
  CHECK(notes({R"(failure_detection={"name": "swim"})", "platform.detection_loss_probability=0.1"})
            .empty());
}

TEST_CASE("a program that message logging brings back to its start is noted, whatever it is") {
  const Workspace workspace;
  const std::string oracle = R"(failure_detection={"name": "oracle"})";
  const std::string erring = R"(failure_detection={"name": "erring-oracle"})";
  const auto with_logging = [](std::vector<std::string> sets) {
    sets.insert(sets.end(), {R"(termination={"name": "none"})", "platform.spare_nodes=1",
                             R"(message_logging={"name": "checkpoint-restart"})"});
    return sets;
  };
  const auto error = [&](const std::vector<std::string>& sets) {
    return workspace.errors_after(with_logging(sets));
  };
  const std::string none = R"(workload={"name": "stencil"})";
  for (const std::string& cause : {oracle, erring}) {
    std::vector<std::string> sets{none, cause};
    if (cause == oracle) sets.push_back(kFault);
    CHECK(error(sets).empty());
    const std::vector<std::string> notes = workspace.scenario_after(with_logging(sets)).notes;
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Contains("workload.checkpoint_iterations: there are no checkpoints, so "
                                  "checkpoint-restart brings a rank that dies back to the start"));
    sets.front() = R"(workload={"name": "ping-pong"})";
    CHECK(error(sets).empty());
    CHECK_THAT(workspace.scenario_after(with_logging(sets)).notes.at(0),
               Contains("message_logging: checkpoint-restart brings a rank that dies back to the "
                        "start of its program: ping-pong asks for no checkpoints"));
    sets.front() = R"(workload={"name": "stencil", "checkpoint_iterations": 1})";
    CHECK(error(sets).empty());
  }
  CHECK(error({none, oracle}).empty());
  CHECK(error({none, erring, "allow_unsafe=true"}).empty());
}

TEST_CASE("send-deterministic is refused below a detector wherever ranks can restart") {
  const Workspace workspace;
  const auto error = [&workspace](std::vector<std::string> sets) {
    sets.insert(sets.end(), {R"(workload={"name": "stencil", "checkpoint_iterations": 1})",
                             R"(termination={"name": "four-counter"})",
                             R"(message_logging={"name": "send-deterministic"})"});
    return workspace.errors_after(sets);
  };
  const auto refused = Contains(
      "send-deterministic replays messages in another order, and what four-counter sends depends");
  const std::string ulfm = R"(failure_detection={"name": "ulfm"})";
  CHECK_THAT(error({R"(failure_detection={"name": "oracle"})", kFault}), refused);
  CHECK_THAT(error({R"(failure_detection={"name": "erring-oracle"})"}), refused);
  CHECK_THAT(error({ulfm, "platform.start_delay_s=0.1"}), refused);
  CHECK(
      error({ulfm, "platform.start_delay_s=0.1", R"(platform.fencing={"by": "nobody"})"}).empty());
  CHECK(error({ulfm}).empty());
}

TEST_CASE("a detector that may err where no checkpoints are, or sees no later life, is noted") {
  const Workspace workspace;
  const auto notes = [&workspace](std::vector<std::string> sets) {
    sets.insert(sets.end(), {R"(termination={"name": "none"})", "platform.spare_nodes=1",
                             R"(message_logging={"name": "checkpoint-restart"})"});
    return workspace.scenario_after(sets).notes;
  };
  const std::string stencil = R"(workload={"name": "stencil"})";
  const std::string ulfm = R"(failure_detection={"name": "ulfm"})";
  for (const std::string hindrance :
       {"platform.start_delay_s=0.1", "platform.detection_loss_probability=0.1",
        R"(faults.at=[{"time_s": 1, "ranks": [1], "stall_s": 1}])",
        R"(faults.slow={"nodes": [1], "factor": 2})"}) {
    CAPTURE(hindrance);
    const auto noted = notes({stencil, ulfm, hindrance});
    REQUIRE(noted.size() == 1);
    CHECK_THAT(noted[0], Contains("workload.checkpoint_iterations: a rank that is declared dead"));
  }
  CHECK(notes({stencil, ulfm}).empty());

  const std::string with_checkpoints =
      R"(workload={"name": "stencil", "checkpoint_iterations": 1})";
  CHECK(notes({with_checkpoints, ulfm, kFault}).empty());
  for (const auto& [detector, words] : std::vector<std::pair<std::string, std::string>>{
           {R"({"name": "ulfm", "rejoin": false})", "a process that has been started again"},
           {R"({"name": "ulfm", "as_built": true})", "a process that has been started again"},
           {R"({"name": "rdaemon", "rejoin": false})", "a node that has been repaired"}}) {
    const auto noted = notes({with_checkpoints, "failure_detection=" + detector, kFault});
    REQUIRE(noted.size() == 1);
    CHECK_THAT(noted[0], Contains("failure_detection: does not watch " + words));
    CHECK(notes({with_checkpoints, "failure_detection=" + detector}).empty());
  }
  const std::string rdaemon = R"(failure_detection={"name": "rdaemon", "rejoin": false})";
  CHECK(notes({with_checkpoints, rdaemon, R"(faults.at=[{"time_s": 1, "ranks": [1]}])"}).empty());
}

TEST_CASE("a stop condition that cannot come is refused, allowed or not") {
  const Workspace workspace;
  const std::string none = R"(termination={"name": "none"})";
  CHECK_THAT(workspace.errors_after({none, "stop.when=announced", "allow_unsafe=true"}),
             Contains("stop.when: \"announced\" needs a termination detector"));
  CHECK_THAT(workspace.errors_after({"termination.name=test-silent", "stop.when=announced"}),
             Contains("stop.when: \"announced\" needs a termination detector"));
  CHECK_THAT(workspace.errors_after({"stop.when=finished"}),
             Contains("stop.when: \"finished\" never comes with workload token-ring"));
  CHECK_THAT(workspace.errors_after({"stop.when=all-reported"}),
             Contains("stop.when: \"all-reported\" needs a failure detector"));
}

}  // namespace faultline::scenario
