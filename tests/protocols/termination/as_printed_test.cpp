// SPDX-License-Identifier: Apache-2.0

// Points of the printed texts that go wrong only together with others, or not at all. Those that go
// wrong by themselves are cells of the items as-printed (docs/gallery.md), which
// tests/analysis/reproduction/as_printed_test.cpp measures.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "analysis/exploration/exploration.hpp"
#include "protocols/termination/adoption.hpp"
#include "tests/protocols/termination/by_hand.hpp"

namespace faultline::termination {

using namespace test;

namespace {

/// Each rank engages the next one, and the last one computes.
void engage_in_a_chain(Job& job) {
  std::vector<Doing> doings;
  const Rank last = job.spec.platform.processes - 1;
  for (Rank rank = 0; rank < last; ++rank)
    doings.push_back({.rank = rank,
                      .on = static_cast<std::uint16_t>(rank),
                      .sends = {{rank + 1, static_cast<std::uint16_t>(rank + 1)}}});
  doings.push_back({.rank = last, .on = static_cast<std::uint16_t>(last), .compute_s = 1});
  follow(job, doings, true);
  job.use(Family::failure_detection, "oracle");
}

/// All ends of a job in which the ranks 1 and 2, or 1 to 3, die, counted by their words. Nothing is
/// looked for, so that every state is seen.
std::map<std::string, std::uint64_t> ends(const Job& job, exploration::CrashPlaces crash,
                                          std::vector<ActorId> victims) {
  exploration::ExplorationRequest request{.spec = exploration::explored_spec(job.spec)};
  request.faults = static_cast<std::uint32_t>(victims.size());
  request.crash = crash;
  request.victims = std::move(victims);
  request.goal = exploration::Goal{.name = "nothing"};
  const exploration::ExplorationResult result = exploration::explore(request);
  CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
  return result.ends;
}

/// As in REL as printed, an adopted process does not tell its new grandparent that it is interior.
void silent_adoption(Job& job) {
  job.script(Family::message_logging, [](ActorId) {
    return Handlers{.sends = [](ScriptContext& context, std::span<Message* const> batch, bool) {
      const bool adopted = std::any_of(batch.begin(), batch.end(), [](const Message* message) {
        return message->channel == Family::termination && message->kind == kReplyToGrandparent;
      });
      for (Message* message : batch)
        if (!adopted || message->channel != Family::termination || message->kind != kInformInterior)
          context.forward(*message);
    }};
  });
}

}  // namespace

// The root has seen the first of the dead become interior. As printed in both points it is not told
// that it has been recovered from, and gives up before it comes to the adopted process.
TEST_CASE("as printed, the window of vulnerability hides that an adopted process is silent") {
  const auto early = [](const ChosenWords& points) {
    Job job(5);
    engage_in_a_chain(job);
    job.detector("rel-eager", {{"as_printed", points}});
    const auto found = ends(job, exploration::CrashPlaces::calm_together, {1, 2, 3});
    CHECK(found.contains("fatal-reported"));
    return found.contains("premature");
  };
  CHECK(early({"silent-adoption"}));
  CHECK_FALSE(early({"silent-adoption", "window"}));
}

TEST_CASE(
    "under RELLAZY it does no harm that an adopted process tells nobody that it is interior") {
  for (const char* mode : {"strict", "fallback"})
    for (const bool silent : {false, true}) {
      Job job(5);
      engage_in_a_chain(job);
      job.detector("rel-lazy", {{"adopted_child_fails", std::string(mode)}});
      if (silent) silent_adoption(job);
      INFO(mode << (silent ? ", silent" : ""));
      const auto found = ends(job, exploration::CrashPlaces::calm_together, {1, 2, 3});
      CHECK_FALSE(found.contains("premature"));
      CHECK_FALSE(found.contains("hung"));
    }
}

TEST_CASE("RELLAZY as printed gives up at two deaths that come one after the other") {
  const auto gives_up = [](const char* mode) {
    Job job(3);
    engage_in_a_chain(job);
    job.detector("rel-lazy", {{"adopted_child_fails", std::string(mode)}});
    const auto found = ends(job, exploration::CrashPlaces::calm, {1, 2});
    CHECK(found.contains("terminated"));
    return found.size() == 2 && found.contains("fatal-reported");
  };
  CHECK(gives_up("strict"));
  CHECK_FALSE(gives_up("fallback"));
}

}  // namespace faultline::termination
