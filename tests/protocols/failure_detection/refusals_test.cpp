// SPDX-License-Identifier: Apache-2.0

// What the failure detectors with a ring of heartbeats refuse, with its path in the scenario.

#include <catch2/catch.hpp>
#include <string>

#include "tests/scenario/workspace.hpp"

namespace faultline::failure_detection {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string errors_of(const std::string& name, const std::string& options) {
  const scenario::Workspace workspace;
  std::string error = workspace.errors_after({R"(failure_detection={"name": ")" + name + "\"" +
                                              (options.empty() ? "" : ", ") + options + "}"});
  const std::string file = workspace.path("s.json") + ": ";
  if (error.rfind(file, 0) == 0) error.erase(0, file.size());
  return error;
}

}  // namespace

TEST_CASE("detectors with heartbeats refuse a timeout that is not above the period") {
  for (const char* name : {"rdaemon", "ulfm"})
    for (const char* timeout : {"0.5", "0.4"}) {
      const std::string error =
          errors_of(name, std::string(R"("heartbeat_period_s": 0.5, "timeout_s": )") + timeout);
      CHECK_THAT(error, StartsWith("failure_detection.timeout_s: expected more than "
                                   "heartbeat_period_s"));
      CHECK(error.find('\n') == std::string::npos);
    }
  for (const char* name : {"rdaemon", "ulfm"})
    CHECK(errors_of(name, R"("heartbeat_period_s": 0.5, "timeout_s": 0.500001)") == "");
}

TEST_CASE("detectors with heartbeats refuse times out of range") {
  for (const char* name : {"rdaemon", "ulfm"})
    for (const char* time : {"heartbeat_period_s", "timeout_s"})
      for (const char* value : {"0", "-1"})
        CHECK_THAT(errors_of(name, std::string("\"") + time + "\": " + value),
                   StartsWith(std::string("failure_detection.") + time +
                              ": expected a number from 1e-09"));
  for (const char* time : {"daemon_cpu_s", "daemon_delay_s", "start_slack_s", "mending_grace_s"})
    CHECK_THAT(errors_of("rdaemon", std::string("\"") + time + "\": -1e-9"),
               StartsWith(std::string("failure_detection.") + time + ": expected a number from 0"));
  CHECK_THAT(errors_of("rdaemon", R"("radix": 0)"),
             StartsWith("failure_detection.radix: expected an integer from 1"));
  CHECK_THAT(errors_of("rdaemon", R"("broadcast": "bgm")"), Contains("did you mean \"bmg\"?"));
}

TEST_CASE("detectors with heartbeats refuse a job with a single member") {
  const scenario::Workspace workspace;
  const std::string one_node = R"(platform.processes=4)";
  const std::string one_rank = R"(platform.processes=1)";
  const auto errors = [&](const std::string& platform, const std::string& detector) {
    return workspace.errors_after({platform, "failure_detection=" + detector});
  };
  CHECK_THAT(errors(one_node, R"({"name": "rdaemon"})"),
             Contains("failure_detection.name: rdaemon needs 2 nodes"));
  CHECK(errors(one_node, R"({"name": "ulfm"})") == "");
  CHECK_THAT(errors(one_rank, R"({"name": "ulfm"})"),
             Contains("failure_detection.name: ulfm needs 2 processes"));
  CHECK_THAT(errors("platform.processes=8", R"({"name": "rdaemon", "as_built": true})"),
             Contains("failure_detection.as_built: rdaemon needs 3 nodes"));
  CHECK(errors("platform.processes=8", R"({"name": "rdaemon"})") == "");
}

}  // namespace faultline::failure_detection
