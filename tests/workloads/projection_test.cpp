// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

#include "tests/support/job.hpp"
#include "workloads/haar_tree.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

/// The subtree below a node, node by node: what HaarTree must count without visiting.
class PlainProjection {
 public:
  explicit PlainProjection(double threshold) : threshold_(threshold) {}

  [[nodiscard]] bool is_leaf(int depth, double left) const {
    const double width = 20.0 * std::pow(0.5, depth);
    const double a = left + width / 4;
    const double b = left + 3 * width / 4;
    const double coefficient =
        std::abs(std::exp(-a * a) - std::exp(-b * b)) / 2 * std::pow(2.0, -depth / 2.0);
    return depth >= 3 && coefficient <= threshold_;
  }
  [[nodiscard]] std::uint64_t count(int depth, double left) const {
    if (is_leaf(depth, left)) return 1;
    return 1 + count(depth + 1, left) + count(depth + 1, left + 10.0 * std::pow(0.5, depth));
  }
  /// Nodes of depths below `end`.
  [[nodiscard]] std::uint64_t count_above(int end, int depth = 0, double left = -10) const {
    if (depth == end) return 0;
    if (is_leaf(depth, left)) return 1;
    return 1 + count_above(end, depth + 1, left) +
           count_above(end, depth + 1, left + 10.0 * std::pow(0.5, depth));
  }

 private:
  double threshold_;
};

Job& project(Job& job, double threshold, double task_compute_s = 1e-6) {
  return job.workload("projection", {{"threshold", threshold}, {"task_compute_s", task_compute_s}});
}

}  // namespace

TEST_CASE("The projection trees have the sizes that the authors' criterion gives") {
  // An independent implementation of the public benchmark's criterion found the first six; the
  // paper itself prints none. The last is from the plain recursion below (see [.soak]).
  const std::pair<double, std::uint64_t> sizes[] = {
      {1e-7, 44'367},      {1e-8, 239'195},     {1e-9, 1'130'139},   {1e-10, 5'022'611},
      {1e-11, 21'745'059}, {1e-12, 92'709'147}, {1e-13, 524'882'667}};
  for (const auto& [threshold, nodes] : sizes) {
    CAPTURE(threshold);
    CHECK(HaarTree(threshold).subtree_nodes(1) == nodes);
  }
}

TEST_CASE("Counting by ranges equals counting node by node") {
  SECTION("whole trees") {
    for (const double threshold : {1.0, 0.3, 0.1, 3e-2, 1e-3, 1e-5, 7.7e-7, 1e-7, 1.3e-8}) {
      CAPTURE(threshold);
      CHECK(HaarTree(threshold).subtree_nodes(1) == PlainProjection(threshold).count(0, -10));
    }
  }
  SECTION("random subtrees at random thresholds") {
    Stream random(1, 0, Purpose::workload, 0);
    for (int i = 0; i < 2000; ++i) {
      const double threshold = std::pow(10.0, -9.0 * random.uniform());
      const auto depth = static_cast<int>(random.below(12));
      const std::uint64_t index = random.below(std::uint64_t{1} << depth);
      const double left = -10 + 20 * std::pow(0.5, depth) * static_cast<double>(index);
      CAPTURE(threshold, depth, index);
      REQUIRE(HaarTree(threshold).subtree_nodes((std::uint64_t{1} << depth) + index) ==
              PlainProjection(threshold).count(depth, left));
    }
  }
}

TEST_CASE("The trees of figures 7 and 8, node by node", "[.soak]") {
  for (const double threshold : {1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
    CAPTURE(threshold);
    CHECK(HaarTree(threshold).subtree_nodes(1) == PlainProjection(threshold).count(0, -10));
  }
}

TEST_CASE("A projection runs every task once, under every detector and on both engines") {
  for (const std::uint32_t processes : {1U, 2U, 3U, 8U, 29U}) {
    for (const scenario::EngineKind engine : engines()) {
      for (const std::string& detector : detectors()) {
        // A run on simgrid takes a process of its own: a sample of them.
        if (engine == scenario::EngineKind::simgrid && processes != 3 && processes != 8) continue;
        CAPTURE(processes, engine_word(engine), detector);
        Job job(processes, quick_machine());
        const Seen seen = project(job, 1e-5).detector(detector).run(engine, processes);
        CHECK(seen.violations().empty());
        CHECK(seen.result.outcome == engine::Outcome::terminated);
        CHECK(seen.metric("tasks") == static_cast<double>(PlainProjection(1e-5).count(0, -10)));
      }
    }
  }
}

TEST_CASE("A projection on one process computes for its tasks and sends nothing") {
  Job job(1);
  const Seen seen = project(job, 1e-7, 0.25).detector("cda").run();
  CHECK(seen.metric("application_messages") == 0);
  CHECK(seen.metric("termination_time_s") == 0.25 * 44'367);
}

TEST_CASE("The mapping of a projection follows seed and replication alone") {
  // Counts of single runs coincide now and then, those of eight in a row do not.
  const auto messages = [](scenario::EngineKind engine, const std::string& detector,
                           std::uint64_t seed, std::uint64_t first_replication) {
    Job job(16, quick_machine());
    project(job, 1e-6).detector(detector);
    std::vector<double> counts;
    for (std::uint64_t i = 0; i < 8; ++i)
      counts.push_back(job.run(engine, seed, first_replication + i).metric("application_messages"));
    return counts;
  };
  const auto first = messages(scenario::EngineKind::loggp, "cda", 5, 0);
  for (const std::string& detector : detectors())
    CHECK(messages(scenario::EngineKind::loggp, detector, 5, 0) == first);
  for (const scenario::EngineKind engine : engines()) CHECK(messages(engine, "cda", 5, 0) == first);
  CHECK(messages(scenario::EngineKind::loggp, "cda", 5, 8) != first);
  CHECK(messages(scenario::EngineKind::loggp, "cda", 6, 0) != first);
}

TEST_CASE("Nodes of depth below log2 P are dealt to uniformly random ranks, all others stay") {
  // Each of the n dealt nodes has its parent's rank (the root: rank 0) with probability 1/P, on its
  // own, so messages are binomial with mean n (1 - 1/P). 16 and 17: log2(P) is 4 and above 4.
  for (const auto& [processes, depths] : {std::pair(2U, 1), {16U, 4}, {17U, 5}, {64U, 6}}) {
    CAPTURE(processes);
    constexpr int kRuns = 400;
    double sum = 0;
    Job job(processes, quick_machine());
    project(job, 1e-4).detector("cda");
    for (std::uint64_t replication = 0; replication < kRuns; ++replication)
      sum += job.run(scenario::EngineKind::loggp, 7, replication).metric("application_messages");
    const auto dealt = static_cast<double>(PlainProjection(1e-4).count_above(depths));
    const double remote = 1.0 - 1.0 / processes;
    const double sigma = std::sqrt(dealt * remote / processes / kRuns);
    CHECK(std::abs(sum / kRuns - dealt * remote) < 4 * sigma);
  }
}

}  // namespace faultline::workloads
