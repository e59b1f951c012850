// SPDX-License-Identifier: Apache-2.0

// What works above what: the rule against the pages of the protocols, and against what the reader
// of scenarios accepts.
#include "sim/scenario/stack_rule.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/scenario/stack_pairs.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

using Names = std::vector<std::string>;

const Names kPlainDetectors{"cda", "dijkstra-scholten", "edod", "four-counter", "hcda"};
const Names kAdoptingDetectors{"indep", "rel-eager", "rel-lazy"};
const Names kWaveDetectors{"lai-wu", "venkatesan"};
const Names kTransactions{"fampi", "relaunch", "ulfm"};
const Names kKeepOrder{"causal", "checkpoint-restart", "pessimistic"};
const Names kDynamic{"flood",      "projection",      "random-tree",  "script",
                     "token-ring", "uniform-traffic", "work-stealing"};

const StackPair& pair_of(const StackPairs& all, const std::string& part,
                         const std::string& recovery, Family family = Family::workload) {
  const auto found = std::ranges::find_if(all.pairs, [&](const StackPair& pair) {
    return pair.part.name() == part && pair.recovery.name() == recovery &&
           (family == Family::workload || pair.part.family == family);
  });
  REQUIRE(found != all.pairs.end());
  return *found;
}

/// "works", or the ground of the first reason.
std::string verdict(const StackPair& pair) {
  if (pair.works) return pair.reasons.empty() ? "works" : "warning";
  REQUIRE_FALSE(pair.reasons.empty());
  return ground_word(pair.reasons.front().ground);
}

void check_all(const StackPairs& all, const Names& parts, const Names& recoveries,
               const std::string& expected) {
  for (const std::string& part : parts)
    for (const std::string& recovery : recoveries) {
      CAPTURE(part, recovery);
      CHECK(verdict(pair_of(all, part, recovery)) == expected);
    }
}

/// The stack of components with these names, top first; "" for none.
StackParts stack(const std::array<std::string, kFamilies>& names) {
  StackParts parts{};
  for (const StackPlace& place : kStack)
    parts[index_of(place.family)] = find_registration(place.family, names[index_of(place.family)]);
  return parts;
}

}  // namespace

TEST_CASE("termination detectors work above what their pages say, where processes die") {
  const StackPairs all = stack_pairs();
  check_all(all, kAdoptingDetectors, {"none"}, "works");
  check_all(all, kWaveDetectors, {"none"}, "works");
  check_all(all, kPlainDetectors, {"none"}, "by nature");
  check_all(all, kPlainDetectors, kKeepOrder, "works");
  check_all(all, kPlainDetectors, {"send-deterministic", "fast"}, "by nature");
  // They survive deaths of which they are never told.
  check_all(all, kAdoptingDetectors, kKeepOrder, "warning");
  check_all(all, kAdoptingDetectors, {"send-deterministic", "fast"}, "by nature");
  check_all(all, kWaveDetectors, {"causal", "fast", "send-deterministic"}, "not built");
  check_all(all, kPlainDetectors, kTransactions, "by nature");
  check_all(all, kAdoptingDetectors, kTransactions, "not built");
  check_all(all, kWaveDetectors, kTransactions, "not built");
}

TEST_CASE("programs work above the recoveries for which they have what it takes") {
  const StackPairs all = stack_pairs();
  check_all(all, {"minife", "lulesh-mpi", "try-blocks", "try-script"}, kTransactions, "works");
  check_all(all, kDynamic, {"fampi", "ulfm"}, "by nature");
  check_all(all, kDynamic, {"relaunch"}, "not built");
  check_all(all, {"allreduce", "ping-pong"}, kTransactions, "not built");
  check_all(all, {"stencil"}, {"causal", "checkpoint-restart", "pessimistic", "fast"}, "works");
  check_all(all, {"stencil"}, {"send-deterministic"}, "works");
  check_all(all, {"ordered-stencil"}, kKeepOrder, "works");
  check_all(all, {"ordered-stencil"}, {"send-deterministic", "fast"}, "by nature");
  // Nobody brings its ranks back, so it waits for the dead.
  check_all(all, {"stencil", "ping-pong"}, {"none"}, "warning");
  check_all(all, {"token-ring"}, {"none"}, "works");
}

TEST_CASE("every recovery must be told of deaths, by whichever detector") {
  const StackPairs all = stack_pairs();
  for (const StackPart& recovery : all.recoveries) {
    if (recovery.name().starts_with("test-")) continue;
    CAPTURE(recovery.name());
    for (const std::string detector : {"oracle", "swim", "ulfm", "rdaemon", "connection-loss"})
      CHECK(pair_of(all, detector, recovery.name(), Family::failure_detection).works);
    const StackPair& none = pair_of(all, "none", recovery.name(), Family::failure_detection);
    CHECK(none.works == (recovery.component == nullptr));
    if (!none.works)
      CHECK_THAT(none.reasons.front().words, Contains("needs a failure detector under faults"));
  }
}

TEST_CASE("transactions are compared with message logging alone, and do not work above it") {
  const StackPairs all = stack_pairs();
  for (const StackPair& pair : all.pairs) {
    if (pair.part.family != Family::transactions) continue;
    CHECK(pair.recovery.family == Family::message_logging);
    CHECK(pair.recovery.component != nullptr);
    if (!pair.recovery.name().starts_with("test-")) CHECK(verdict(pair) == "not built");
  }
}

TEST_CASE("what is said not to work is refused in every scenario, and what works is accepted") {
  const Workspace workspace;
  const StackPairs all = stack_pairs();
  const auto errors = [&](const std::string& workload, const std::string& termination,
                          const StackPart& recovery) {
    std::vector<std::string> sets{"workload=" + workload,
                                  R"(termination={"name": ")" + termination + "\"}",
                                  R"(failure_detection={"name": "oracle"})",
                                  "platform.spare_nodes=4",
                                  R"(faults.at=[{"time_s": 1, "ranks": [3]}])",
                                  "stop.when=time"};
    if (recovery.component != nullptr)
      sets.push_back(std::string(family_key(recovery.family)) + R"(={"name": ")" + recovery.name() +
                     "\"}");
    return workspace.errors_after(sets);
  };
  const std::map<std::string, std::string> programs{
      {"stencil", R"({"name": "stencil", "checkpoint_iterations": 2})"},
      {"ordered-stencil", R"({"name": "ordered-stencil", "checkpoint_iterations": 2})"},
      {"try-blocks", R"({"name": "try-blocks"})"},
      {"random-tree", R"({"name": "random-tree"})"},
      {"ping-pong", R"({"name": "ping-pong"})"}};
  std::size_t refused = 0;
  for (const StackPart& recovery : all.recoveries) {
    if (recovery.name().starts_with("test-")) continue;
    for (const auto& [name, program] : programs) {
      CAPTURE(name, recovery.name());
      const StackPair& pair = pair_of(all, name, recovery.name());
      const std::string error = errors(program, "none", recovery);
      CHECK(error.empty() == pair.works);
      for (const PairReason& reason : pair.reasons)
        if (!pair.works) CHECK_THAT(error, Contains(reason.words));
      refused += pair.works ? 0 : 1;
    }
    for (const StackPart& part : all.parts) {
      if (part.family != Family::termination || part.name().starts_with("test-")) continue;
      CAPTURE(part.name(), recovery.name());
      const StackPair& pair = pair_of(all, part.name(), recovery.name());
      bool is_accepted = false;
      for (const auto& [name, program] : programs)
        is_accepted = is_accepted || errors(program, part.name(), recovery).empty();
      CHECK(is_accepted == pair.works);
    }
  }
  CHECK(refused > 10);
}

TEST_CASE("the rule judges a stack by what it has to bear") {
  const StackParts plain = stack({"token-ring", "", "cda", "", ""});
  CHECK(refusals_of(plain, {}).empty());
  const auto deaths = refusals_of(plain, {.deaths = true, .restarts = true});
  REQUIRE(deaths.size() == 1);
  CHECK(deaths[0].component == find_registration(Family::termination, "cda"));
  CHECK(deaths[0].other == nullptr);
  CHECK(deaths[0].ground == Ground::nature);
  const StackParts in_order = stack({"token-ring", "", "edod", "", ""});
  CHECK(refusals_of(in_order, {}).empty());
  const auto unordered = refusals_of(in_order, {.unordered = true});
  REQUIRE(unordered.size() == 1);
  CHECK(unordered[0].ground == Ground::settings);
  // Send-determinism below a detector breaks only where a rank starts again.
  const StackParts replayed = stack({"stencil", "", "cda", "send-deterministic", "oracle"});
  CHECK(refusals_of(replayed, {}).empty());
  CHECK(refusals_of(replayed, {.restarts = true}).size() == 1);
}

TEST_CASE("a detector that survives deaths is redundant above message logging, if any strike") {
  const StackParts parts = stack({"token-ring", "", "rel-lazy", "causal", "oracle"});
  CHECK(refusals_of(parts, {.deaths = true, .restarts = true}).empty());
  CHECK(warnings_of(parts, {}).empty());
  const auto warnings = warnings_of(parts, {.deaths = true, .restarts = true});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].component == find_registration(Family::termination, "rel-lazy"));
  CHECK_THAT(warnings[0].words, Contains("causal brings ranks back below it"));
  CHECK(
      warnings_of(stack({"token-ring", "", "cda", "causal", "oracle"}), {.deaths = true}).empty());
}

TEST_CASE("a refusal names what does work, by the same rule") {
  const StackParts parts = stack({"stencil", "", "lai-wu", "causal", "oracle"});
  const auto above = refusals_of(parts, {.deaths = true, .restarts = true});
  REQUIRE(above.size() == 1);
  CHECK_THAT(above[0].instead,
             Contains(", expected message_logging none, or above message logging cda, "
                      "dijkstra-scholten, edod, four-counter, hcda, indep, rel-eager or rel-lazy"));
  const auto below = refusals_of(stack({"stencil", "", "cda", "fast", "oracle"}),
                                 {.deaths = true, .restarts = true});
  REQUIRE(below.size() == 1);
  // The stand-ins of these tests work there, too.
  CHECK_THAT(below[0].instead, Contains(", or below cda causal, checkpoint-restart, pessimistic") &&
                                   !Contains("send-deterministic"));
  // Without restarts, send-deterministic works below cda, too.
  const auto calm = refusals_of(stack({"stencil", "", "cda", "fast", "oracle"}), {});
  REQUIRE(calm.size() == 1);
  CHECK_THAT(calm[0].instead, Contains("send-deterministic"));
  CHECK(refusals_of(parts, {.deaths = true}, Instead::left_out)[0].words == above[0].words);
}

}  // namespace faultline::scenario
