// SPDX-License-Identifier: Apache-2.0

// Routers that fail, and what that cuts off.

#include <catch2/catch.hpp>

#include "tests/faults/sources.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Routers of two nodes each: 12 s for an empty message to the other node of a router, 14 s to any
/// node of another router.
platform::Machine routers_of_two() {
  platform::Machine machine = round_machine();
  machine.topology = platform::FatTree{{2, 4}, {1, 1}, {1, 1}};
  machine.nodes = 8;
  return machine;
}

struct CutSend {
  Rank from;
  Rank to;
  double time_s;
};

/// These messages are sent, and whoever gets one notes from whom.
void send_at_times(Job& job, const std::vector<CutSend>& sendings) {
  job.script(Family::workload, [&job, sendings](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      for (std::size_t i = 0; i < sendings.size(); ++i)
        if (sendings[i].from == self) context.set_timer(i, sendings[i].time_s);
    };
    handlers.timer = [=](ScriptContext& context, std::uint64_t key) {
      context.send(sendings[key].to, 0, 0);
    };
    handlers.message = [&job](ScriptContext& context, const Message& message) {
      job.note(context, "got", message.from);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("a router that fails cuts exactly its nodes off, until it is repaired") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, routers_of_two());
    faults::FaultSpec fault;
    fault.time_s = 41;
    fault.cut_off = {2, 3};
    fault.repair_s = 20;
    job.spec.faults = {fault};
    // A message enters the network 1 s after its send begins.
    send_at_times(job, {{0, 2, 20},
                        {0, 2, 40},
                        {0, 2, 60},
                        {0, 1, 50},
                        {2, 3, 45},
                        {2, 3, 65},
                        {2, 0, 39.5},
                        {2, 0, 45},
                        {4, 5, 45},
                        {4, 0, 43}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {34, 74}, engine));
    CHECK(close(seen.times_s(3, "got"), {77}, engine));
    CHECK(close(seen.times_s(1, "got"), {62}, engine));
    CHECK(close(seen.times_s(5, "got"), {57}, engine));
    CHECK(close(seen.times_s(0, "got"), {53.5, 57}, engine));  // one entered before the cut
    CHECK(seen.metric("application_messages_lost") == 3);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("routers fail when their source draws it, whatever happens in the run") {
  const OptionValues options{{"mtbf_s", 30.0},
                             {"component", std::string("router")},
                             {"repair", option_group({{"law", std::string("exponential")},
                                                      {"mean_s", 20.0},
                                                      {"mu", OptionValue{}},
                                                      {"sigma", OptionValue{}}})}};
  constexpr double kEnd_s = 2000;
  const faults::Target alone(6, 1, routers_of_two());
  const auto source = alone.source("poisson", options);
  std::vector<faults::Outage> outages;
  for (auto time_s = source->next_time_s(); *time_s < kEnd_s; time_s = source->next_time_s()) {
    const std::vector<ActorId> victims = source->victims(faults::kOrphans);
    REQUIRE(victims.size() == 2);
    for (std::size_t i = 0; i < victims.size(); ++i)
      outages.push_back({victims[i] - 6, *time_s, source->repairs_s()[i]});
  }
  std::vector<CutSend> sendings;
  std::vector<double> expected_s;
  for (double time_s = 5; time_s < kEnd_s - 100; time_s += 5) {
    sendings.push_back({0, 2, time_s});
    if (std::none_of(outages.begin(), outages.end(), [&](const faults::Outage& outage) {
          return (outage.node == 0 || outage.node == 2) && outage.from_s <= time_s + 1 &&
                 time_s + 1 < outage.to_s;
        }))
      expected_s.push_back(time_s + 14);
  }
  REQUIRE(expected_s.size() > 50);
  REQUIRE(expected_s.size() < sendings.size() - 50);
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, routers_of_two());
    job.spec.stop.time_s = kEnd_s;
    faults::add_source(job, "poisson", options);
    send_at_times(job, sendings);
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), expected_s, engine));
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("routers that would fail without end in no time are too many") {
  Job job(6, routers_of_two());
  job.spec.stop.time_s = 1e9;
  faults::add_source(job, "poisson", {{"mtbf_s", 1e-3}, {"component", std::string("router")}});
  send_at_times(job, {});
  CHECK_THROWS_WITH(job.run(),
                    Catch::Matchers::Contains("faults.poisson[0]: routers fail, or cut nodes off"));
}

TEST_CASE("failures of routers outside the job count, too, although they cut nobody off") {
  Job job(1, routers_of_two());
  job.spec.stop.time_s = 1e9;
  faults::add_source(
      job, "poisson",
      {{"mtbf_s", 1e-3}, {"component", std::string("router")}, {"scope", std::string("machine")}});
  send_at_times(job, {});
  CHECK_THROWS_WITH(job.run(),
                    Catch::Matchers::Contains("faults.poisson[0]: routers fail, or cut nodes off"));
}

}  // namespace faultline::engine
