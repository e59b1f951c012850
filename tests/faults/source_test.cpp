// SPDX-License-Identifier: Apache-2.0

// What each source draws: moments against their laws, sizes against their counts, and victims
// against geometry and enumeration. Bounds are five standard errors of the law.

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

constexpr std::size_t kMany = 20000;

double five_errors(double standard_deviation) {
  return 5 * standard_deviation / std::sqrt(static_cast<double>(kMany));
}

/// The share of values at most that large.
double share_up_to(const std::vector<double>& values, double limit) {
  return static_cast<double>(std::count_if(values.begin(), values.end(),
                                           [limit](double value) { return value <= limit; })) /
         static_cast<double>(values.size());
}

platform::Machine torus_machine(std::vector<std::uint32_t> dimensions) {
  platform::Machine machine = quick_machine();
  machine.nodes = 1;
  for (const std::uint32_t size : dimensions) machine.nodes *= size;
  machine.topology = platform::Torus{std::move(dimensions)};
  return machine;
}

std::set<ActorId> as_set(const std::vector<ActorId>& actors) {
  return {actors.begin(), actors.end()};
}

}  // namespace

TEST_CASE("poisson: the times between faults follow the exponential law") {
  const Target target(8);
  const auto source = target.source("poisson", {{"mtbf_s", 40.0}});
  const auto gaps = gaps_s(faults_of(*source, kMany));
  REQUIRE(gaps.size() == kMany);
  CHECK(std::abs(mean(gaps) - 40) < five_errors(40));
  for (const double p : {0.1, 0.5, 0.9}) {
    const double quantile_s = -40 * std::log(1 - p);
    CHECK(std::abs(share_up_to(gaps, quantile_s) - p) < five_errors(std::sqrt(p * (1 - p))));
  }
}

TEST_CASE("poisson per node: as many times more faults, at every node alike") {
  const Target target(8);
  const auto source = target.source("poisson", {{"mtbf_s", 40.0}, {"per", "node"}});
  const auto faults = faults_of(*source, kMany);
  CHECK(std::abs(mean(gaps_s(faults)) - 5) < five_errors(5));
  std::map<ActorId, double> hits;
  for (const Struck& fault : faults) {
    REQUIRE(fault.victims.size() == 1);
    hits[fault.victims.front()] += 1.0 / kMany;
  }
  REQUIRE(hits.size() == 8);
  for (const auto& [daemon, share] : hits) {
    CHECK(daemon >= 8);
    CHECK(std::abs(share - 0.125) < five_errors(std::sqrt(0.125 * 0.875)));
  }
}

TEST_CASE("weibull: shape and scale, or the mean") {
  const Target target(2);
  for (const double shape : {0.5, 0.7, 1.0, 2.5}) {
    CAPTURE(shape);
    const auto by_scale = target.source("weibull", {{"shape", shape}, {"scale_s", 10.0}});
    const auto gaps = gaps_s(faults_of(*by_scale, kMany));
    for (const double limit_s : {1.0, 10.0, 20.0}) {
      const double p = 1 - std::exp(-std::pow(limit_s / 10, shape));
      CHECK(std::abs(share_up_to(gaps, limit_s) - p) < five_errors(std::sqrt(p * (1 - p))));
    }
    const auto by_mean = target.source("weibull", {{"shape", shape}, {"mtbf_s", 10.0}});
    const double spread =
        std::sqrt(std::tgamma(1 + 2 / shape) / std::pow(std::tgamma(1 + 1 / shape), 2) - 1);
    CHECK(std::abs(mean(gaps_s(faults_of(*by_mean, kMany))) - 10) < five_errors(10 * spread));
  }
}

TEST_CASE("a stationary weibull begins in the middle of a gap") {
  // The mean until the first fault is E[X^2] / 2 E[X], which for a shape below 1 exceeds E[X].
  const double shape = 0.7;
  const double first = std::tgamma(1 + 1 / shape);
  const double second = std::tgamma(1 + 2 / shape);
  const double third = std::tgamma(1 + 3 / shape);
  const double waiting = second / (2 * first);
  const double spread = std::sqrt(third / (3 * first) - waiting * waiting);
  Target target(2);
  std::vector<double> begun;
  std::vector<double> fresh;
  for (std::uint64_t replication = 0; replication < kMany; ++replication) {
    target.target().job.replication = replication;
    const OptionValues law{{"shape", shape}, {"scale_s", 1.0}};
    fresh.push_back(*target.source("weibull", law)->next_time_s());
    OptionValues stationary = law;
    stationary["stationary"] = true;
    begun.push_back(*target.source("weibull", stationary)->next_time_s());
  }
  CHECK(std::abs(mean(begun) - waiting) < five_errors(spread));
  CHECK(std::abs(mean(fresh) - first) < five_errors(std::sqrt(second - first * first)));
}

TEST_CASE("lognormal: mu and sigma, or the mean and sigma") {
  const Target target(2);
  const double sigma = 0.8;
  for (const OptionValues& law :
       {OptionValues{{"mu", 1.5}, {"sigma", sigma}},
        OptionValues{{"mtbf_s", std::exp(1.5 + sigma * sigma / 2)}, {"sigma", sigma}}}) {
    const auto source = target.source("lognormal", law);
    std::vector<double> logarithms;
    for (const double gap_s : gaps_s(faults_of(*source, kMany)))
      logarithms.push_back(std::log(gap_s));
    CHECK(std::abs(mean(logarithms) - 1.5) < five_errors(sigma));
    // The shares below one, and below two, standard deviations above the mean: 0.8413, 0.9772.
    CHECK(std::abs(share_up_to(logarithms, 1.5 + sigma) - 0.841345) < five_errors(0.3654));
    CHECK(std::abs(share_up_to(logarithms, 1.5 + 2 * sigma) - 0.977250) < five_errors(0.1491));
  }
}

TEST_CASE("a stationary lognormal begins in the middle of a gap") {
  // The moments of a lognormal law are E[X^n] = exp(n mu + n^2 sigma^2 / 2); see the Weibull above.
  const double sigma = 0.8;
  const auto moment = [=](double n) { return std::exp(n * n * sigma * sigma / 2); };
  const double waiting = moment(2) / (2 * moment(1));
  const double spread = std::sqrt(moment(3) / (3 * moment(1)) - waiting * waiting);
  Target target(2);
  std::vector<double> begun;
  for (std::uint64_t replication = 0; replication < kMany; ++replication) {
    target.target().job.replication = replication;
    const OptionValues law{{"mu", 0.0}, {"sigma", sigma}, {"stationary", true}};
    begun.push_back(*target.source("lognormal", law)->next_time_s());
  }
  CHECK(std::abs(mean(begun) - waiting) < five_errors(spread));
}

TEST_CASE("start, end and limit bound a source") {
  const Target target(4);
  const auto source = target.source(
      "poisson",
      {{"mtbf_s", 1.0}, {"start_s", 100.0}, {"end_s", 150.0}, {"limit", std::int64_t{9}}});
  const auto faults = faults_of(*source, 1000);
  CHECK(faults.size() == 9);
  CHECK(faults.front().time_s > 100);
  const auto ended = target.source("poisson", {{"mtbf_s", 1.0}, {"end_s", 20.0}});
  const auto until = faults_of(*ended, 1000);
  CHECK(until.size() > 5);
  CHECK(until.size() < 50);
  CHECK(until.back().time_s <= 20);
}

TEST_CASE("sizes are drawn as often as they were counted") {
  const Target target(64);
  const auto counts = counts_input({{1, 70}, {2, 20}, {5, 9}, {1000, 1}});
  const auto source = target.source("poisson", {{"mtbf_s", 1.0}, {"sizes", counts}});
  std::map<std::size_t, double> shares;
  for (const Struck& fault : faults_of(*source, kMany)) {
    CHECK(as_set(fault.victims).size() == fault.victims.size());
    shares[fault.victims.size()] += 1.0 / kMany;
  }
  // A fault larger than the job takes all of it.
  const std::map<std::size_t, double> expected{{1, 0.7}, {2, 0.2}, {5, 0.09}, {64, 0.01}};
  REQUIRE(shares.size() == expected.size());
  for (const auto& [size, p] : expected) {
    CAPTURE(size);
    CHECK(std::abs(shares[size] - p) < five_errors(std::sqrt(p * (1 - p))));
  }
}

TEST_CASE("uniform: every set of victims is as likely as every other") {
  const Target target(5);
  const auto source = target.source("poisson", {{"mtbf_s", 1.0}, {"size", std::int64_t{2}}});
  std::map<std::set<ActorId>, double> shares;
  for (const Struck& fault : faults_of(*source, kMany))
    shares[as_set(fault.victims)] += 1.0 / kMany;
  REQUIRE(shares.size() == 10);
  for (const auto& [pair, share] : shares)
    CHECK(std::abs(share - 0.1) < five_errors(std::sqrt(0.1 * 0.9)));
}

TEST_CASE("the root can be spared, as a rank and as a node") {
  Target target(4, 2);
  target.target().node_of = {2, 2, 0, 0, 1, 1, 3, 3};
  for (const std::string placement : {"uniform", "contiguous", "related"}) {
    CAPTURE(placement);
    const OptionValues all{{"mtbf_s", 1.0},
                           {"size", std::int64_t{100}},
                           {"placement", placement},
                           {"spare_root", true}};
    OptionValues ranks = all;
    ranks["victims"] = "ranks";
    const ParentOf chain = [](Rank rank) { return rank == 0 ? kNobody : rank - 1; };
    const auto of_nodes = target.source("poisson", all);
    CHECK(as_set(faults_of(*of_nodes, 1, chain).front().victims) == std::set<ActorId>{8, 9, 11});
    const auto of_ranks = target.source("poisson", ranks);
    CHECK(as_set(faults_of(*of_ranks, 1, chain).front().victims) ==
          std::set<ActorId>{1, 2, 3, 4, 5, 6, 7});
  }
}

TEST_CASE("contiguous on a torus: a node and its neighbours") {
  const Target target(20, 1, torus_machine({5, 4}));
  const auto source = target.source(
      "poisson", {{"mtbf_s", 1.0}, {"size", std::int64_t{5}}, {"placement", "contiguous"}});
  std::set<ActorId> centres;
  for (const Struck& fault : faults_of(*source, 400)) {
    REQUIRE(fault.victims.size() == 5);
    const std::uint32_t centre = fault.victims.front() - 20;
    centres.insert(centre);
    const std::uint32_t x = centre % 5;
    const std::uint32_t y = centre / 5;
    CHECK(as_set(fault.victims) ==
          std::set<ActorId>{20 + centre, 20 + (x + 1) % 5 + 5 * y, 20 + (x + 4) % 5 + 5 * y,
                            20 + x + 5 * ((y + 1) % 4), 20 + x + 5 * ((y + 3) % 4)});
  }
  CHECK(centres.size() == 20);
}

TEST_CASE("contiguous in a fat tree: the nodes of a leaf switch, and ranks of a node") {
  platform::Machine machine = quick_machine();
  machine.nodes = 16;
  machine.topology = platform::FatTree{{4, 4}, {1, 2}, {1, 1}};
  const Target target(16, 2, machine);
  const auto racks = target.source(
      "poisson", {{"mtbf_s", 1.0}, {"size", std::int64_t{4}}, {"placement", "contiguous"}});
  for (const Struck& fault : faults_of(*racks, 100)) {
    std::set<ActorId> leaves;
    for (const ActorId daemon : fault.victims) leaves.insert((daemon - 32) / 4);
    CHECK(leaves.size() == 1);
  }
  const auto pairs = target.source("poisson", {{"mtbf_s", 1.0},
                                               {"size", std::int64_t{2}},
                                               {"victims", "ranks"},
                                               {"placement", "contiguous"}});
  for (const Struck& fault : faults_of(*pairs, 100))
    CHECK(fault.victims[0] / 2 == fault.victims[1] / 2);
}

TEST_CASE("related: a process, its parent and its children, before anyone else") {
  const Target target(40);
  // Ranks 0 to 14 are a binary heap; the others belong to nobody.
  const ParentOf heap = [](Rank rank) { return rank == 0 || rank > 14 ? kNobody : (rank - 1) / 2; };
  const auto pairs = target.source(
      "poisson",
      {{"mtbf_s", 1.0}, {"size", std::int64_t{2}}, {"victims", "ranks"}, {"placement", "related"}});
  std::set<Rank> firsts;
  for (const Struck& fault : faults_of(*pairs, 500, heap)) {
    const Rank a = fault.victims[0];
    const Rank b = fault.victims[1];
    firsts.insert(a);
    CHECK((heap(a) == b || heap(b) == a));
  }
  CHECK(firsts.size() == 15);
  const auto more = target.source("poisson", {{"mtbf_s", 1.0},
                                              {"size", std::int64_t{20}},
                                              {"victims", "ranks"},
                                              {"placement", "related"}});
  for (const Struck& fault : faults_of(*more, 20, heap)) {
    const std::set<ActorId> dead = as_set(fault.victims);
    CHECK(dead.size() == 20);
    for (Rank rank = 0; rank <= 14; ++rank) CHECK(dead.count(rank) == 1);
  }
}

TEST_CASE("related nodes hold related ranks") {
  const Target target(8, 2);
  const ParentOf chain = [](Rank rank) { return rank < 2 ? kNobody : rank - 2; };
  const auto pairs = target.source(
      "poisson", {{"mtbf_s", 1.0}, {"size", std::int64_t{2}}, {"placement", "related"}});
  for (const Struck& fault : faults_of(*pairs, 100, chain))
    CHECK(std::max(fault.victims[0], fault.victims[1]) ==
          std::min(fault.victims[0], fault.victims[1]) + 1);
}

TEST_CASE("faults of the machine hit the job in proportion to its nodes") {
  // 8 of 80 nodes; a fault takes 6 of the machine: hypergeometric with mean 0.6.
  const Target target(8, 1, torus_machine({10, 8}));
  for (const std::string placement : {"uniform", "contiguous"}) {
    CAPTURE(placement);
    const auto source = target.source("poisson", {{"mtbf_s", 1.0},
                                                  {"size", std::int64_t{6}},
                                                  {"scope", "machine"},
                                                  {"placement", placement}});
    std::vector<double> hits;
    for (const Struck& fault : faults_of(*source, kMany)) {
      for (const ActorId daemon : fault.victims) CHECK((daemon >= 8 && daemon < 16));
      hits.push_back(static_cast<double>(fault.victims.size()));
    }
    CHECK(std::abs(mean(hits) - 0.6) < five_errors(placement == "uniform" ? 0.8 : 1.7));
    const double p = share_up_to(hits, 0);
    // 72! 74! / (66! 80!)
    if (placement == "uniform") CHECK(p == Approx(0.5199).margin(five_errors(0.5)));
    if (placement == "contiguous") CHECK(p > 0.6);
  }
}

TEST_CASE("counts: so many faults in their window, with recorded sizes") {
  const Target target(32);
  const OptionValues options{{"distribution", counts_input({{3, 1}})},
                             {"time_s", 5.0},
                             {"window_s", 2.0},
                             {"limit", std::int64_t{50}}};
  for (const std::string name : {"counts", "jaguar"}) {
    const auto source = target.source(name, options);
    const auto faults = faults_of(*source, 100);
    REQUIRE(faults.size() == 50);
    double last_s = 5;
    for (const Struck& fault : faults) {
      CHECK(fault.time_s >= last_s);
      last_s = fault.time_s;
      CHECK(fault.victims.size() == 3);
    }
    CHECK(last_s <= 7);
    CHECK(last_s > 6);
  }
}

TEST_CASE("what a source draws depends on its own key, the seed and the replication alone") {
  Target target(16);
  const OptionValues options{{"mtbf_s", 3.0}, {"size", std::int64_t{2}}};
  const auto drawn = [&](const std::string& key) {
    const auto source = target.source("poisson", options, key);
    return faults_of(*source, 50);
  };
  const auto first = drawn("poisson[0]");
  CHECK(drawn("poisson[0]") == first);
  CHECK(drawn("poisson[1]") != first);
  target.target().job.replication = 1;
  CHECK(drawn("poisson[0]") != first);
  target.target().job.replication = 0;
  target.target().job.seed = 2;
  CHECK(drawn("poisson[0]") != first);
  // Another placement leaves the moments as they are.
  target.target().job.seed = 1;
  OptionValues elsewhere = options;
  elsewhere["placement"] = "contiguous";
  const auto source = target.source("poisson", elsewhere);
  CHECK(gaps_s(faults_of(*source, 50)) == gaps_s(first));
}

TEST_CASE("options that make no sense together are refused") {
  const Target target(1);
  using Texts = std::vector<std::string>;
  CHECK(target.problems("poisson", {{"mtbf_s", 1.0}}).empty());
  CHECK(target.problems("weibull", {{"mtbf_s", 1.0}, {"scale_s", 1.0}}) ==
        Texts{"mtbf_s: expected exactly one of mtbf_s and scale_s"});
  CHECK(target.problems("weibull", {}).size() == 1);
  CHECK(target.problems("poisson", {{"mtbf_s", 1.0}, {"start_s", 2.0}, {"end_s", 1.0}}) ==
        Texts{"end_s: expected a time not before start_s"});
  CHECK(target.problems(
            "poisson",
            {{"mtbf_s", 1.0}, {"size", std::int64_t{2}}, {"sizes", counts_input({{1, 1}})}}) ==
        Texts{"size: expected one of size and sizes, not both"});
  CHECK(target.problems("poisson", {{"mtbf_s", 1.0}, {"spare_root", true}}) ==
        Texts{"spare_root: leaves nobody to die in a job of one node"});
  CHECK(target.problems("lognormal", {{"mtbf_s", 1.0}, {"mu", 1.0}}) ==
        Texts{"mtbf_s: expected exactly one of mtbf_s and mu"});
  CHECK(target.problems("jaguar", {{"scope", "machine"}, {"victims", "ranks"}}).size() == 1);
  CHECK(target.problems("jaguar", {{"scope", "machine"}, {"placement", "related"}}).size() == 1);
}

}  // namespace faultline::faults
