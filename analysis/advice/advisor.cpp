// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/advisor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "analysis/runs/derived_metrics.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/run_metrics.hpp"

namespace faultline::advice {

namespace {

using runs::RunRecord;

constexpr std::uint32_t kMostRuns = 10240;
constexpr std::uint32_t kMostQuickRuns = 40;
constexpr const char* kTimeToSolution = "time_to_solution_s";
constexpr const char* kEndTime = "end_time_s";

bool reports(const Registration* component, const std::string& metric) {
  return component != nullptr &&
         std::ranges::any_of(component->metrics,
                             [&](const MetricSpec* own) { return own->name == metric; });
}

/// What is to be least if the question does not say: the time to solution. Where a program has
/// none, the time after which its end is detected, or else its end.
std::string usual_objective(const scenario::RunSpec& spec) {
  if (reports(spec.component(Family::workload).registration, kTimeToSolution))
    return kTimeToSolution;
  const bool is_detected = spec.component(Family::termination).registration != nullptr;
  return is_detected ? run_metrics::kDetectionLatency.name : kEndTime;
}

/// The metrics by which a race is decided.
std::vector<std::string> metrics_of(const RaceRules& rules) {
  std::vector<std::string> metrics{rules.objective};
  for (const Requirement& requirement : rules.require) metrics.push_back(requirement.metric);
  return metrics;
}

/// One question on its way: its runs, the race, and what has been spent.
class Pursuit {
 public:
  Pursuit(const Question& question, Field& field, store::ResultStore& store,
          const AdvisorSettings& settings)
      : budget_(question.settings.budget.value_or(Budget()).events),
        settings_(settings),
        race_(rules_of(question, field), field.alternatives.size()),
        runs_(field, store, settings, metrics_of(race_.rules())) {}

  RaceEnd run() {
    const std::uint32_t most = settings_.is_quick ? kMostQuickRuns : kMostRuns;
    for (std::uint32_t runs = kFirstRuns; runs <= most; runs *= 2) {
      if (const auto end = before_round(runs)) return *end;
      const std::vector<std::size_t> racing = still_racing();
      if (!runs_.make(racing, runs)) return RaceEnd::interrupted;
      for (const std::size_t i : racing)
        if (!runs_.failure(i).empty()) race_.exclude(i, runs_.failure(i));
      race_.look(runs_.of_all());
      if (race_.is_decided()) return RaceEnd::decided;
    }
    return RaceEnd::most_runs;
  }

  [[nodiscard]] const Race& race() const { return race_; }
  [[nodiscard]] double events() const { return runs_.events(); }

 private:
  [[nodiscard]] std::vector<std::size_t> still_racing() const {
    std::vector<std::size_t> racing;
    for (std::size_t i = 0; i < race_.contestants().size(); ++i)
      if (race_.is_racing(i)) racing.push_back(i);
    return racing;
  }

  /// Why the next round, in which each that still races gets so many runs, is not begun.
  [[nodiscard]] std::optional<RaceEnd> before_round(std::uint32_t runs) const {
    if (race_.looks() == 0) return std::nullopt;  // without a look there is no answer
    if (settings_.is_late()) return RaceEnd::time_limit;
    return events() + expected_events(runs) > budget_ ? std::optional(RaceEnd::budget)
                                                      : std::nullopt;
  }

  /// What the round will take if its runs are like those before.
  [[nodiscard]] double expected_events(std::uint32_t runs) const {
    double sum = 0;
    for (const std::size_t i : still_racing()) {
      const std::vector<RunRecord>& seen = runs_.of_all()[i];
      const auto had = static_cast<double>(seen.size());
      if (had > 0) sum += events_of(seen) / had * (runs - had);
    }
    return sum;
  }

  double budget_;
  const AdvisorSettings& settings_;
  Race race_;
  FieldRuns runs_;
};

}  // namespace

const char* race_end_word(RaceEnd end) {
  constexpr std::array kWords{"decided", "budget", "most-runs", "time-limit", "interrupted"};
  return kWords[static_cast<std::size_t>(end)];
}

RaceRules rules_of(const Question& question, const Field& field) {
  const scenario::RunSpec spec = scenario::point_scenario(field.study, 0).points.front();
  RaceRules rules{.objective = question.settings.objective.value_or(""),
                  .higher_is_better = false,
                  .require = question.require,
                  .confidence = question.settings.confidence,
                  .equivalent_within = question.settings.equivalent_within};
  if (rules.objective.empty()) rules.objective = usual_objective(spec);
  rules.higher_is_better = rules.objective == runs::kCompleted;
  constexpr double kMostComplete = 0.95;
  if (!question.states_requirements && spec.has_faults() && runs::frame_of(spec).ends_with_program)
    rules.require.push_back({runs::kCompleted, kMostComplete, std::nullopt});
  return rules;
}

Findings find_out(const Question& question, Field& field, store::ResultStore& store,
                  const AdvisorSettings& settings) {
  Pursuit pursuit(question, field, store, settings);
  const RaceEnd end = pursuit.run();
  const Race& race = pursuit.race();
  return {.rules = race.rules(),
          .contestants = race.contestants(),
          .leader = race.leader(),
          .end = end,
          .looks = race.looks(),
          .events = pursuit.events()};
}

}  // namespace faultline::advice
