// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sweep_estimate.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "analysis/runs/progress.hpp"
#include "analysis/runs/replications.hpp"
#include "analysis/runs/worker_pool.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

namespace {

constexpr std::size_t kMostTried = 8;
constexpr double kWorthTelling_s = 30.0;

/// The wall-clock time of one run of a point [s].
double time_of_run(const scenario::Study& study, std::size_t point) {
  using Clock = std::chrono::steady_clock;
  const scenario::Scenario scenario = scenario::point_scenario(study, point);
  const Clock::time_point begin = Clock::now();
  runs::simulated(scenario, 0, 0);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double number_in(const std::string& line) {
  double value = 0.0;
  std::from_chars(line.data(), line.data() + line.size(), value);
  return value;
}

}  // namespace

double SweepEstimate::seconds() const {
  if (tried == 0) return 0.0;
  return tried_s * static_cast<double>(runs) / static_cast<double>(tried);
}

SweepEstimate estimate_sweep(const scenario::Study& study, std::size_t runs, double patience_s) {
  SweepEstimate estimate{.runs = runs};
  const std::size_t points = study.points.size();
  const std::size_t tries = runs == 0 ? 0 : std::min(points, kMostTried);
  const auto tried = [&](std::uint64_t task) {  // from the first point to the last
    return tries == 1 ? points - 1 : static_cast<std::size_t>(task) * (points - 1) / (tries - 1);
  };
  runs::WorkerPool pool(
      {.tasks = tries, .alone = true, .patience_s = patience_s, .watches_memory = true},
      [&](std::uint64_t task, const runs::WriteLine& write) {
        write(json::shortest(time_of_run(study, tried(task))));
      },
      [&](std::uint64_t, const runs::TaskEnd& end) {
        ++estimate.tried;
        estimate.ended += end.failure.empty() ? 0 : 1;
        estimate.tried_s += end.failure.empty() ? number_in(end.lines.front()) : patience_s;
      });
  pool.run([] { return false; });
  return estimate;
}

std::string estimate_text(const scenario::Study& study, const SweepEstimate& estimate) {
  const double seconds = estimate.seconds();
  if (seconds < kWorthTelling_s) return {};
  const bool is_bound = estimate.ended > 0 || study.sweep.precision;
  return (is_bound ? "at least " : "about ") + runs::duration_words(seconds) +
         " with one job: a run of " + std::to_string(estimate.tried) + " of the " +
         std::to_string(study.points.size()) + " points took " +
         json::shortest(std::round(100.0 * estimate.tried_s / static_cast<double>(estimate.tried)) /
                        100.0) +
         " s on average" +
         (estimate.ended > 0
              ? ", and " + std::to_string(estimate.ended) + " of them did not end in time"
              : "") +
         "\n";
}

}  // namespace faultline::store
