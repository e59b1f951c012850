// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/judged_run.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "analysis/runs/worker_pool.hpp"
#include "analysis/search/detector_promise.hpp"
#include "analysis/search/explored_job.hpp"
#include "analysis/search/given_up.hpp"
#include "analysis/search/lasting_report.hpp"
#include "analysis/search/long_times.hpp"
#include "analysis/search/made_run.hpp"
#include "analysis/search/run_watch.hpp"
#include "analysis/search/unpromised.hpp"
#include "sim/core/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/may_err.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

namespace {

constexpr const char* kFile = "search.json";

/// The first problem of a refused scenario, without the file's name.
std::string refusal_of(const std::string& problems) {
  std::string first = problems.substr(0, problems.find('\n'));
  const std::string file = std::string(kFile) + ": ";
  if (first.starts_with(file)) first.erase(0, file.size());
  return kind_of_message(first);
}

/// True if a fault or a cut is stated. It strikes at a moment that is another one on another
/// engine. All else that disturbs a job only makes it slower there, or its detector err.
bool states_moments(const scenario::RunSpec& spec) {
  return !spec.faults.empty() || !spec.fault_sources.empty() || spec.is_ever_cut();
}

/// A run in one line, without what differs from machine to machine.
std::string line_of(const scenario::Scenario& scenario, runs::ReplicationRecord record) {
  record.run->wall_s = 0;
  record.run->peak_rss_bytes = 0;
  return runs::replication_line(scenario, record);
}

class Judge {
 public:
  Judge(scenario::Scenario scenario, const JudgeSettings& settings)
      : scenario_(std::move(scenario)), settings_(settings), spec_(scenario_.points.front()) {
    spec_.checks_state = true;
    constexpr std::uint64_t kSlower = 10;  // SimGrid takes so much longer, and more
    const bool is_slow = scenario_.engine == scenario::EngineKind::simgrid;
    spec_.stop.events = std::min(spec_.stop.events, settings.events / (is_slow ? kSlower : 1));
  }

  Judgement take() {
    judgement_.as_printed = is_wrong_on_purpose(spec_);
    judgement_.may_die = spec_.has_faults();
    const runs::ReplicationRecord first = made_run(scenario_);
    if (!first.run) return without_result(first.error);
    judgement_.outcome = engine::outcome_word(first.run->outcome);
    judgement_.events = static_cast<std::uint64_t>(first.run->events);
    judgement_.struck = first.run->number("faults_struck").value_or(0.0) > 0.0;
    judge_end(*first.run);
    if (judgement_.finding && is_unpromised(scenario_, *first.run)) {
      judgement_.finding.reset();
      judgement_.by_membership = true;
    }
    if (!judgement_.finding) repeat(first);
    if (!judgement_.finding && !judgement_.by_membership)
      judgement_.finding = against_detector(scenario_, *first.run);
    if (!judgement_.finding) judgement_.finding = against_lasting_reports(scenario_);
    if (!judgement_.finding && settings_.compares) compare(*first.run);
    if (!judgement_.finding && settings_.explored_each > 0 &&
        scenario_.seed % settings_.explored_each == 0) {
      ExploredJob job = explored_job(scenario_);
      judgement_.explored = job.explored;
      judgement_.finding = std::move(job.finding);
    }
    return std::move(judgement_);
  }

 private:
  void found(std::string kind, std::string text) {
    judgement_.finding = Finding{std::move(kind), std::move(text)};
  }

  Judgement without_result(const std::string& error) {
    if (error == "out of memory")
      judgement_.outcome = "memory";
    else if (const std::string reason = refused_at_the_start(); !reason.empty())
      judgement_.refused = "when it runs: " + kind_of_message(reason);
    else
      found("exception: " + kind_of_message(error), error);
    return std::move(judgement_);
  }

  /// What shows only when the run is made, such as a tree that grows too large. The engines say the
  /// same.
  std::string refused_at_the_start() {
    try {
      engine::run_simulation(spec_, scenario::EngineKind::loggp, scenario_.seed, 0);
    } catch (const UsageError& error) {
      return error.what();
    } catch (const std::exception&) {
      return {};
    }
    return {};
  }

  /// How the run ended, against what every family promises.
  void judge_end(const runs::RunRecord& run) {
    const auto found_end = [&] { found(kind_of_end(run), text_of_end(run)); };
    switch (run.outcome) {
      case engine::Outcome::deadlock:
        if (outlives_deaths(spec_) || run.number("failed_ranks").value_or(0.0) == 0.0) found_end();
        return;
      case engine::Outcome::premature:
      case engine::Outcome::wrong_state:
      case engine::Outcome::inconsistent:
      case engine::Outcome::violated:
        return found_end();
      case engine::Outcome::missed_death:
        return found(engine::outcome_word(run.outcome), text_of_end(run));
      case engine::Outcome::unsafe_detector:
        if (is_fenced_everywhere(spec_) && outlives_deaths(spec_) &&
            (!hangs(run) || is_hung_for_good()))
          found_end();
        return;
      case engine::Outcome::hung:
        if (is_hung_for_good()) found_end();
        return;
      case engine::Outcome::fatal_reported:
        judgement_.finding = against_giving_up(scenario_, run);
        return;
      default:
        return;
    }
  }

  /// Did it end because nothing was announced in time, whatever is to blame for that?
  static bool hangs(const runs::RunRecord& run) {
    return run.outcome == engine::Outcome::hung ||
           (run.outcome == engine::Outcome::unsafe_detector && kind_of_end(run) == "hung");
  }

  /// What is announced late, because everything is slow, is announced all the same. A longer run
  /// shows how many messages there are to wait for, if each takes long.
  bool is_hung_for_good() {
    const double grace_s = std::max(1e5, 10 * longest_time_s(spec_));
    const std::optional<double> sent = sent_until_hung(grace_s);
    if (!sent) return false;
    const double sending_s = *sent * longest_send_s(spec_);
    return sending_s <= grace_s || sent_until_hung(2 * sending_s).has_value();
  }

  /// How many messages a run sends that hangs although it waits for so long, and of which every
  /// promise holds; none if it does not hang.
  std::optional<double> sent_until_hung(double grace_s) {
    scenario::Scenario patient = scenario_;
    scenario::RunSpec& spec = patient.points.front();
    spec.stop.grace_s = std::max(spec.stop.grace_s, grace_s);
    // A disturbance without end keeps a run going until its limit of time, at which it is judged.
    // So do routers, of which more fail in a longer run.
    if (!spec.routers_fail() && !scenario::disturbance_of(spec).is_endless) {
      spec.stop.time_s = std::max(spec.stop.time_s, 2 * grace_s);
      spec.stop.events *= 10;
    }
    const runs::ReplicationRecord again = made_run(patient);
    if (!again.run || !hangs(*again.run)) return std::nullopt;
    // What the network loses of a detector may be lost after the end of the first run.
    judgement_.by_membership = is_unpromised(patient, *again.run);
    if (judgement_.by_membership) return std::nullopt;
    double sent = 0.0;
    for (const char* metric : {"application_messages", "control_messages", "detection_messages"})
      sent += again.run->number(metric).value_or(0.0);
    return sent;
  }

  /// Repeats the run under an observer: the result must be the same, and the run must agree with
  /// what the scenario states, whatever its protocols. SimGrid shows nothing.
  void repeat(const runs::ReplicationRecord& first) {
    if (scenario_.engine != scenario::EngineKind::loggp) {
      if (settings_.repeats) compare_lines(first, made_run(scenario_));
      return;
    }
    scenario::RunSpec unchecked = spec_;
    unchecked.checks_state = false;
    RunWatch seen(unchecked);
    const engine::RunResult result =
        engine::run_simulation(unchecked, scenario_.engine, scenario_.seed, 0, &seen);
    seen.ended(first.run->number("end_time_s").value_or(0.0));
    judgement_.struck_amid = seen.struck_amid();
    if (static_cast<std::int64_t>(result.events) != first.run->events)
      return found("not deterministic", "an observer changes the run");
    // A run that was given up is judged further, and gets more metrics.
    if (result.outcome != engine::Outcome::fatal_reported)
      compare_lines(first, {.run = runs::run_record(0, result, spec_), .error = {}});
    else if (settings_.repeats)
      compare_lines(first, made_run(scenario_));
    if (!judgement_.finding && seen.breach()) found(seen.breach()->kind, seen.breach()->text);
  }

  void compare_lines(const runs::ReplicationRecord& first, const runs::ReplicationRecord& second) {
    if (!second.run)
      return found("not deterministic", "the same run once more fails: " + second.error);
    if (line_of(scenario_, first) != line_of(scenario_, second))
      found("not deterministic", "the same run once more gives another result");
  }

  /// Without faults, and without false reports, which strike as faults do, the engines must agree
  /// on how a run ends, and on how many messages the application sends, if that does not depend on
  /// their order.
  void compare(const runs::RunRecord& on_simgrid) {
    if (scenario_.engine != scenario::EngineKind::simgrid || states_moments(spec_) ||
        has_false_report(on_simgrid))
      return;
    scenario::Scenario other = scenario_;
    other.engine = scenario::EngineKind::loggp;
    const runs::ReplicationRecord on_loggp = made_run(other);
    if (!on_loggp.run) return found("engines differ", "on loggp: " + on_loggp.error);
    if (on_simgrid.outcome == engine::Outcome::limit ||
        on_loggp.run->outcome == engine::Outcome::limit || has_false_report(*on_loggp.run))
      return;
    if (on_simgrid.outcome != on_loggp.run->outcome)
      return found("engines differ", std::string(engine::outcome_word(on_simgrid.outcome)) +
                                         " on simgrid, " +
                                         engine::outcome_word(on_loggp.run->outcome) + " on loggp");
    const Registration* const workload = spec_.component(Family::workload).registration;
    constexpr const char* kMessages = "application_messages";
    if (workload->as<WorkloadTraits>().order_free && spec_.stop.when != scenario::StopWhen::time &&
        on_simgrid.number(kMessages) != on_loggp.run->number(kMessages))
      found("engines differ", "in the number of messages of the application");
  }

  scenario::Scenario scenario_;
  JudgeSettings settings_;
  scenario::RunSpec& spec_;
  Judgement judgement_;
};

}  // namespace

Judgement judged(const json::JsonValue& scenario, const JudgeSettings& settings) {
  Judgement judgement;
  try {
    return Judge(scenario::parse_scenario(json::to_json(scenario), kFile), settings).take();
  } catch (const UsageError& error) {
    judgement.refused = refusal_of(error.what());
  } catch (const std::bad_alloc&) {
    judgement.outcome = "memory";
  } catch (const std::exception& error) {
    judgement.finding = Finding{"exception: " + kind_of_message(error.what()), error.what()};
  }
  return judgement;
}

Judgement judged_apart(const json::JsonValue& scenario, const JudgeSettings& settings) {
  Judgement judgement;
  runs::WorkerPool pool(
      {.tasks = 1,
       .patience_s = kPatience_s,
       .worker = {.memory_limit_B = kMemory_B, .keep_log = true}},
      [&](std::uint64_t, const runs::WriteLine& write) {
        write(json::to_json(judgement_json(judged(scenario, settings))));
      },
      [&](std::uint64_t, const runs::TaskEnd& end) {
        json::Problems problems("judgement");
        if (end.failure.empty())
          judgement = read_judgement(json::parse_json(end.lines.front(), problems));
        else
          judgement.finding = crash(end.failure);
      });
  pool.run([] { return false; });
  return judgement;
}

}  // namespace faultline::search
