// SPDX-License-Identifier: Apache-2.0

// No more runs complete than theory allows: of a job that is drawn here step by step, and of the
// product's own jobs under drawn options.
#include "analysis/theory/completion.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/runs/derived_metrics.hpp"
#include "sim/core/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::theory {

namespace {

constexpr double kNever_s = 1e300;

/// The time in which the job completes if faults come as `random` says, stopped where it is known
/// to be too long.
double drawn_time_s(const PieceByPiece& job, std::mt19937_64& random) {
  std::exponential_distribution<double> gap(1 / job.mtbf_s);
  double time_s = 0;
  for (double done = 0; done < job.pieces;) {
    const double fault_s = gap(random);
    if (fault_s >= job.piece_s) ++done;
    time_s += std::min(fault_s, job.piece_s);
    if (time_s > job.until_s) return kNever_s;
  }
  return time_s;
}

double drawn_share(const PieceByPiece& job, int runs, std::mt19937_64& random) {
  int completed = 0;
  for (int i = 0; i < runs; ++i) completed += drawn_time_s(job, random) <= job.until_s ? 1 : 0;
  return static_cast<double>(completed) / runs;
}

/// How unlikely it is that at least so many of some runs complete if each does with a probability.
double chance_of_at_least(int seen, int runs, double each) {
  double sum = 0;
  for (int k = seen; k <= runs; ++k)
    sum += std::exp(std::lgamma(runs + 1.0) - std::lgamma(k + 1.0) - std::lgamma(runs - k + 1.0) +
                    k * std::log(each) + (runs - k) * std::log1p(-each));
  return sum;
}

template <class Value>
Value one_of(std::mt19937_64& random, const std::vector<Value>& values) {
  return values[random() % values.size()];
}

/// A recovery with checkpoints by time.
const std::string kByTime =
    R"("message_logging": {"name": "checkpoint-restart", "checkpoint_interval_s": 7})";

/// A job of a stencil under harsh faults, with options off their defaults.
std::string drawn_job(std::mt19937_64& random) {
  using Words = std::vector<std::string>;
  const std::string recovery =
      one_of(random,
             Words{R"("transactions": {"name": "none"})",
                   R"("message_logging": {"name": "checkpoint-restart"})", kByTime,
                   R"("message_logging": {"name": "causal"})",
                   R"("message_logging": {"name": "send-deterministic"})",
                   R"("transactions": {"name": "relaunch"})", R"("transactions": {"name": "ulfm"})",
                   R"("transactions": {"name": "fampi", "release": "invite"})"});
  const bool is_logged = recovery.find("message_logging") != std::string::npos;
  const std::string iterations = one_of(random, Words{"null", "null", "1", "5", "20"});
  const std::string objects = is_logged ? one_of(random, Words{"1", "4"}) : "1";
  const std::string faults =
      R"("mtbf_s": )" + one_of(random, Words{"4", "10", "20", "60"}) +
      one_of(random, Words{"", R"(, "repair": {"mean_s": 3})", R"(, "victims": "ranks")",
                           R"(, "spare_root": true, "repair": {"mean_s": 1})", R"(, "size": 2)"});
  return R"({"schema_version": 1, "name": "drawn", "platform": {"machine": "cori", )"
         R"("processes": 8, "processes_per_node": )" +
         one_of(random, Words{"1", "2"}) + R"(, "spare_nodes": )" +
         one_of(random, Words{"0", "1", "3", "40"}) + R"(, "worker_cores": )" +
         one_of(random, Words{"1", "2"}) +
         R"(, "restart_delay_s": 0.1}, "workload": {"name": "stencil", "preset": "jacobi3d", )"
         R"("compute_s": 1, "iterations": 40, "objects_per_process": )" +
         objects + R"(, "checkpoint_iterations": )" + (recovery == kByTime ? "null" : iterations) +
         "}, " + recovery +
         R"(, "failure_detection": {"name": "oracle", "delay_s": 0.1}, )"
         R"("faults": {"poisson": {)" +
         faults + R"(}}, "stop": {"when": "finished", "time_s": )" +
         one_of(random, Words{"60", "200", "1000"}) + "}}";
}

}  // namespace

TEST_CASE("a job that is drawn piece by piece completes no more often than the bound") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  int tight = 0;
  for (int i = 0; i < 300; ++i) {
    PieceByPiece job{.pieces = std::floor(1 + 30 * share(random)),
                     .piece_s = 0.1 + 4 * share(random),
                     .mtbf_s = 1};
    const double expected_s = job.pieces * std::expm1(job.piece_s);
    job.until_s = std::min(1e4, expected_s * (0.2 + share(random)));
    const double most = most_complete(job);
    constexpr int kRuns = 2000;
    const double seen = drawn_share(job, kRuns, random);
    CAPTURE(job.pieces, job.piece_s, job.until_s, most, seen);
    CHECK(seen <= most + 4 * std::sqrt(most * (1 - most) / kRuns) + 1e-12);
    if (most < 1 && seen > most / 10) ++tight;
  }
  CHECK(tight > 50);
}

TEST_CASE("the bound is 0 before the work can be done, and 1 where it is expected to be") {
  CHECK(most_complete({.pieces = 3, .piece_s = 10, .mtbf_s = 100, .until_s = 29}) == 0);
  CHECK(most_complete({.pieces = 3, .piece_s = 10, .mtbf_s = 100, .until_s = 32}) == 1);
  CHECK(most_complete({.pieces = 1e6, .piece_s = 500, .mtbf_s = 1, .until_s = 1e9}) < 1e-100);
}

TEST_CASE("runs of drawn jobs complete no more often than the bound", "[property]") {
  std::mt19937_64 random(11);
  int bounded = 0;
  int completed = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string text = drawn_job(random);
    CAPTURE(text);
    scenario::RunSpec spec;
    try {
      spec = scenario::parse_scenario(text, "s.json").points.front();
    } catch (const UsageError&) {
      continue;  // for instance, a spare root in a job of ranks
    }
    const auto form = completion_form(spec);
    if (!form) continue;
    ++bounded;
    constexpr int kRuns = 30;
    int seen = 0;
    for (std::uint64_t replication = 0; replication < kRuns; ++replication) {
      const engine::RunResult result =
          engine::run_simulation(spec, scenario::EngineKind::loggp, 5, replication);
      seen += runs::completed(result.outcome, runs::frame_of(spec)).value() ? 1 : 0;
    }
    completed += seen;
    CAPTURE(form->value, seen);
    CHECK(chance_of_at_least(seen, kRuns, form->value) > 1e-5);
  }
  CHECK(bounded > 60);
  CHECK(completed > 60);
}

TEST_CASE("theory says nothing of runs whose faults it does not know") {
  const auto says = [](const std::string& faults, const std::string& recovery) {
    const std::string text =
        R"({"schema_version": 1, "name": "s", "platform": {"machine": "cori", "processes": 8, )"
        R"("spare_nodes": 1}, )"
        R"("workload": {"name": "stencil", "compute_s": 1, "iterations": 40}, )" +
        recovery + R"("failure_detection": {"name": "rdaemon"}, "faults": {)" + faults +
        R"(}, "stop": {"when": "finished", "time_s": 1000}})";
    return completion_form(scenario::parse_scenario(text, "s.json").points.front()).has_value();
  };
  const std::string often = R"("poisson": {"mtbf_s": 4, "victims": "ranks"})";
  const std::string back = R"("message_logging": {"name": "checkpoint-restart"}, )";
  CHECK(says(often, ""));
  CHECK(says(often, back));
  CHECK_FALSE(says(often, R"("message_logging": {"name": "causal"}, )"));
  CHECK_FALSE(says(R"("poisson": {"mtbf_s": 4})", R"("message_logging": {"name": "causal"}, )"));
  CHECK_FALSE(says(R"("weibull": {"mtbf_s": 4})", back));
  CHECK_FALSE(says(R"("poisson": {"mtbf_s": 4, "victims": "ranks", "limit": 2})", back));
  CHECK_FALSE(says(R"("poisson": {"mtbf_s": 4, "victims": "ranks", "start_s": 1})", back));
  CHECK_FALSE(says(R"("poisson": {"mtbf_s": 4, "scope": "machine"})", back));
  CHECK_FALSE(says(R"("poisson": {"mtbf_s": 1e9, "victims": "ranks"})", back));
}

}  // namespace faultline::theory
