// When a run ends, and what it reports.

#include <algorithm>
#include <cstdio>

#include "sim/engine/runtime.hpp"

namespace faultline {

namespace {

constexpr std::size_t kWorkload = index_of(Family::workload);

}  // namespace

Outcome with_violation(Outcome outcome, const Violation& violation) {
  if (violation.kind == "premature") return Outcome::premature;
  switch (outcome) {
    case Outcome::terminated:
    case Outcome::finished:
    case Outcome::fatal_reported:
    case Outcome::all_failed:
      return Outcome::violated;
    default:
      return outcome;
  }
}

const char* outcome_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::terminated:
      return "terminated";
    case Outcome::finished:
      return "finished";
    case Outcome::fatal_reported:
      return "fatal-reported";
    case Outcome::all_failed:
      return "all-failed";
    case Outcome::premature:
      return "premature";
    case Outcome::hung:
      return "hung";
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::violated:
      return "violated";
    case Outcome::limit:
      return "limit";
    case Outcome::unsafe_detector:
      return "unsafe-detector";
  }
  return "";
}

std::vector<std::string> outcome_words() {
  std::vector<std::string> words;
  for (int outcome = 0; outcome <= static_cast<int>(Outcome::unsafe_detector); ++outcome)
    words.emplace_back(outcome_word(static_cast<Outcome>(outcome)));
  return words;
}

void Runtime::stop(Outcome outcome) {
  if (stopped_) return;
  stopped_ = true;
  // Whatever ends a run in which no rank is left, no rank has finished.
  const bool nobody = live_ranks_ == 0;
  const bool by_itself = outcome == Outcome::finished || outcome == Outcome::limit;
  outcome_ = nobody && by_itself ? Outcome::all_failed : outcome;
}

bool Runtime::unannounced() const { return announced_ranks_ < live_ranks_; }

bool Runtime::all_know() const { return awaits_announcement_ && live_ranks_ > 0 && !unannounced(); }

/// True if no live rank will hear of a death that it has not heard of: all have, or nobody tells.
bool Runtime::all_have_heard() const {
  return auditor_.all_reported() ||
         spec_.component(Family::failure_detection).registration == nullptr;
}

/// True if ranks that are dead will live again.
bool Runtime::awaits_recovery() const {
  if (!any_death_ || spec_.component(Family::message_logging).registration == nullptr) return false;
  for (Rank dead = 0; dead < job_.processes; ++dead) {
    if (actors_[dead].alive) continue;
    for (Rank rank = 0; rank < job_.processes; ++rank) {
      const Layer* logging = actors_[rank].layer(Family::message_logging);
      if (actors_[rank].alive && logging->recovers(dead)) return true;
    }
  }
  return false;
}

/// True if a live rank has still to hear of a death that somebody else knows of, or of somebody who
/// had begun a phase that this rank has not. The job is not over then: who hears last may have to
/// do lost work again, or to give up.
bool Runtime::word_spreads() const {
  if (all_have_heard()) return false;
  return std::any_of(deaths_in_order_.begin(), deaths_in_order_.end(),
                     [this](const Incarnation& dead) {
                       if (!is_rank(dead.actor)) return false;
                       const ActorState& state = actors_[dead.actor];
                       const bool is_known = auditor_.is_declared(dead);
                       for (Rank rank = 0; rank < job_.processes; ++rank) {
                         if (!actors_[rank].alive || report_of(rank, dead) != nullptr) continue;
                         const bool was_ahead =
                             state.incarnation == dead.number && state.phase > actors_[rank].phase;
                         if (is_known || was_ahead) return true;
                       }
                       return false;
                     });
}

bool Runtime::all_faults_reported() const {
  return auditor_.all_reported() && faults_.exhausted(now_s_);
}

/// Ends the run if it ends before something that happens at time_s.
bool Runtime::ends_before(double time_s) {
  if (time_s > spec_.stop.time_s) {
    now_s_ = spec_.stop.time_s;
    const bool is_over = spec_.stop.when == StopWhen::announced && all_know();
    stop(is_over                             ? Outcome::terminated
         : spec_.stop.when == StopWhen::time ? Outcome::finished
                                             : Outcome::limit);
    return true;
  }
  if (awaits_announcement_ && time_s > auditor_.over_since_s() + spec_.stop.grace_s &&
      time_s > announce_time_s_ + spec_.stop.grace_s &&
      time_s > notices_until_s_ + spec_.stop.grace_s && unannounced() &&
      (background_ == 0 || all_have_heard()) && !awaits_recovery()) {
    now_s_ = std::max({auditor_.over_since_s(), announce_time_s_, notices_until_s_}) +
             spec_.stop.grace_s;
    describe_stuck("hung");
    stop(Outcome::hung);
    return true;
  }
  if (events_ >= spec_.stop.events) {
    stop(Outcome::limit);
    return true;
  }
  return false;
}

void Runtime::check_stop() {
  if (stopped_ || live_ranks_ == 0) return;
  switch (spec_.stop.when) {
    case StopWhen::announced:
      if (awaits_announcement_ && !unannounced() && !word_spreads()) stop(Outcome::terminated);
      break;
    case StopWhen::finished:
      if (finished_ranks_ == live_ranks_ && !awaits_recovery()) stop(Outcome::finished);
      break;
    case StopWhen::all_reported:
      if ((any_death_ || spec_.has_faults()) && all_faults_reported()) stop(Outcome::finished);
      break;
    case StopWhen::time:
      break;
  }
}

/// Ends the run when nothing but periodic timers is left to happen.
void Runtime::conclude() {
  if (spec_.stop.when == StopWhen::announced && all_know()) return stop(Outcome::terminated);
  if (spec_.stop.when == StopWhen::time) return stop(Outcome::finished);
  if (live_ranks_ == 0) return stop(Outcome::all_failed);
  // There may be no death to report: faults of a whole machine may all have missed the job, a trace
  // may have ended early, or the scenario has no faults.
  if (spec_.stop.when == StopWhen::all_reported && all_faults_reported())
    return stop(Outcome::finished);
  const bool over = auditor_.over_since_s() != kNever;
  const bool hung = awaits_announcement_ && unannounced() && over;
  if (!hung && over && spec_.stop.when == StopWhen::announced && !awaits_announcement_)
    return stop(Outcome::finished);
  describe_stuck(hung ? "hung" : "deadlock");
  stop(hung ? Outcome::hung : Outcome::deadlock);
}

void Runtime::describe_stuck(const std::string& kind) {
  constexpr std::size_t kNamed = 10;  // naming a million waiting ranks would not help
  std::size_t waiting = 0;
  std::string detail = kind == "hung" ? "all work is done and nothing was announced"
                                      : "nothing is left that could happen";
  detail += ": " + std::to_string(auditor_.active()) + " active ranks, " +
            std::to_string(auditor_.in_flight()) + " application messages in flight";
  for (ActorId actor = 0; actor < actors_.size(); ++actor)
    for (const StackPlace& place : kStack) {
      const Component* component = actors_[actor].component(place.family);
      const std::string what = component ? component->waiting_for() : std::string();
      if (what.empty() || !actors_[actor].alive || ++waiting > kNamed) continue;
      detail += "; " + std::to_string(actor) + " waits for " + what;
    }
  if (waiting > kNamed) detail += "; and " + std::to_string(waiting - kNamed) + " more wait";
  auditor_.violation(kind, std::nullopt, detail, now_s_);
}

/// True if the run has gone wrong after a false report, which can be what misled the protocols.
bool Runtime::misled(const RunResult& result) const {
  switch (result.outcome) {
    case Outcome::premature:
    case Outcome::hung:
    case Outcome::deadlock:
      return std::any_of(result.violations.begin(), result.violations.end(),
                         [&](const Violation& violation) {
                           return violation.kind == outcome_word(result.outcome) &&
                                  violation.time_s >= auditor_.first_false_report_s();
                         });
    default:
      return false;
  }
}

RunResult Runtime::result() {
  std::uint64_t in_flight = 0;
  for (const ActorState& actor : actors_)
    in_flight += static_cast<std::uint64_t>(std::max(std::int64_t{0}, actor.held()));
  pool_.for_each_in_flight([&](const Message& message) {
    if (message.channel == Family::workload && (message.flags & kLost) == 0) ++in_flight;
  });
  if (!broken_) auditor_.finish(in_flight);  // a turn that broke off has messages nowhere

  RunResult result;
  result.fatal_reason = fatal_reason_;
  result.fatal_actor = fatal_actor_;
  result.fatal_family = fatal_family_;
  if (awaits_announcement_) result.terminated = all_know();
  result.events = events_;
  report_counts(result.metrics);
  for (const auto& [dead, components] : unreported_)
    for (std::size_t family = 0; family < kFamilies; ++family)
      report(components[family].get(), family);
  for (const ActorState& actor : actors_)
    for (std::size_t family = 0; family < kFamilies; ++family) report(actor, family);
  for (const MetricTotals& reported : reported_) reported.write_to(result.metrics);
  check_end();
  result.outcome = outcome_;
  result.violations = auditor_.violations();
  for (const Violation& violation : result.violations)
    result.outcome = with_violation(result.outcome, violation);
  if (auditor_.first_false_report_s() != kNever && misled(result))
    result.outcome = Outcome::unsafe_detector;
  return result;
}

/// Takes in what a component has counted, if there is one. Called once for each component, when its
/// life is over: at the end of the run, of its phase or of its incarnation.
void Runtime::report(const Component* component, std::size_t family) {
  if (component != nullptr) component->report(reported_[family]);
}

/// Reports a violation for each metric of the workload that must be 0 at the end of its work, but
/// is not. Skipped if the run has another violation: one that ends too early has left work undone.
void Runtime::check_end() {
  const Registration* workload = spec_.component(Family::workload).registration;
  const bool ends_by_itself =
      spec_.stop.when == StopWhen::finished || spec_.stop.when == StopWhen::announced;
  const bool at_end = all_know() || (outcome_ == Outcome::finished && ends_by_itself);
  if (workload == nullptr || !at_end || !auditor_.violations().empty()) return;
  for (const EndCheck& check : workload->end_checks) {
    const double left = reported_[kWorkload].value(*check.metric).value_or(0.0);
    if (left == 0.0) continue;
    char count[32];
    std::snprintf(count, sizeof count, "%.0f", left);
    auditor_.violation(check.violation, std::nullopt,
                       std::string("the run has come to its end with ") + check.metric->name + " " +
                           count + " instead of 0",
                       now_s_);
  }
}

/// Only of runs with a layer that can send messages again, discard them or roll ranks back.
void Runtime::report_recovery_counts(Metrics& metrics) const {
  const auto set = [&metrics](const char* name, std::uint64_t count) {
    metrics.set(name, static_cast<double>(count));
  };
  set("application_messages_resent", auditor_.application_resent());
  set("application_messages_discarded", auditor_.application_discarded());
  set("application_messages_rolled_back", auditor_.application_rolled_back());
}

void Runtime::report_counts(Metrics& metrics) const {
  metrics.set("application_messages", static_cast<double>(auditor_.application_messages()));
  metrics.set("application_bytes", static_cast<double>(application_bytes_));
  metrics.set("application_messages_lost", static_cast<double>(auditor_.application_lost()));
  if (spec_.component(Family::message_logging).registration != nullptr ||
      spec_.component(Family::transactions).registration != nullptr)
    report_recovery_counts(metrics);
  metrics.set("idle_transitions", static_cast<double>(auditor_.idle_transitions()));
  metrics.set("busy_transitions", static_cast<double>(auditor_.busy_transitions()));
  metrics.set("end_time_s", now_s_);
  double messages = 0;
  double bytes = 0;
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const auto& counts = control_[family];
    for (const KindCount& count : counts) {
      messages += static_cast<double>(count.messages);
      bytes += static_cast<double>(count.bytes);
    }
    const Registration* registration = spec_.components[family].registration;
    if (family == kWorkload || registration == nullptr) continue;
    for (std::size_t kind = 0; kind < registration->message_kinds.size(); ++kind)
      metrics.set("control_messages." + registration->message_kinds[kind],
                  kind < counts.size() ? static_cast<double>(counts[kind].messages) : 0.0);
  }
  metrics.set("control_messages", messages);
  metrics.set("control_bytes", bytes);
  const bool known_to_all = all_know();
  const auto truth = auditor_.termination_time_s();
  const double over_s = auditor_.over_since_s();
  metrics.set("termination_time_s", truth              ? truth
                                    : over_s != kNever ? std::optional(over_s)
                                                       : std::nullopt);
  metrics.set("announce_time_s", known_to_all ? std::optional(announce_time_s_) : std::nullopt);
  metrics.set("detection_latency_s",
              known_to_all && truth ? std::optional(announce_time_s_ - *truth) : std::nullopt);
  const bool detector_errs =
      !detector_is_accurate_ && spec_.component(Family::failure_detection).registration != nullptr;
  if (!spec_.has_faults() && !detector_errs) return;
  const bool struck = faults_struck_ > 0;
  metrics.set("faults_struck", static_cast<double>(faults_struck_));
  metrics.set("first_fault_time_s", struck ? std::optional(first_fault_s_) : std::nullopt);
  metrics.set("last_fault_time_s", struck ? std::optional(last_fault_s_) : std::nullopt);
  metrics.set("failed_ranks", static_cast<double>(job_.processes - live_ranks_));
  if (detector_errs) metrics.set("false_reports", static_cast<double>(auditor_.false_reports()));
  metrics.set("failure_reports", static_cast<double>(auditor_.reports()));
  metrics.set("failure_report_latency_max_s", auditor_.report_latency_max_s());
}

}  // namespace faultline
