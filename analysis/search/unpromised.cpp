// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/unpromised.hpp"

#include <algorithm>

#include "analysis/runs/worker_process.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/life_bound.hpp"

namespace faultline::search {

namespace {

/// What the network has lost between live processes.
struct Losses {
  bool words = false;  ///< a message of a failure detector
  bool work = false;   ///< any other message
};

/// Sees what the network loses on its way between live processes.
class LossLog final : public audit::RunObserver {
 public:
  explicit LossLog(const scenario::RunSpec& spec) : is_dead_(actors_of(spec)) {}

  void see(const audit::Sight& sight) override {
    if (sight.kind == audit::Sight::Kind::died) is_dead_.at(sight.actor) = true;
    if (sight.kind == audit::Sight::Kind::restarted) is_dead_.at(sight.actor) = false;
    if (sight.kind != audit::Sight::Kind::lost || (sight.message->flags & kLost) == 0) return;
    // What a dead process still had to send or to handle is lost in every network.
    if (is_dead_.at(sight.actor) || is_dead_.at(sight.peer)) return;
    (sight.message->channel == Family::failure_detection ? losses_.words : losses_.work) = true;
  }
  [[nodiscard]] Losses losses() const { return losses_; }

 private:
  static std::size_t actors_of(const scenario::RunSpec& spec) {
    const JobShape job = scenario::job_shape(spec.platform);
    return std::size_t{job.processes} + job.nodes + job.spare_nodes;
  }
  std::vector<bool> is_dead_;
  Losses losses_;
};

/// On SimGrid the run has its own process.
Losses losses_of(const scenario::Scenario& scenario) {
  scenario::RunSpec patient =
      scenario.points.front();  // ends after the network drops lost messages
  patient.stop.grace_s = std::max(patient.stop.grace_s, 1.0);
  const auto looked_at = [&] {
    LossLog log(patient);
    engine::run_simulation(patient, scenario.engine, scenario.seed, 0, &log);
    return log.losses();
  };
  if (scenario.engine == scenario::EngineKind::loggp) return looked_at();
  Losses losses;
  runs::in_processes(
      1,
      [&](unsigned, const runs::WriteLine& write) {
        const Losses seen = looked_at();
        if (seen.words) write("words");
        if (seen.work) write("work");
      },
      [&](const std::string& line) { (line == "work" ? losses.work : losses.words) = true; });
  return losses;
}

/// Sees whether rank 0 dies and no live process is told of it before the run ends.
class UnheardRoot final : public audit::RunObserver {
 public:
  void see(const audit::Sight& sight) override {
    if (sight.kind == audit::Sight::Kind::died && sight.actor == 0) is_unheard_ = true;
    if (sight.kind == audit::Sight::Kind::declared_dead && sight.peer == 0) is_unheard_ = false;
  }
  [[nodiscard]] bool is_unheard() const { return is_unheard_; }

 private:
  bool is_unheard_ = false;
};

/// docs/workloads.md: rank 0 alone has lost work done again. If it dies after it has announced, and
/// before anybody is told of that, the run ends with lost tasks.
bool lost_work_with_its_root(const scenario::Scenario& scenario, const runs::RunRecord& run) {
  const bool is_lost = std::ranges::any_of(run.violations, [](const audit::Violation& violation) {
    return violation.kind == "lost-work";
  });
  if (!is_lost || scenario.engine != scenario::EngineKind::loggp) return false;
  UnheardRoot root;
  engine::run_simulation(scenario.points.front(), scenario.engine, scenario.seed, 0, &root);
  return root.is_unheard();
}

/// docs/failure-detection.md: what a detector promises nothing of is held against nobody.
bool waits_for_unpromised_word(const runs::RunRecord& run) {
  if (run.outcome != engine::Outcome::missed_death) return false;
  const auto is = [](const char* kind) {
    return [kind](const audit::Violation& violation) { return violation.kind == kind; };
  };
  return std::ranges::any_of(run.violations, is("unheard-death")) &&
         std::ranges::none_of(run.violations, is("missed-death"));
}

double count(const runs::RunRecord& run, const char* metric) {
  return run.number(metric).value_or(0.0);
}

bool is_set(const OptionValues& options, const char* option, const OptionValue& value) {
  const auto given = options.find(option);
  return given != options.end() && given->second == value;
}

bool brings_back(const scenario::RunSpec& spec) {
  return spec.component(Family::message_logging).registration != nullptr ||
         spec.component(Family::transactions).registration != nullptr;
}

}  // namespace

bool outlives_deaths(const scenario::RunSpec& spec) {
  const auto has = [&](Family family) { return spec.component(family).registration != nullptr; };
  return has(Family::transactions) || has(Family::message_logging) ||
         (has(Family::termination) && spec.stop.when == scenario::StopWhen::announced);
}

bool is_wrong_on_purpose(const scenario::RunSpec& spec) {
  return std::ranges::any_of(spec.components, [](const scenario::ComponentChoice& choice) {
    if (choice.registration == nullptr) return false;
    const auto printed = choice.options.find("as_printed");
    if (printed != choice.options.end() && !std::get<ChosenWords>(printed->second).empty())
      return true;
    return is_set(choice.options, "protect_recovery", false) ||
           is_set(choice.options, "dots", std::string("outside"));
  });
}

bool promises_word(const scenario::RunSpec& spec, std::uint16_t life) {
  const auto bound = scenario::bound_of_life(spec, life, life);
  return !bound || (bound->unwatched.empty() && bound->unpromised.empty());
}

bool has_false_report(const runs::RunRecord& run) { return count(run, "false_reports") > 0.0; }

bool is_fenced_everywhere(const scenario::RunSpec& spec) {
  return spec.fences() && spec.platform.fencing.reach == scenario::FencingReach::all;
}

bool is_unpromised(const scenario::Scenario& scenario, const runs::RunRecord& run) {
  const scenario::RunSpec& spec = scenario.points.front();
  if (has_false_report(run) && !is_fenced_everywhere(spec)) return true;
  if (waits_for_unpromised_word(run)) return true;
  const bool missed = count(run, "missed_reports") > 0.0;
  const bool dies_again = brings_back(spec) && count(run, "faults_struck") > 1.0;
  if (missed && !promises_word(spec, dies_again ? 1 : 0)) return true;
  if (missed && lost_work_with_its_root(scenario, run)) return true;
  const bool loses = spec.is_ever_cut() || spec.platform.detection_loss_probability > 0.0;
  if (!loses) return false;
  const Losses losses = losses_of(scenario);
  return (spec.is_ever_cut() && losses.work) || (missed && losses.words);
}

bool was_in_peace(const scenario::RunSpec& spec, const runs::RunRecord& run) {
  return std::ranges::all_of(spec.faults, &faults::FaultSpec::kills) &&
         count(run, "faults_struck") == 0.0 && !has_false_report(run);
}

}  // namespace faultline::search
