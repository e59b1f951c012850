// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/verdict/verdict.hpp"

#include <algorithm>
#include <cstdio>

#include "sim/core/stack.hpp"

namespace faultline::engine {

// ---- the run ends -----------------------------------------------------------------------------

void Verdict::stop(Outcome outcome) {
  // Whatever ends a run in which no rank is left, no rank has finished.
  const bool nobody = see_.roll.live() == 0;
  const bool by_itself = outcome == Outcome::finished || outcome == Outcome::limit;
  ending_.end(nobody && by_itself ? Outcome::all_failed : outcome);
}

bool Verdict::ends_before(double time_s) {
  if (time_s > job_.spec.stop.time_s) {
    end_at_limit();
    return true;
  }
  if (is_hung_before(time_s)) {
    see_.schedule.set_now_s(hung_since_s(time_s));
    describe_stuck("hung");
    stop(Outcome::hung);
    return true;
  }
  if (see_.schedule.events() >= job_.spec.stop.events) {
    stop(Outcome::limit);
    return true;
  }
  return false;
}

/// The limit of time is reached. Where a disturbance is there for good, only that has kept a run
/// going in which all wait: then it is judged as if nothing were left to happen.
void Verdict::end_at_limit() {
  see_.schedule.set_now_s(job_.spec.stop.time_s);
  if (job_.spec.stop.when == scenario::StopWhen::announced && all_know_for_good())
    return stop(Outcome::terminated);
  if (job_.spec.stop.when == scenario::StopWhen::time) return stop(Outcome::finished);
  const bool is_kept = job_.disturbance.is_endless && no_news_spreads();
  if (is_kept && see_.schedule.foreground() == 0) return conclude();
  stop(Outcome::limit);
}

/// The end of the grace time in which a work that is over must be announced.
double Verdict::late_since_s() const {
  return std::max(
             {auditor().over_since_s(), ending_.last_announcement_s(), ending_.news_until_s()}) +
         job_.spec.stop.grace_s;
}

/// When a run hangs of which the next event is at that time. If it has gone on only for a detector
/// that might have spoken, it does so now.
double Verdict::hung_since_s(double time_s) const {
  const bool is_quiet = !job_.disturbance.is_endless && undisturbed_since_s() == -kNever;
  if (is_quiet && (see_.schedule.background() == 0 || detector_is_done(time_s)))
    return late_since_s();
  return std::max(late_since_s(), see_.schedule.now_s());
}

/// Has the grace time passed by then, and will no detector say anything that matters?
bool Verdict::is_hung_before(double time_s) const {
  if (!job_.awaits_announcement || !(time_s > late_since_s()) || !unannounced()) return false;
  const bool is_silent =
      see_.schedule.background() == 0 || detector_is_done(time_s) ||
      (!job_.disturbance.is_endless &&
       time_s > std::max(late_since_s(), undisturbed_since_s()) + job_.detection_bound_s);
  return is_silent && !awaits_recovery();
}

void Verdict::check() {
  if (ending_.has_ended() || see_.roll.live() == 0) return;
  switch (job_.spec.stop.when) {
    case scenario::StopWhen::announced:
      if (all_know_for_good() && !word_spreads()) stop(Outcome::terminated);
      break;
    case scenario::StopWhen::finished:
      if (see_.roll.finished() == see_.roll.live() && !awaits_recovery()) stop(Outcome::finished);
      break;
    case scenario::StopWhen::all_reported:
      if ((see_.roll.any_death() || job_.spec.has_faults()) && all_faults_reported())
        stop(Outcome::finished);
      break;
    case scenario::StopWhen::time:
      break;
  }
}

void Verdict::conclude() {
  if (job_.spec.stop.when == scenario::StopWhen::announced && all_know())
    return stop(Outcome::terminated);
  if (job_.spec.stop.when == scenario::StopWhen::time) {
    see_.schedule.set_now_s(job_.spec.stop.time_s);  // nothing happens until then
    return stop(Outcome::finished);
  }
  if (see_.roll.live() == 0) return stop(Outcome::all_failed);
  // There may be no death to report: faults of a whole machine may all have missed the job, a trace
  // may have ended early, the scenario has no faults, or they wait for a mark or an event that does
  // not come.
  if (job_.spec.stop.when == scenario::StopWhen::all_reported && auditor().all_reported())
    return stop(Outcome::finished);
  const bool over = auditor().over_since_s() != kNever;
  // No rank should wait at the end of a program of TryBlocks: every wait there has to end.
  const bool hung =
      has(Family::transactions) || (job_.awaits_announcement && unannounced() && over);
  if (!hung && over && job_.spec.stop.when == scenario::StopWhen::announced &&
      !job_.awaits_announcement)
    return stop(Outcome::finished);
  describe_stuck(hung ? "hung" : "deadlock");
  stop(hung ? Outcome::hung : Outcome::deadlock);
}

/// The registration of the component says whether it may give up after these deaths. If it says
/// nothing, any death or report of one suffices. The full condition of the adoption protocols
/// depends on their messages; see analysis/lemmas/needless_fatal.hpp.
void Verdict::give_up(const GivenUp& given_up, const std::vector<ActorId>& dead) {
  const scenario::ComponentChoice& choice = job_.spec.component(given_up.family);
  const MayGiveUp& rule = choice.registration->may_give_up();
  const bool any = see_.roll.any_death() || auditor().reports() > 0;
  if (rule ? !rule(choice.options, job_.shape, dead) : !any)
    auditor().violation(
        "needless-fatal", given_up.actor,
        any ? "gave up, although none of the deaths that it has been told of is a reason: " +
                  given_up.reason
            : "gave up, although nobody has died: " + given_up.reason,
        see_.schedule.now_s());
  ending_.give_up(given_up);
  stop(Outcome::fatal_reported);
}

void Verdict::describe_stuck(const std::string& kind) {
  constexpr std::size_t kNamed = 10;  // naming a million waiting ranks would not help
  std::size_t waiting = 0;
  std::string detail = kind == "hung" && job_.awaits_announcement
                           ? "all work is done and nothing was announced"
                           : "nothing is left that could happen";
  detail += ": " + std::to_string(auditor().active()) + " active ranks, " +
            std::to_string(auditor().in_flight()) + " application messages in flight";
  for (ActorId actor = 0; actor < see_.actors.size(); ++actor)
    for (const StackPlace& place : kStack) {
      const Component* component = see_.actors[actor].component(place.family);
      const std::string what = component ? component->waiting_for() : std::string();
      if (what.empty() || !see_.actors[actor].alive || ++waiting > kNamed) continue;
      detail += "; " + std::to_string(actor) + " waits for " + what;
    }
  if (waiting > kNamed) detail += "; and " + std::to_string(waiting - kNamed) + " more wait";
  detail += waiting_restarts();
  auditor().violation(kind, std::nullopt, detail, see_.schedule.now_s());
}

/// The requests to restart processes that live, which nobody ends.
std::string Verdict::waiting_restarts() const {
  std::string words;
  for (const auto& [living, asker] : ending_.awaited_deaths())
    if (see_.actors[living.actor].lives_as(living.number))
      words += "; the restart of " + std::to_string(living.actor) + " for " +
               std::to_string(asker.actor) + " waits, because it lives and nobody ends it";
  return words;
}

// ---- what is still to come --------------------------------------------------------------------

bool Verdict::all_know() const {
  return job_.awaits_announcement && see_.roll.live() > 0 && !unannounced();
}

/// True if no live rank will hear of a death that it has not heard of: all have, or nobody tells.
bool Verdict::all_have_heard() const {
  return auditor().all_reported() || !has(Family::failure_detection);
}

/// True if a detector will bring nothing new: nothing makes it err, all have heard of all deaths,
/// and whoever was declared dead is.
bool Verdict::detector_is_done(double now_s) const {
  const bool is_quiet = job_.disturbance.is_over(now_s) &&
                        (job_.detector_is_accurate || now_s >= ending_.stalled_until_s());
  return is_quiet && no_news_spreads();
}

/// True if the detector has had the time that it states since nothing else happens. It states none
/// for a time that does not come.
bool Verdict::is_past_bound() const {
  if (job_.detection_bound_s == kNever || job_.disturbance.is_endless) return false;
  const double now_s = see_.schedule.now_s();
  const double since_s = ending_.idle_since_s(see_.schedule.events(), now_s);
  return now_s > std::max({since_s, ending_.news_until_s(), undisturbed_since_s()}) +
                     job_.detection_bound_s;
}

/// When the last disturbance has begun or ended, or will.
double Verdict::undisturbed_since_s() const {
  return std::max(job_.disturbance.last_change_s, ending_.stalled_until_s());
}

/// True if all have heard of all deaths, and whoever is declared dead is. The resource manager
/// ends whoever it ends by events of its own, and the others live on.
bool Verdict::no_news_spreads() const {
  if (!all_have_heard()) return false;
  if (job_.fences) return true;
  const auto& reports = auditor().falsely_reported();
  return std::none_of(reports.begin(), reports.end(), [this](const auto& report) {
    const Incarnation victim = report.first;
    return !report.second.empty() && see_.actors[victim.actor].lives_as(victim.number);
  });
}

/// True if ranks that are dead will live again.
bool Verdict::awaits_recovery() const {
  if (!see_.roll.any_death() || !has(Family::message_logging)) return false;
  for (Rank dead = 0; dead < job_.shape.processes; ++dead) {
    if (see_.actors[dead].alive) continue;
    for (Rank rank = 0; rank < job_.shape.processes; ++rank) {
      const RecoveryLayer* logging = see_.actors[rank].recovery(Family::message_logging);
      if (see_.actors[rank].alive && logging->recovers(dead)) return true;
    }
  }
  return false;
}

/// True if the end is announced to all, and no process will live again that has to hear of it.
bool Verdict::all_know_for_good() const { return all_know() && !awaits_recovery(); }

/// True if a live rank has still to hear of a death that another one knows of, or of an actor that
/// had begun a phase that this rank has not. The job is not over then: the last rank that hears may
/// have to do lost work again, or to give up. Asked at every report at the end of a run.
bool Verdict::word_spreads() const {
  if (all_have_heard()) return false;
  return auditor().word_spreads() || dead_were_ahead();
}

/// True if somebody had begun a phase that a live rank has not, and no rank knows of its death.
bool Verdict::dead_were_ahead() const {
  std::uint32_t last_of_dead = 0;
  std::uint32_t first_of_living = UINT32_MAX;
  for (Rank rank = 0; rank < job_.shape.processes; ++rank) {
    const ActorState& state = see_.actors[rank];
    if (state.alive)
      first_of_living = std::min(first_of_living, state.phase);
    else if (!auditor().is_declared({rank, state.incarnation}))
      last_of_dead = std::max(last_of_dead, state.phase);
  }
  return last_of_dead > first_of_living;
}

bool Verdict::all_faults_reported() const {
  return auditor().all_reported() && see_.faults.exhausted(see_.schedule.now_s());
}

// ---- the result -------------------------------------------------------------------------------

RunResult Verdict::result(const MetricTotals& of_workload,
                          const std::vector<audit::Violation>& missed) {
  RunResult result;
  result.fatal_reason = ending_.given_up().reason;
  result.fatal_actor = ending_.given_up().actor;
  result.fatal_family = ending_.given_up().family;
  if (job_.awaits_announcement) result.terminated = all_know();
  result.events = see_.schedule.events();
  check_end(of_workload);
  for (const audit::Violation& death : missed)
    auditor().violation(death.kind, death.actor, death.detail, death.time_s);
  result.outcome = ending_.outcome();
  result.violations = auditor().violations();
  for (const audit::Violation& violation : result.violations)
    result.outcome = with_violation(result.outcome, violation);
  if (auditor().first_false_report_s() != kNever && misled(result))
    result.outcome = Outcome::unsafe_detector;
  return result;
}

/// True if a promise is broken, and was kept until a report that was false. What misled nobody:
/// that report itself, where the detector promises accuracy, and a death that it has missed.
bool Verdict::misled(const RunResult& result) const {
  if (!is_broken_promise(result.outcome)) return false;
  const auto is_excuse = [](const audit::Violation& violation) {
    return violation.kind == "false-report" || names_unheard_death(violation);
  };
  const auto first =
      std::find_if_not(result.violations.begin(), result.violations.end(), is_excuse);
  return first != result.violations.end() && first->time_s >= auditor().first_false_report_s() &&
         std::none_of(result.violations.begin(), result.violations.end(), is_excuse);
}

/// What is not as it was sent on some channel of a program that has come to its end; see
/// ChannelLedgers. Nothing is known of runs in which no message is sent again.
std::optional<std::string> Verdict::wrong_channel() const {
  const auto& channels = see_.truth.channels();
  if (!channels) return std::nullopt;
  return channels->first_difference(auditor().in_flight() > 0);
}

/// Reports a violation for each metric of the workload that must be 0 at the end of its work, but
/// is not. Skipped if a protocol or program has given up, or if the run has another violation: one
/// that ends too early has left work undone.
void Verdict::check_end(const MetricTotals& of_workload) {
  const Registration* workload = job_.spec.component(Family::workload).registration;
  const bool ends_by_itself = job_.spec.stop.when == scenario::StopWhen::finished ||
                              job_.spec.stop.when == scenario::StopWhen::announced;
  const bool at_end =
      all_know_for_good() || (ending_.outcome() == Outcome::finished && ends_by_itself);
  const bool gave_up = ending_.outcome() == Outcome::fatal_reported;
  if (workload == nullptr || !at_end || gave_up || !auditor().violations().empty()) return;
  if (const auto wrong = wrong_channel())
    return auditor().violation("wrong-state", std::nullopt, *wrong, see_.schedule.now_s());
  for (const EndCheck& check : workload->as<WorkloadTraits>().end_checks) {
    const double left = of_workload.value(*check.metric).value_or(0.0);
    if (left == 0.0) continue;
    char count[32];
    std::snprintf(count, sizeof count, "%.0f", left);
    auditor().violation(check.violation, std::nullopt,
                        std::string("the run has come to its end with ") + check.metric->name +
                            " " + count + " instead of 0",
                        see_.schedule.now_s());
  }
}

}  // namespace faultline::engine
