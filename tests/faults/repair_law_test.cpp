// SPDX-License-Identifier: Apache-2.0

// How long repairs of drawn faults take, and what of it a run sees.
#include "sim/faults/repair_law.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

using Refusals = std::vector<std::string>;
constexpr std::size_t kRepairs = 20000;

OptionValue exponential(double mean_s) {
  return option_group({{"law", std::string("exponential")},
                       {"mean_s", mean_s},
                       {"mu", OptionValue{}},
                       {"sigma", OptionValue{}}});
}

OptionValue lognormal(double mu, double sigma) {
  return option_group(
      {{"law", std::string("lognormal")}, {"mean_s", OptionValue{}}, {"mu", mu}, {"sigma", sigma}});
}

/// The repairs of the first faults of a source, from failure to return.
std::vector<double> repairs_of(FaultSource& source) {
  std::vector<double> repairs_s;
  while (repairs_s.size() < kRepairs) {
    const double time_s = *source.next_time_s();
    const std::size_t victims = source.victims(kOrphans).size();
    const std::vector<double> back_s = source.repairs_s();
    REQUIRE(back_s.size() == victims);
    for (const double at_s : back_s) repairs_s.push_back(at_s - time_s);
  }
  return repairs_s;
}

}  // namespace

TEST_CASE("exponential repairs have their mean, and no memory") {
  const Target target(8);
  const auto source = target.source(
      "poisson", {{"mtbf_s", 1.0}, {"size", std::int64_t{3}}, {"repair", exponential(5.0)}});
  const std::vector<double> repairs_s = repairs_of(*source);
  const double error = 5.0 / std::sqrt(static_cast<double>(kRepairs));
  CHECK(std::abs(mean(repairs_s) - 5.0) < 5 * error);
  const auto longer = std::ranges::count_if(repairs_s, [](double s) { return s > 10.0; });
  CHECK(static_cast<double>(longer) / static_cast<double>(repairs_s.size()) ==
        Approx(std::exp(-2.0)).margin(0.012));
}

TEST_CASE("lognormal repairs have their median and spread") {
  const Target target(8);
  const auto source = target.source("weibull", {{"mtbf_s", 1.0}, {"repair", lognormal(8.2, 1.4)}});
  std::vector<double> logarithms;
  for (const double repair_s : repairs_of(*source)) logarithms.push_back(std::log(repair_s));
  CHECK(mean(logarithms) == Approx(8.2).margin(0.05));
  std::vector<double> squares;
  squares.reserve(logarithms.size());
  for (const double value : logarithms) squares.push_back((value - 8.2) * (value - 8.2));
  CHECK(std::sqrt(mean(squares)) == Approx(1.4).margin(0.035));
}

TEST_CASE("repairs change neither when faults strike nor whom") {
  const Target target(8);
  for (const char* name : {"poisson", "weibull", "lognormal"}) {
    const auto without = target.source(name, {{"mtbf_s", 10.0}});
    const auto with = target.source(name, {{"mtbf_s", 10.0}, {"repair", exponential(1.0)}});
    CHECK(faults_of(*without, 500) == faults_of(*with, 500));
  }
}

TEST_CASE("faults of stated sizes are repaired, too, each node by itself") {
  const Target target(64);
  const auto source = target.source(
      "counts", {{"size", std::int64_t{10}}, {"time_s", 3.0}, {"repair", exponential(1.0)}});
  REQUIRE(*source->next_time_s() == 3.0);
  REQUIRE(source->victims(kOrphans).size() == 10);
  const std::vector<double> back_s = source->repairs_s();
  CHECK(std::set<double>(back_s.begin(), back_s.end()).size() == 10);
  CHECK(std::ranges::all_of(back_s, [](double s) { return s > 3.0; }));
}

TEST_CASE("a law of repairs has what it needs, and nothing else") {
  const Target target(4);
  const auto problems = [&](const OptionValue& repair, const char* victims) {
    return target.problems(
        "poisson", {{"mtbf_s", 1.0}, {"repair", repair}, {"victims", std::string(victims)}});
  };
  CHECK(problems(exponential(1.0), "nodes").empty());
  CHECK(problems(lognormal(1.0, 1.0), "nodes").empty());
  CHECK(problems(exponential(1.0), "ranks") ==
        Refusals{"repair: a rank has nothing to repair, expected null or victims nodes"});
  const auto group = [](const char* law, OptionValue mean_s, OptionValue mu, OptionValue sigma) {
    return option_group({{"law", std::string(law)},
                         {"mean_s", std::move(mean_s)},
                         {"mu", std::move(mu)},
                         {"sigma", std::move(sigma)}});
  };
  CHECK(problems(group("exponential", {}, {}, {}), "nodes") ==
        Refusals{"repair: the law exponential needs mean_s"});
  CHECK(problems(group("lognormal", 5.0, 1.0, {}), "nodes") ==
        Refusals{"repair: the law lognormal needs sigma, and has no mean_s"});
  CHECK(problems(group("lognormal", {}, {}, {}), "nodes") ==
        Refusals{"repair: the law lognormal needs mu and sigma"});
  CHECK(problems(group("exponential", 5.0, 1.0, 1.0), "nodes") ==
        Refusals{"repair: the law exponential has no mu or sigma"});
}

TEST_CASE("a node that a drawn fault has struck takes a process again when it is repaired") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    add_source(job, "counts",
               {{"size", std::int64_t{1}},
                {"time_s", 5.0},
                {"spare_root", true},
                {"repair", exponential(10.0)}});
    job.spec.platform.when_no_spare = scenario::WhenNoSpare::give_up;
    const Target alone(3);
    const auto source = alone.source("counts", {{"size", std::int64_t{1}},
                                                {"time_s", 5.0},
                                                {"spare_root", true},
                                                {"repair", exponential(10.0)}});
    source->next_time_s();
    const Rank dead = source->victims(kOrphans).front() - 3;
    const double back_s = source->repairs_s().front();
    job.script(Family::workload, [&job, dead, back_s](ActorId self) {
      Handlers handlers;
      handlers.start = [=, &job](ScriptContext& context) {
        job.note(context, "on", context.placement().node_of(self));
        if (self != 0) return;
        context.set_timer(0, back_s - 0.5);
        context.set_timer(1, back_s + 0.5);
      };
      handlers.timer = [=](ScriptContext& context, std::uint64_t) {
        context.restart(context.known(dead), RestartOn::same_node);
      };
      handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "refused", peer.actor);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "refused"), {back_s - 0.5}, engine));
    CHECK(close(seen.times_s(dead, "on"), {0, back_s + 0.5}, engine));
  }
}

}  // namespace faultline::faults
