// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/engine_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "analysis/advice/ranking.hpp"
#include "analysis/advice/variants.hpp"
#include "sim/core/error.hpp"

namespace faultline::advice {

namespace {

constexpr std::uint32_t kMostRuns = 10;
/// The most events of all runs on `simgrid` together, which take some seconds to a minute.
constexpr double kMostEvents = 2e6;

bool is_on_simgrid(const Question& question) {
  const json::JsonValue* engine = question.scenario.find("engine");
  return engine != nullptr && engine->text() != nullptr && *engine->text() == "simgrid";
}

/// 1 if the first mean is less by more than counts, -1 if it is larger, and else 0.
int order(double first, double second, double equivalent_within) {
  const double counts = equivalent_within * std::fabs(first);
  return second - first > counts ? 1 : first - second > counts ? -1 : 0;
}

/// Runs both, first here and then on `simgrid`, and compares them.
void make(EngineCheck& check, const Question& question, const Field& field,
          const Findings& findings, store::ResultStore& store, const AdvisorSettings& settings) {
  const std::string& objective = findings.rules.objective;
  Question there = question;
  there.scenario.set("engine", "simgrid");
  Variants here(question);
  Variants on_simgrid(there);
  for (const std::size_t i : {check.leader, check.runner_up}) {
    here.add(field.alternatives[i]);
    on_simgrid.add(field.alternatives[i]);
  }
  check.is_interrupted = !here.run(kMostRuns, objective, store, settings);
  if (check.is_interrupted) return;
  const double of_one_run = here.events() / kMostRuns;
  const auto runs = static_cast<std::uint32_t>(
      std::min<double>(kMostRuns, std::floor(kMostEvents / std::max(1.0, of_one_run))));
  if (runs == 0) {
    check.why_not = "a run is too long for it";
    return;
  }
  check.is_interrupted = !on_simgrid.run(runs, objective, store, settings);
  if (check.is_interrupted) return;
  check.events = on_simgrid.events();
  if (on_simgrid.of(0).empty() || on_simgrid.of(1).empty()) {
    check.why_not = "it cannot run one of them";
    return;
  }
  const CommonMeans common =
      means_in_common({&here.of(0), &here.of(1), &on_simgrid.of(0), &on_simgrid.of(1)}, objective);
  check.runs = common.runs;
  if (common.runs == 0) {
    check.why_not = "none of its runs counts for both";
    return;
  }
  check.leader_mean = common.means[2];
  check.runner_up_mean = common.means[3];
  const double within = findings.rules.equivalent_within;
  check.agrees = order(common.means[0], common.means[1], within) ==
                 order(common.means[2], common.means[3], within);
}

}  // namespace

std::optional<EngineCheck> check_on_simgrid(const Question& question, const Field& field,
                                            const Findings& findings, store::ResultStore& store,
                                            const AdvisorSettings& settings) {
  const std::vector<std::size_t> fit = fit_of_stacks(field, findings);
  if (!findings.leader || fit.size() < 2 || is_on_simgrid(question)) return std::nullopt;
  EngineCheck check{.leader = fit[0], .runner_up = fit[1]};
  if (settings.is_late()) {
    check.why_not = "the time is up";
    return check;
  }
  try {
    make(check, question, field, findings, store, settings);
  } catch (const UsageError&) {
    check.why_not = "it cannot run this job";
  }
  return check;
}

}  // namespace faultline::advice
