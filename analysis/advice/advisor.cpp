// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/advisor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/store/study_growth.hpp"
#include "analysis/store/study_rows.hpp"
#include "analysis/store/sweep_run.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/run_metrics.hpp"

namespace faultline::advice {

namespace {

using runs::RunRecord;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kFirstRuns = 10;
constexpr std::uint32_t kMostRuns = 10240;
constexpr const char* kTimeToSolution = "time_to_solution_s";
constexpr const char* kEndTime = "end_time_s";

bool reports(const Registration* component, const std::string& metric) {
  return component != nullptr &&
         std::ranges::any_of(component->metrics,
                             [&](const MetricSpec* own) { return own->name == metric; });
}

double events_of(const std::vector<RunRecord>& runs) {
  double sum = 0;
  for (const RunRecord& run : runs) sum += static_cast<double>(run.events);
  return sum;
}

/// One question on its way: its study, the race, and what has been spent.
class Pursuit {
 public:
  Pursuit(const Question& question, Field& field, store::ResultStore& store,
          const AdvisorSettings& settings)
      : question_(question),
        study_(field.study),
        store_(store),
        settings_(settings),
        study_id_(store::open_study(store, field.study, true)),
        race_(rules_of(question, field), field.alternatives.size()),
        wanted_(field.alternatives.size(), 0),
        runs_(field.alternatives.size()) {
    take_known_runs();
  }

  RaceEnd run() {
    for (std::uint32_t runs = kFirstRuns; runs <= kMostRuns; runs *= 2) {
      if (const auto end = before_round(runs)) return *end;
      if (!make_runs(runs)) return RaceEnd::interrupted;
      race_.look(runs_);
      if (race_.is_decided()) return RaceEnd::decided;
    }
    return RaceEnd::most_runs;
  }

  [[nodiscard]] const Race& race() const { return race_; }

  [[nodiscard]] double events() const {
    double sum = 0;
    for (const auto& of_one : runs_) sum += events_of(of_one);
    return sum;
  }

 private:
  /// What another question has simulated of the same alternatives, with the same program, is not
  /// simulated again.
  void take_known_runs() {
    const store::StoredStudy ours = store::stored_study(study_);
    std::map<std::size_t, std::vector<RunRecord>> known;  // by alternative
    for (const store::StoredStudy& other : store_.studies()) {
      if (other.id == study_id_ || other.faultline != ours.faultline ||
          other.simgrid != ours.simgrid)
        continue;
      store_.each_point(other.id, [&](store::StoredPoint& point) {
        if (const auto i = alternative_of(point)) known[*i] = std::move(point.runs);
      });
    }
    for (auto& [i, runs] : known) {
      store::StoredPoint part =
          store::stored_point(study_, study_id_, i, scenario::point_scenario(study_, i));
      part.runs = std::move(runs);
      store_.save(part);
    }
  }

  /// The alternative that is this point of a study, if any is.
  [[nodiscard]] std::optional<std::size_t> alternative_of(const store::StoredPoint& point) const {
    const auto same = std::ranges::find(study_.points, point.hash, &scenario::StudyPoint::hash);
    if (same == study_.points.end()) return std::nullopt;  // of another question
    return static_cast<std::size_t>(same - study_.points.begin());
  }

  /// Why the next round, in which each that still races gets so many runs, is not begun.
  [[nodiscard]] std::optional<RaceEnd> before_round(std::uint32_t runs) const {
    if (race_.looks() == 0) return std::nullopt;  // without a look there is no answer
    if (settings_.until && Clock::now() > *settings_.until) return RaceEnd::time_limit;
    const double budget = question_.settings.budget.value_or(Budget()).events;
    return events() + expected_events(runs) > budget ? std::optional(RaceEnd::budget)
                                                     : std::nullopt;
  }

  /// What the round will take if its runs are like those before.
  [[nodiscard]] double expected_events(std::uint32_t runs) const {
    double sum = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!race_.is_racing(i) || runs_[i].empty()) continue;
      const auto had = static_cast<double>(runs_[i].size());
      sum += events_of(runs_[i]) / had * (runs - had);
    }
    return sum;
  }

  /// Makes what the store lacks. Returns false if the user has interrupted that.
  bool make_runs(std::uint32_t runs) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (race_.is_racing(i)) wanted_[i] = runs;
      study_.points[i].replications = wanted_[i];
    }
    store::SweepSettings sweep;
    sweep.jobs = settings_.jobs;
    sweep.progress = settings_.progress;
    const store::SweepOutcome made = store::run_sweep(study_, study_id_, store_, sweep);
    if (made.interrupted) return false;
    for (std::size_t i = 0; i < wanted_.size(); ++i) take(i);
    return true;
  }

  /// The runs of an alternative that the race has not seen, up to the number that is wanted,
  /// however many the store has.
  void take(std::size_t alternative) {
    std::vector<RunRecord>& seen = runs_[alternative];
    if (seen.size() >= wanted_[alternative]) return;
    const store::PointRange rest{.study = study_id_,
                                 .point = static_cast<std::int64_t>(alternative),
                                 .first = static_cast<std::int64_t>(seen.size()),
                                 .end = wanted_[alternative]};
    std::optional<store::StoredPoint> part = store_.part(rest);
    if (!part) return;
    if (!part->failure.empty()) {
      race_.exclude(alternative, part->failure);
      return;
    }
    for (RunRecord& run : part->runs) seen.push_back(what_counts(std::move(run)));
  }

  /// A run without what the race does not look at. There can be many runs.
  [[nodiscard]] RunRecord what_counts(RunRecord run) const {
    const auto is_idle = [&](const runs::RunMetric& metric) {
      return metric.name != race_.rules().objective && metric.name != runs::kCompleted &&
             !metric.name.starts_with(run_metrics::kStratum.name) &&
             std::ranges::find(race_.rules().require, metric.name, &Requirement::metric) ==
                 race_.rules().require.end();
    };
    for (std::vector<runs::RunMetric>* metrics : {&run.metrics, &run.derived}) {
      std::erase_if(*metrics, is_idle);
      metrics->shrink_to_fit();
    }
    return run;
  }

  const Question& question_;
  scenario::Study& study_;
  store::ResultStore& store_;
  const AdvisorSettings& settings_;
  std::int64_t study_id_;
  Race race_;
  std::vector<std::uint32_t> wanted_;         ///< replications, by alternative
  std::vector<std::vector<RunRecord>> runs_;  ///< that the race has seen, by alternative
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
  if (rules.objective.empty())
    rules.objective = reports(spec.component(Family::workload).registration, kTimeToSolution)
                          ? kTimeToSolution
                          : kEndTime;
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
