// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/lasting_report.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/search/accusations.hpp"
#include "analysis/search/long_times.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/may_err.hpp"
#include "sim/scenario/stated_disturbance.hpp"

namespace faultline::search {

namespace {

constexpr const char* kPeriod = "heartbeat_period_s";
constexpr const char* kReconnects = "reconnect_period_s";
constexpr const char* kExchanges = "push_pull_period_s";

/// Notes who takes whom for dead, in a job in which nobody dies unless he hears that he is dead.
class BeliefLog final : public audit::RunObserver {
 public:
  void see(const audit::Sight& sight) override {
    const std::pair belief{sight.actor, sight.peer};
    if (sight.kind == audit::Sight::Kind::died) any_death_ = true;
    if (sight.kind == audit::Sight::Kind::reported) beliefs_.emplace(belief, sight.time_s);
    if (sight.kind == audit::Sight::Kind::taken_back) beliefs_.erase(belief);
  }
  [[nodiscard]] bool any_death() const { return any_death_; }
  /// The accuser and the accused, and since when.
  [[nodiscard]] const auto& beliefs() const { return beliefs_; }

 private:
  std::map<std::pair<ActorId, ActorId>, double> beliefs_;
  bool any_death_ = false;
};

OptionValues& detector_options(scenario::RunSpec& spec) {
  return spec.components[index_of(Family::failure_detection)].options;
}

/// Leaves out deaths, and whatever disturbs the job at a time that the scenario does not state, or
/// for ever.
void leave_what_ends(scenario::RunSpec& spec) {
  const auto is_endless = [](const auto& one) { return one.to_s == kNever; };
  std::erase_if(spec.partitions, is_endless);
  std::erase_if(spec.slow, is_endless);
  std::erase_if(spec.faults, [](const faults::FaultSpec& fault) {
    return fault.stall_s <= 0.0 || !fault.time_s;
  });
  spec.fault_sources.clear();
  spec.platform.delay_noise.reset();
  spec.platform.os_noise.reset();
  spec.platform.detection_loss_probability = 0.0;
}

/// When the last disturbance is over [s]. Stalls of one rank may follow each other.
double calm_from_s(const scenario::RunSpec& spec) {
  double stalled_s = 0.0;
  double last_s = std::max(0.0, scenario::stated_disturbance(spec).last_change_s);
  for (const faults::FaultSpec& fault : spec.faults) {
    stalled_s += fault.stall_s;
    last_s = std::max(last_s, *fault.time_s);
  }
  return last_s + stalled_s;
}

/// Lets members that take each other for dead talk as often as they probe, so that the bound is
/// short. Without such talks the two sides of a cut never agree again, and false is returned.
bool talk_often(scenario::RunSpec& spec) {
  constexpr double kPeriods = 10;  // from one exchange to the next
  OptionValues& options = detector_options(spec);
  const auto at_most = [&](const char* option, double time_s) {
    const auto found = options.find(option);
    double* const given = found == options.end() ? nullptr : std::get_if<double>(&found->second);
    if (given != nullptr) *given = std::min(*given, time_s);
    return given != nullptr;
  };
  const double period_s = std::get<double>(options.at(kPeriod));
  return at_most(kReconnects, period_s) && at_most(kExchanges, kPeriods * period_s);
}

/// True if messages, and the work for them, take so little of the times of the detector that only
/// disturbances make it err.
bool is_answered_in_time(scenario::RunSpec spec) {
  constexpr double kMany = 100;  // of what can be in the way
  const scenario::PlatformSpec& platform = spec.platform;
  const double load_s = std::max(
      {longest_send_s(spec), platform.context_switch_s,
       platform.ordering == scenario::Ordering::unordered ? platform.unordered_delay_s : 0.0});
  double least_s = kNever;
  for (const auto& [name, time_s] : times_of(spec.components[index_of(Family::failure_detection)]))
    if (*time_s > 0.0 && !is_cost(name)) least_s = std::min(least_s, *time_s);
  return platform.progress != scenario::Progress::between && kMany * load_s < least_s;
}

/// The bound of the detector for what it has to mend after a disturbance; nothing if it promises
/// nothing [s].
std::optional<double> mends_within_s(const scenario::RunSpec& spec) {
  const scenario::ComponentChoice& detector = spec.component(Family::failure_detection);
  const auto& bound_of = detector.registration->as<DetectorTraits>().bound;
  if (!bound_of) return std::nullopt;
  const DetectionBound bound =
      bound_of(detector.options, {.job = scenario::job_shape(spec), .disturbed = true});
  if (!bound.unpromised.empty()) return std::nullopt;
  return bound.within_s;
}

/// What remains after so long a calm: a report, nothing, or a run that tells nothing, because it
/// ended earlier, or somebody has died.
struct Rest {
  bool tells = false;
  std::string lasting = {};
};

Rest after_calm(const scenario::Scenario& calm, double wait_s) {
  scenario::RunSpec spec = calm.points.front();
  spec.stop.time_s = calm_from_s(spec) + wait_s;
  BeliefLog log;
  const engine::RunResult result = engine::run_simulation(spec, calm.engine, calm.seed, 0, &log);
  const auto end_s = result.metrics.values().find("end_time_s");
  const bool has_waited =
      end_s != result.metrics.values().end() && end_s->second.value_or(0.0) >= spec.stop.time_s;
  if (!has_waited || log.any_death()) return {};
  Rest rest{.tells = true};
  if (log.beliefs().empty()) return rest;
  const auto& [belief, since_s] = *log.beliefs().begin();
  rest.lasting = std::to_string(belief.first) + " takes " + std::to_string(belief.second) +
                 " for dead since " + std::to_string(since_s) + " s, which lives";
  return rest;
}

}  // namespace

std::optional<Finding> against_lasting_reports(const scenario::Scenario& scenario) {
  if (scenario.engine != scenario::EngineKind::loggp ||
      !reports_can_be_denied(scenario.points.front()))
    return std::nullopt;
  scenario::Scenario calm = scenario;
  scenario::RunSpec& spec = calm.points.front();
  leave_what_ends(spec);
  if (!scenario::can_err(spec) || !talk_often(spec) || !is_answered_in_time(spec))
    return std::nullopt;
  const std::optional<double> bound_s = mends_within_s(spec);
  if (!bound_s) return std::nullopt;
  constexpr std::uint64_t kTimesEvents = 30;
  spec.stop.when = scenario::StopWhen::time;
  spec.stop.events *= kTimesEvents;
  // Mostly all are back soon, and nobody need wait for long.
  Rest rest;
  for (const double share : {0.01, 0.1, 1.0}) {
    rest = after_calm(calm, share * *bound_s);
    if (!rest.tells || rest.lasting.empty()) return std::nullopt;
  }
  return Finding{"a false report that lasts", rest.lasting};
}

}  // namespace faultline::search
