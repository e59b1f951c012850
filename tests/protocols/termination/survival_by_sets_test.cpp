// SPDX-License-Identifier: Apache-2.0

// Which sets of ranks may die together on random engagement trees: every set of a small job, one
// run each, against the sets that contain a related pair as seen from outside.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::termination {

using namespace test;

namespace {

constexpr std::uint32_t kProcesses = 9;

/// The receivers of each rank, and the rank that reached each one first.
struct Graph {
  std::set<std::pair<Rank, Rank>> edges;
  std::map<Rank, Rank> parents;

  [[nodiscard]] bool is_interior(Rank rank) const {
    return std::any_of(parents.begin(), parents.end(),
                       [=](const auto& child) { return child.second == rank; });
  }
  /// INDEP: a process and one that it has sent to.
  [[nodiscard]] bool is_fatal_to_indep(Rank a, Rank b) const { return edges.count({a, b}) > 0; }
  /// REL*: a process and an interior child.
  [[nodiscard]] bool is_fatal_to_rel(Rank a, Rank b) const {
    const auto parent = parents.find(b);
    return parent != parents.end() && parent->second == a && is_interior(b);
  }
};

void flood(Job& job, const std::string& detector) {
  job.workload("flood", {{"fanout", std::int64_t{2}}, {"compute_s", 1.0}});
  job.detector(detector);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-3}});
}

Graph graph_of(const std::string& detector, std::uint64_t seed) {
  Graph graph;
  Job job(kProcesses, quick_machine());
  flood(job, detector);
  job.script(Family::message_logging, [&](ActorId) {
    return Handlers{.receive = [&](ScriptContext& context, Message& message) {
      const auto to = static_cast<Rank>(context.self());
      if (message.channel == Family::workload) {
        graph.edges.insert({message.from, to});
        if (to != 0) graph.parents.insert({to, message.from});
      }
      return Passage::deliver;
    }};
  });
  job.run(scenario::EngineKind::loggp, seed);
  return graph;
}

std::vector<Rank> members(std::uint32_t set) {
  std::vector<Rank> ranks;
  for (Rank rank = 1; rank < kProcesses; ++rank)
    if ((set >> rank & 1U) != 0) ranks.push_back(rank);
  return ranks;
}

}  // namespace

TEST_CASE("survival on random trees: exactly the sets with a related pair are fatal") {
  std::size_t fatal = 0;
  std::size_t runs = 0;
  for (const std::string detector : {"indep", "rel-lazy", "rel-eager"})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Graph graph = graph_of(detector, seed);
      for (std::uint32_t set = 2; set < 1U << kProcesses; set += 2) {
        const std::vector<Rank> dead = members(set);
        if (dead.size() > 3) continue;
        bool related = false;
        for (const Rank a : dead)
          for (const Rank b : dead)
            related |=
                detector == "indep" ? graph.is_fatal_to_indep(a, b) : graph.is_fatal_to_rel(a, b);
        Job job(kProcesses, quick_machine());
        flood(job, detector);
        job.kill(0.5, dead);
        const engine::Outcome outcome = job.run(scenario::EngineKind::loggp, seed).result.outcome;
        INFO(detector << ", seed " << seed << ", set " << set);
        CHECK(outcome == (related ? engine::Outcome::fatal_reported : engine::Outcome::terminated));
        fatal += outcome == engine::Outcome::fatal_reported ? 1 : 0;
        ++runs;
      }
    }
  CHECK(fatal > runs / 10);
  CHECK(fatal < runs / 2);
}

}  // namespace faultline::termination
