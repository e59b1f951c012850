// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/detector_promise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "analysis/search/long_times.hpp"
#include "analysis/search/made_run.hpp"
#include "analysis/search/unpromised.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/life_bound.hpp"
#include "sim/scenario/may_err.hpp"
#include "sim/scenario/stated_disturbance.hpp"

namespace faultline::search {

namespace {

double count(const runs::RunRecord& run, const char* metric) {
  return run.number(metric).value_or(0.0);
}

bool has(const scenario::RunSpec& spec, Family family) {
  return spec.component(family).registration != nullptr;
}

/// True if the job has a detector that does not err on purpose.
bool has_true_detector(const scenario::Scenario& scenario) {
  const scenario::RunSpec& spec = scenario.points.front();
  return scenario.engine == scenario::EngineKind::loggp && has(spec, Family::failure_detection) &&
         !scenario::errs_as_stated(spec);
}

/// True if nobody comes back. Returning processes are not members of every detector.
bool is_of_one_life(const scenario::RunSpec& spec) {
  return !has(spec, Family::transactions) && !has(spec, Family::message_logging);
}

double sum_of_times_s(scenario::ComponentChoice choice) {
  double sum_s = 0.0;
  for (const auto& [name, time_s] : times_of(choice))
    sum_s += std::isfinite(*time_s) ? *time_s : 0.0;
  return sum_s;
}

/// For how long a member of swim suspects another at most, if nobody confirms it [s].
double longest_suspicion_s(const scenario::ComponentChoice& detector, std::uint32_t members) {
  const OptionValues& options = detector.options;
  if (!options.contains("suspicion_multiplier")) return 0.0;
  const double least_s =
      static_cast<double>(std::get<std::int64_t>(options.at("suspicion_multiplier"))) *
      std::max(1.0, std::log10(members)) * std::get<double>(options.at("heartbeat_period_s"));
  return least_s * std::get<double>(options.at("suspicion_maximum"));
}

/// The length of all stalls of a scenario, one after another [s].
double stalls_s(const scenario::RunSpec& spec) {
  double sum_s = 0.0;
  for (const faults::FaultSpec& fault : spec.faults)
    sum_s += fault.stall_s * static_cast<double>(fault.ranks.size());
  return sum_s;
}

/// The last time that a scenario states for a fault [s].
double last_stated_s(const scenario::RunSpec& spec) {
  double last_s = 0.0;
  for (const faults::FaultSpec& fault : spec.faults)
    last_s = std::max(last_s, fault.time_s.value_or(0.0));
  return last_s;
}

/// Raises an option that has a lesser value.
template <class Number>
void raise(OptionValues& options, const char* option, Number least) {
  OptionValue& value = options.at(option);
  value = std::max(std::get<Number>(value), least);
}

/// Lets a member of swim pass each update on so often, to so many, that chance hardly leaves a
/// member out, as the page asks.
void pass_on_often(scenario::RunSpec& spec) {
  OptionValues& options = spec.components[index_of(Family::failure_detection)].options;
  if (!options.contains("retransmit_multiplier")) return;
  raise(options, "retransmit_multiplier", std::int64_t{16});
  raise(options, "gossip_members", std::int64_t{3});
  raise(options, "packet_bytes", std::int64_t{1400});
  options.at("update_bytes") = std::int64_t{48};
}

// ---- deaths that are missed -------------------------------------------------------------------

/// True if the members of the detector are ranks, and not daemons.
bool is_among_ranks(const scenario::ComponentChoice& detector) {
  return residence_of(*detector.registration, detector.options) == Residence::ranks;
}

/// True if there are deaths, all stated, few enough that a detector can pass on what it knows.
bool has_few_deaths(const scenario::RunSpec& spec) {
  constexpr std::size_t kMostDeaths = 3;
  const std::size_t with_node =  // members that die with a node
      is_among_ranks(spec.component(Family::failure_detection)) ? spec.platform.processes_per_node
                                                                : 1;
  std::size_t deaths = 0;
  for (const faults::FaultSpec& fault : spec.faults)
    if (fault.kills())
      deaths += fault.ranks.size() + with_node * (fault.nodes.size() + fault.daemons.size());
  return deaths > 0 && deaths <= kMostDeaths && spec.fault_sources.empty();
}

/// True if no word of a detector is lost, nor later than patience_s() allows for: nothing disturbs
/// the job but slow nodes and a late start. Stalls, and computations under `between`, are no
/// disturbances in that sense, and patience_s() counts them.
bool only_delays(scenario::RunSpec spec) {
  constexpr double kMostTimes = 100;
  std::erase_if(spec.slow, [](const faults::SlowSpec& slow) { return slow.factor <= kMostTimes; });
  spec.platform.start_delay_s = 0.0;
  return !scenario::is_disturbed(spec);
}

/// A time far beyond all times of a detector, and of what tells it of deaths, for every process.
/// The probe of a connection takes long, and matters only to detectors without another source.
/// Where computations go first, nobody hears of anything before they end.
double patience_s(const scenario::RunSpec& spec) {
  const scenario::ComponentChoice& detector = spec.component(Family::failure_detection);
  const scenario::PlatformSpec& platform = spec.platform;
  double all_s = 1.0 + platform.local_exit_delay_s + platform.link_lost_delay_s +
                 sum_of_times_s(detector) + stalls_s(spec) + platform.start_delay_s +
                 longest_send_s(spec);
  if (!detector.options.contains("heartbeat_period_s")) all_s += platform.silent_link_lost_delay_s;
  if (platform.progress == scenario::Progress::between)
    all_s += sum_of_times_s(spec.component(Family::workload));
  constexpr double kTimes = 20;  // a member may be probed late, and others pass on what it finds
  const std::uint32_t members = platform.processes + platform.spare_nodes;
  return kTimes * members * all_s + 2 * longest_suspicion_s(detector, members);
}

/// Notes which computations run.
class ComputeLog final : public audit::RunObserver {
 public:
  void see(const audit::Sight& sight) override {
    if (sight.kind == audit::Sight::Kind::compute_began)
      computing_.emplace(sight.actor, sight.value);
    if (sight.kind == audit::Sight::Kind::compute_ended)
      computing_.erase({sight.actor, sight.value});
    if (sight.kind == audit::Sight::Kind::died)
      std::erase_if(computing_, [&](const auto& one) { return one.first == sight.actor; });
  }
  [[nodiscard]] bool any() const { return !computing_.empty(); }

 private:
  std::set<std::pair<ActorId, std::uint64_t>> computing_;
};

/// True if a live process computes when the run ends. No option bounds how long that takes.
bool computes_at_the_end(const scenario::Scenario& scenario) {
  ComputeLog log;
  engine::run_simulation(scenario.points.front(), scenario.engine, scenario.seed, 0, &log);
  return log.any();
}

/// A detector that is left in peace tells all live processes of every death. The same job waits for
/// nothing else, and for long.
std::optional<Finding> against_missed_deaths(const scenario::Scenario& scenario,
                                             const runs::RunRecord& first) {
  const scenario::RunSpec& spec = scenario.points.front();
  if (!has_few_deaths(spec) || !only_delays(spec) || !promises_word(spec, 0)) return std::nullopt;
  const double patience = patience_s(spec);
  const auto last_s = [](const runs::RunRecord& of) { return count(of, "last_fault_time_s"); };
  scenario::Scenario patient = scenario;
  scenario::StopSpec& stop = patient.points.front().stop;
  stop.when = scenario::StopWhen::all_reported;
  stop.time_s = std::max(last_s(first), last_stated_s(spec)) + patience;
  stop.events *= 10;
  pass_on_often(patient.points.front());
  const runs::ReplicationRecord again = made_run(patient);
  if (!again.run || count(*again.run, "missed_reports") == 0.0 || has_false_report(*again.run))
    return std::nullopt;
  const double waited_s = count(*again.run, "end_time_s") - last_s(*again.run);
  const bool has_waited = again.run->outcome == engine::Outcome::limit && waited_s >= patience;
  if (!has_waited && again.run->outcome != engine::Outcome::deadlock &&
      again.run->outcome != engine::Outcome::missed_death)
    return std::nullopt;
  if (spec.platform.progress == scenario::Progress::between && computes_at_the_end(patient))
    return std::nullopt;
  return Finding{"missed death", "a live process is never told of a death"};
}

/// Where processes come back, others may wait for a process whose death nobody sees until the run
/// is cut off. If it goes on for longer than the bound of the detector, that is told.
std::optional<Finding> against_deaths_missed_later(const scenario::Scenario& scenario,
                                                   const runs::RunRecord& first) {
  const scenario::RunSpec& spec = scenario.points.front();
  if (first.outcome != engine::Outcome::limit || count(first, "missed_reports") == 0.0 ||
      !only_delays(spec))
    return std::nullopt;
  const auto bound = scenario::bound_of_life(spec, 1, 1);
  if (!bound || bound->within_s == kNever) return std::nullopt;
  constexpr double kTimes = 10;  // more deaths take longer
  scenario::Scenario patient = scenario;
  scenario::StopSpec& stop = patient.points.front().stop;
  stop.time_s = std::max(stop.time_s, count(first, "end_time_s")) + kTimes * bound->within_s;
  stop.events *= 10;
  const runs::ReplicationRecord again = made_run(patient);
  if (!again.run || again.run->outcome != engine::Outcome::missed_death ||
      is_unpromised(patient, *again.run))
    return std::nullopt;
  return Finding{engine::outcome_word(again.run->outcome), text_of_end(*again.run)};
}

// ---- reports that are false -------------------------------------------------------------------

/// True if a member answers within the time that messages take, unless it is dead or stalls.
bool is_quiet(const scenario::RunSpec& spec) {
  return !scenario::is_disturbed(spec) && spec.platform.progress != scenario::Progress::between;
}

/// A detector reports no live process if it waits so long that no load of the network or of its
/// processors counts. Nor does it take news of an earlier life for news of a later one. Faults
/// strike later, too, unless they would come after the work that brings processes back.
std::optional<Finding> against_false_reports_in_peace(const scenario::Scenario& scenario,
                                                      const runs::RunRecord& first) {
  constexpr double kTimes = 1000;
  constexpr double kMany = 100;  // messages, and what they cost
  if (!has_false_report(first) || stalls_s(scenario.points.front()) > 0.0) return std::nullopt;
  scenario::Scenario slower = scenario;
  scenario::RunSpec& spec = slower.points.front();
  double load_s = longest_send_s(spec);
  double least_s = std::numeric_limits<double>::infinity();
  for (const auto& [name, time_s] :
       times_of(spec.components[index_of(Family::failure_detection)])) {
    if (is_cost(name)) {
      load_s = std::max(load_s, *time_s);
      continue;
    }
    *time_s *= kTimes;
    if (*time_s > 0.0) least_s = std::min(least_s, *time_s);
  }
  if (kMany * load_s > least_s) return std::nullopt;
  spec.stop.time_s *= kTimes;
  for (faults::FaultSpec& fault : spec.faults)
    if (fault.time_s && is_of_one_life(spec)) *fault.time_s *= kTimes;
  const runs::ReplicationRecord again = made_run(slower);
  if (!again.run || !has_false_report(*again.run)) return std::nullopt;
  return Finding{"false report",
                 "a live process is reported dead although nothing disturbs the network"};
}

/// Gives a detector the patience that its page asks for, so that it bears such a stall. Returns
/// true if the page promises that: a ring bears stalls that are shorter than the timeout by a
/// period, and twice that if the observer stalls, too; a suspected member of swim denies it in time
/// if it goes on before the suspicion ends, and the denial is passed on often enough.
bool give_patience(scenario::RunSpec& spec, double stall_s) {
  scenario::ComponentChoice& detector = spec.components[index_of(Family::failure_detection)];
  OptionValues& options = detector.options;
  const auto period = options.find("heartbeat_period_s");
  if (period == options.end()) return true;  // it has no timeouts, or none of its own
  const double period_s = std::get<double>(period->second);
  if (options.contains("timeout_s")) {
    raise(options, "timeout_s", 1.2 * period_s + 3 * stall_s);
    return true;
  }
  if (!options.contains("suspicion_multiplier")) return false;
  constexpr double kMostPeriods = 100;
  if (stall_s > kMostPeriods * period_s) return false;
  raise(options, "suspicion_multiplier",
        static_cast<std::int64_t>(10 + std::ceil(stall_s / period_s)));
  pass_on_often(spec);
  options.at("gossip_period_s") =
      std::min(std::get<double>(options.at("gossip_period_s")), period_s / 5);
  return true;
}

/// True if the detector's own words are so large that it sends faster than the network takes them
/// in. Then each comes later than the one before, and no patience suffices.
bool fills_the_network(scenario::RunSpec spec) {
  constexpr double kMany = 100;  // of its words at a time
  const OptionValues& options = spec.component(Family::failure_detection).options;
  const auto period = options.find("heartbeat_period_s");
  if (period == options.end()) return false;
  const double period_s = std::get<double>(period->second);
  for (std::size_t i = 0; i < std::size(spec.components); ++i)
    if (i != index_of(Family::failure_detection)) spec.components[i].registration = nullptr;
  return kMany * longest_send_s(spec) > period_s;
}

/// A rank that stalls for less time than the detector bears is not reported, if without the stalls
/// none is.
std::optional<Finding> against_false_reports_of_stalls(const scenario::Scenario& scenario) {
  constexpr double kPeriods = 20;  // until the last suspicion has ended
  scenario::Scenario patient = scenario;
  scenario::RunSpec& spec = patient.points.front();
  const double stall_s = stalls_s(spec);
  if (stall_s <= 0.0 || fills_the_network(spec) || !give_patience(spec, stall_s))
    return std::nullopt;
  spec.stop.when = scenario::StopWhen::time;
  spec.stop.time_s = last_stated_s(spec) + stall_s +
                     kPeriods * sum_of_times_s(spec.component(Family::failure_detection));
  spec.stop.events *= 3;
  const runs::ReplicationRecord with = made_run(patient);
  if (!with.run || !has_false_report(*with.run)) return std::nullopt;
  std::erase_if(spec.faults, [](const faults::FaultSpec& fault) { return fault.stall_s > 0.0; });
  const runs::ReplicationRecord without = made_run(patient);
  if (!without.run || has_false_report(*without.run)) return std::nullopt;
  return Finding{"false report",
                 "a rank that stalls for less than its detector bears is reported dead"};
}

}  // namespace

std::optional<Finding> against_detector(const scenario::Scenario& scenario,
                                        const runs::RunRecord& run) {
  if (!has_true_detector(scenario)) return std::nullopt;
  const scenario::RunSpec& spec = scenario.points.front();
  const bool is_simple = is_of_one_life(spec);
  if (auto missed = is_simple ? against_missed_deaths(scenario, run)
                              : against_deaths_missed_later(scenario, run))
    return missed;
  if (!is_quiet(spec)) return std::nullopt;
  if (auto wrong = against_false_reports_in_peace(scenario, run)) return wrong;
  return is_simple ? against_false_reports_of_stalls(scenario) : std::nullopt;
}

}  // namespace faultline::search
