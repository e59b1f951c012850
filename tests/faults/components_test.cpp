// SPDX-License-Identifier: Apache-2.0

// Sources whose faults take racks, groups, power units and routers as a whole.

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "sim/faults/victim_placement.hpp"
#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

using Refusals = std::vector<std::string>;

OptionValue text_option(const char* text) { return std::string(text); }

/// 3 groups of 2 chassis with 2 routers of 4 nodes.
platform::Machine dragonfly() {
  platform::Machine machine = quick_machine(48);
  machine.topology = platform::Dragonfly{3, 2, 2, 4};
  return machine;
}

OptionValue repair_after(double mean_s) {
  return option_group({{"law", std::string("exponential")},
                       {"mean_s", mean_s},
                       {"mu", OptionValue{}},
                       {"sigma", OptionValue{}}});
}

/// The nodes that a fault of a job of so many processes takes.
std::set<NodeId> nodes_of(const Struck& fault, std::uint32_t processes) {
  std::set<NodeId> nodes;
  for (const ActorId daemon : fault.victims) nodes.insert(daemon - processes);
  return nodes;
}

std::set<NodeId> block(std::uint32_t number, std::uint32_t size, std::uint32_t end) {
  std::set<NodeId> nodes;
  for (NodeId node = number * size; node < std::min((number + 1) * size, end); ++node)
    nodes.insert(node);
  return nodes;
}

}  // namespace

TEST_CASE("a rack, a group or a power unit dies with all its nodes, and each is as likely") {
  Target target(44, 1, dragonfly());
  target.target().nodes_per_power_unit = 10;
  const auto [component, size] = GENERATE(table<const char*, std::uint32_t>(
      {{"rack", 8U}, {"group", 16U}, {"power-unit", 10U}, {"router", 4U}}));
  const std::uint32_t parts = (44 - 1) / size + 1;
  const auto source =
      target.source("poisson", {{"mtbf_s", 10.0}, {"component", text_option(component)}});
  constexpr std::size_t kFaults = 20000;
  std::map<std::set<NodeId>, std::size_t> times;
  for (const Struck& fault : faults_of(*source, kFaults)) ++times[nodes_of(fault, 44)];
  CAPTURE(component);
  REQUIRE(times.size() == parts);
  const double expected = static_cast<double>(kFaults) / parts;
  for (std::uint32_t part = 0; part < parts; ++part)
    CHECK(std::abs(static_cast<double>(times[block(part, size, 44)]) - expected) <
          5 * std::sqrt(expected));
}

TEST_CASE("laws have their mean, for all components together and for each by itself") {
  Target target(48, 1, dragonfly());
  for (const char* name : {"poisson", "weibull", "lognormal"})
    for (const bool each : {false, true}) {
      const auto source = target.source(name, {{"mtbf_s", 60.0},
                                               {"component", text_option("rack")},
                                               {"per", text_option(each ? "node" : "system")}});
      constexpr std::size_t kFaults = 40000;
      const double end_s = faults_of(*source, kFaults).back().time_s;
      CAPTURE(name, each);
      // Six racks. By renewal theory the mean gap tends to the mean of the law over the number of
      // processes; the spread of these laws is at most 1.5 times their mean.
      CHECK(end_s / kFaults == Approx(each ? 10.0 : 60.0).epsilon(5 * 1.5 / std::sqrt(kFaults)));
    }
}

TEST_CASE("the nodes of a component have one repair, and components each their own") {
  Target target(48, 1, dragonfly());
  const auto source = target.source("counts", {{"size", std::int64_t{3}},
                                               {"time_s", 3.0},
                                               {"component", text_option("rack")},
                                               {"repair", repair_after(5.0)}});
  REQUIRE(*source->next_time_s() == 3.0);
  const std::vector<ActorId> victims = source->victims(kOrphans);
  const std::vector<double> back_s = source->repairs_s();
  REQUIRE(victims.size() == 24);
  REQUIRE(back_s.size() == 24);
  std::map<std::uint32_t, std::set<double>> by_rack;
  for (std::size_t i = 0; i < victims.size(); ++i) by_rack[(victims[i] - 48) / 8].insert(back_s[i]);
  REQUIRE(by_rack.size() == 3);
  std::set<double> all;
  for (const auto& [rack, times_s] : by_rack) {
    CHECK(times_s.size() == 1);
    all.merge(std::set<double>(times_s));
  }
  CHECK(all.size() == 3);
}

TEST_CASE("a component of the machine takes the nodes that the job has of it") {
  Target target(12, 1, dragonfly());
  const auto source = target.source(
      "poisson",
      {{"mtbf_s", 1.0}, {"component", text_option("rack")}, {"scope", text_option("machine")}});
  std::map<std::set<NodeId>, std::size_t> times;
  for (const Struck& fault : faults_of(*source, 6000)) ++times[nodes_of(fault, 12)];
  REQUIRE(times.size() == 3);  // both racks of the job, and the four others
  CHECK(times[block(0, 8, 12)] == Approx(1000).margin(150));
  CHECK(times[block(1, 8, 12)] == Approx(1000).margin(150));
  CHECK(times[{}] == Approx(4000).margin(200));
}

TEST_CASE("a component takes spare nodes along, and the spared root saves its component") {
  Target target(12, 1, dragonfly());
  target.target().job.spare_nodes = 4;
  const auto all = target.source("poisson", {{"mtbf_s", 1.0}, {"component", text_option("rack")}});
  std::set<std::set<NodeId>> struck;
  for (const Struck& fault : faults_of(*all, 50)) struck.insert(nodes_of(fault, 12));
  CHECK(struck == std::set<std::set<NodeId>>{block(0, 8, 16), block(1, 8, 16)});
  const auto spared = target.source(
      "poisson", {{"mtbf_s", 1.0}, {"component", text_option("rack")}, {"spare_root", true}});
  for (const Struck& fault : faults_of(*spared, 50)) CHECK(nodes_of(fault, 12) == block(1, 8, 16));
}

TEST_CASE("a source knows the mean time between the faults of all components") {
  Job job(48, dragonfly());
  add_source(job, "poisson",
             {{"mtbf_s", 600.0}, {"component", text_option("rack")}, {"per", text_option("node")}});
  CHECK(scenario::job_shape(job.spec).mtbf_s == Approx(100.0));
  add_source(job, "poisson", {{"mtbf_s", 1.0}, {"component", text_option("router")}});
  CHECK(scenario::job_shape(job.spec).mtbf_s == Approx(100.0));  // routers kill nobody
}

TEST_CASE("components are refused that the machine lacks, and what does not go with them") {
  const Target torus(8, 1, [] {
    platform::Machine machine = quick_machine(8);
    machine.topology = platform::Torus{{4, 2}};
    return machine;
  }());
  const auto problems = [&](OptionValues changes) {
    changes.emplace("mtbf_s", 1.0);
    return torus.problems("poisson", changes);
  };
  CHECK(problems({{"component", text_option("rack")}}) ==
        Refusals{"component: the torus 4x2 of quick has no racks; expected node, router or "
                 "power-unit"});
  CHECK(problems({{"component", text_option("power-unit")}}) ==
        Refusals{"component: expected platform.nodes_per_power_unit beside it, the number of nodes "
                 "of a power unit"});
  CHECK(problems({{"component", text_option("router")}, {"victims", text_option("ranks")}}) ==
        Refusals{"victims: expected \"nodes\" with component \"router\""});
  CHECK(
      problems({{"component", text_option("router")}, {"placement", text_option("contiguous")}}) ==
      Refusals{"placement: expected \"uniform\" with component \"router\""});
  const Target small(4, 1, dragonfly());
  CHECK(
      small.problems("poisson",
                     {{"mtbf_s", 1.0}, {"component", text_option("rack")}, {"spare_root", true}}) ==
      Refusals{"spare_root: leaves nobody to die in a job of one rack"});
}

TEST_CASE("all nodes of a rack die at one instant, and are back at one instant") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(16, dragonfly());
    const OptionValues options{{"size", std::int64_t{1}},
                               {"time_s", 5.0},
                               {"component", text_option("rack")},
                               {"spare_root", true},
                               {"repair", repair_after(10.0)}};
    add_source(job, "counts", options);
    job.spec.platform.when_no_spare = scenario::WhenNoSpare::wait;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=, &job](ScriptContext& context) {
        job.note(context, "on", context.placement().node_of(self));
        if (self == 0) context.set_timer(0, 6);
        context.compute(5.5);
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "computed");
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) {
        for (Rank dead = 8; dead < 16; ++dead)
          context.restart(context.known(dead), RestartOn::same_node);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    Target alone(16, 1, dragonfly());
    const auto source = alone.source("counts", options);
    source->next_time_s();
    REQUIRE(source->victims(kOrphans).size() == 8);
    const double back_s = std::max(6.0, source->repairs_s().front());
    for (Rank rank = 0; rank < 8; ++rank) CHECK(seen.times_s(rank, "on").size() == 1);
    for (Rank rank = 8; rank < 16; ++rank) {
      CHECK(close(seen.times_s(rank, "on"), {0, back_s}, engine));
      CHECK(seen.values(rank, "on") == Values(2, rank));
      CHECK(close(seen.times_s(rank, "computed"), {back_s + 5.5}, engine));
    }
    CHECK(seen.metric("faults_struck") == 1);
    CHECK(seen.violations().empty());
  }
}

}  // namespace faultline::faults
