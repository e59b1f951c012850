// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/usual_metrics.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::runs {

using Names = std::vector<std::string>;

namespace {

/// A stack with these components, by the keys of their families; "none" elsewhere.
StackText stack_of(const std::map<std::string, std::string>& components) {
  json::JsonValue resolved = json::JsonValue::Object{};
  for (const StackPlace& place : kStack) {
    const auto found = components.find(place.key);
    resolved.set(place.key,
                 json::json_object({{"name", found == components.end() ? "none" : found->second}}));
  }
  return stack_text(resolved);
}

}  // namespace

TEST_CASE("every family has its own metrics where nobody names any") {
  CHECK(usual_metrics(families(Family::workload)) == Names{"end_time_s"});
  CHECK(usual_metrics(families(Family::termination)) ==
        Names{"control_messages", "detection_latency_s"});
  CHECK(usual_metrics(families(Family::failure_detection)) ==
        Names{"false_reports", "detection_messages_per_node_per_s", "failure_detection_latency_s",
              "failure_propagation_latency_s"});
  CHECK(usual_metrics(families(Family::message_logging)) ==
        Names{"application_messages", "control_messages", "checkpoint_time_s",
              "rollback_recovery_time_max_s", "logging_cost_s"});
  CHECK(usual_metrics(families(Family::transactions)) ==
        Names{"application_messages", "control_messages", "detection_time_s", "revoke_time_s",
              "agreement_time_s", "shrink_time_s", "spawn_time_s", "rebuild_time_s",
              "restore_time_s", "redone_time_s", "recovery_time_s", "commit_time_s"});
}

TEST_CASE("the families matter that a stack has") {
  const StackText stack = stack_of({{"workload", "stencil"}, {"message_logging", "fast"}});
  CHECK(families_that_matter({stack}) == families(Family::workload, Family::message_logging));
  CHECK(families_that_matter({stack, stack}) ==
        families(Family::workload, Family::message_logging));
  // What only one of them has differs from what the other has.
  CHECK(families_that_matter({stack, stack_of({{"workload", "stencil"}})}) ==
        families(Family::workload, Family::message_logging));
  CHECK(families_that_matter({stack_of({})}) == families(Family::workload));
}

TEST_CASE("what lies below everything that differs does not matter, what lies above does") {
  const auto stack = [](const char* termination, const char* detector) {
    return stack_of(
        {{"workload", "flood"}, {"termination", termination}, {"failure_detection", detector}});
  };
  CHECK(families_that_matter({stack("indep", "oracle"), stack("rel-eager", "oracle")}) ==
        families(Family::workload, Family::termination));
  CHECK(families_that_matter({stack("indep", "swim"), stack("indep", "ulfm")}) ==
        families(Family::workload, Family::termination, Family::failure_detection));
  // Another workload is no other protocol.
  CHECK(families_that_matter(
            {stack("indep", "oracle"), stack_of({{"workload", "token-ring"},
                                                 {"termination", "indep"},
                                                 {"failure_detection", "oracle"}})}) ==
        families(Family::workload, Family::termination, Family::failure_detection));
}

TEST_CASE("components differ in their options, too, in a scenario as in a store") {
  scenario::RunSpec spec;
  scenario::ComponentChoice& detector = spec.components[index_of(Family::failure_detection)];
  detector.registration = find_registration(Family::failure_detection, "oracle");
  REQUIRE(detector.registration != nullptr);
  detector.options["delay_s"] = 0.5;
  const StackText slow = stack_text(spec);
  CHECK(slow[index_of(Family::termination)].empty());
  CHECK(slow == stack_text(spec));
  detector.options["delay_s"] = 0.25;
  CHECK(slow != stack_text(spec));
  const auto stored = [](double delay_s) {
    return stack_text(json::json_object(
        {{"failure_detection", json::json_object({{"name", "oracle"}, {"delay_s", delay_s}})}}));
  };
  CHECK(stored(0.5) != stored(0.25));
  CHECK(stored(0.5) == stored(0.5));
}

TEST_CASE("a time or a rate of 0 is worth no column, a count is") {
  CHECK_FALSE(tells_something("shrink_time_s", 0.0));
  CHECK(tells_something("shrink_time_s", 1e-9));
  CHECK_FALSE(tells_something("detection_messages_per_node_per_s", 0.0));
  CHECK(tells_something("false_reports", 0.0));
}

}  // namespace faultline::runs
