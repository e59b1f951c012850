// When a run ends, and what it reports.

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "sim/engine/runtime.hpp"

namespace faultline::engine {

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
      if (violation.kind == "wrong-state") return Outcome::wrong_state;
      return violation.kind == "inconsistent" ? Outcome::inconsistent : Outcome::violated;
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
    case Outcome::wrong_state:
      return "wrong-state";
    case Outcome::inconsistent:
      return "inconsistent";
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
  if (state_.stopped) return;
  state_.stopped = true;
  // Whatever ends a run in which no rank is left, no rank has finished.
  const bool nobody = state_.live_ranks == 0;
  const bool by_itself = outcome == Outcome::finished || outcome == Outcome::limit;
  state_.outcome = nobody && by_itself ? Outcome::all_failed : outcome;
}

bool Runtime::unannounced() const { return state_.announced_ranks < state_.live_ranks; }

bool Runtime::all_know() const {
  return job_->awaits_announcement && state_.live_ranks > 0 && !unannounced();
}

/// True if no live rank will hear of a death that it has not heard of: all have, or nobody tells.
bool Runtime::all_have_heard() const {
  return state_.auditor.all_reported() ||
         job_->spec.component(Family::failure_detection).registration == nullptr;
}

/// True if a detector will bring nothing new: all have heard of all deaths, and whoever was
/// declared dead is.
bool Runtime::no_news_spreads() const {
  if (!all_have_heard()) return false;
  const auto& reports = state_.auditor.falsely_reported();
  return std::none_of(reports.begin(), reports.end(), [this](const auto& report) {
    const Incarnation victim = report.first;
    return state_.actors[victim.actor].alive && incarnation_of(victim.actor) == victim;
  });
}

/// True if ranks that are dead will live again.
bool Runtime::awaits_recovery() const {
  if (!state_.any_death || job_->spec.component(Family::message_logging).registration == nullptr)
    return false;
  for (Rank dead = 0; dead < job_->shape.processes; ++dead) {
    if (state_.actors[dead].alive) continue;
    for (Rank rank = 0; rank < job_->shape.processes; ++rank) {
      const Layer* logging = state_.actors[rank].layer(Family::message_logging);
      if (state_.actors[rank].alive && logging->recovers(dead)) return true;
    }
  }
  return false;
}

/// True if the end is announced to all, and nobody will live again who has to hear of it.
bool Runtime::all_know_for_good() const { return all_know() && !awaits_recovery(); }

/// True if a live rank has still to hear of a death that somebody else knows of, or of somebody who
/// had begun a phase that this rank has not. The job is not over then: who hears last may have to
/// do lost work again, or to give up. Asked at every report at the end of a run.
bool Runtime::word_spreads() const {
  if (all_have_heard()) return false;
  return state_.auditor.word_spreads() || dead_were_ahead();
}

/// True if somebody had begun a phase that a live rank has not, and no rank knows of its death.
bool Runtime::dead_were_ahead() const {
  std::uint32_t last_of_dead = 0;
  std::uint32_t first_of_living = UINT32_MAX;
  for (Rank rank = 0; rank < job_->shape.processes; ++rank) {
    const ActorState& state = state_.actors[rank];
    if (state.alive)
      first_of_living = std::min(first_of_living, state.phase);
    else if (!state_.auditor.is_declared(incarnation_of(rank)))
      last_of_dead = std::max(last_of_dead, state.phase);
  }
  return last_of_dead > first_of_living;
}

bool Runtime::all_faults_reported() const {
  return state_.auditor.all_reported() && state_.faults.exhausted(now_s());
}

/// Ends the run if it ends before something that happens at time_s.
bool Runtime::ends_before(double time_s) {
  if (time_s > job_->spec.stop.time_s) {
    set_now_s(job_->spec.stop.time_s);
    const bool is_over = job_->spec.stop.when == StopWhen::announced && all_know_for_good();
    stop(is_over                                  ? Outcome::terminated
         : job_->spec.stop.when == StopWhen::time ? Outcome::finished
                                                  : Outcome::limit);
    return true;
  }
  if (job_->awaits_announcement &&
      time_s > state_.auditor.over_since_s() + job_->spec.stop.grace_s &&
      time_s > state_.announce_time_s + job_->spec.stop.grace_s &&
      time_s > state_.notices_until_s + job_->spec.stop.grace_s && unannounced() &&
      (state_.schedule.background() == 0 || no_news_spreads()) && !awaits_recovery()) {
    set_now_s(
        std::max({state_.auditor.over_since_s(), state_.announce_time_s, state_.notices_until_s}) +
        job_->spec.stop.grace_s);
    describe_stuck("hung");
    stop(Outcome::hung);
    return true;
  }
  if (state_.schedule.events() >= job_->spec.stop.events) {
    stop(Outcome::limit);
    return true;
  }
  return false;
}

void Runtime::check_stop() {
  if (state_.stopped || state_.live_ranks == 0) return;
  switch (job_->spec.stop.when) {
    case StopWhen::announced:
      if (all_know_for_good() && !word_spreads()) stop(Outcome::terminated);
      break;
    case StopWhen::finished:
      if (state_.finished_ranks == state_.live_ranks && !awaits_recovery()) stop(Outcome::finished);
      break;
    case StopWhen::all_reported:
      if ((state_.any_death || job_->spec.has_faults()) && all_faults_reported())
        stop(Outcome::finished);
      break;
    case StopWhen::time:
      break;
  }
}

/// Ends the run when nothing but periodic timers is left to happen.
void Runtime::conclude() {
  if (job_->spec.stop.when == StopWhen::announced && all_know()) return stop(Outcome::terminated);
  if (job_->spec.stop.when == StopWhen::time) {
    set_now_s(job_->spec.stop.time_s);  // nothing happens until then
    return stop(Outcome::finished);
  }
  if (state_.live_ranks == 0) return stop(Outcome::all_failed);
  // There may be no death to report: faults of a whole machine may all have missed the job, a trace
  // may have ended early, the scenario has no faults, or they wait for a mark or an event that does
  // not come.
  if (job_->spec.stop.when == StopWhen::all_reported && state_.auditor.all_reported())
    return stop(Outcome::finished);
  const bool over = state_.auditor.over_since_s() != kNever;
  // Who waits in a program of TryBlocks should not: every wait there is to end.
  const bool hung = state_.blocks || (job_->awaits_announcement && unannounced() && over);
  if (!hung && over && job_->spec.stop.when == StopWhen::announced && !job_->awaits_announcement)
    return stop(Outcome::finished);
  describe_stuck(hung ? "hung" : "deadlock");
  stop(hung ? Outcome::hung : Outcome::deadlock);
}

void Runtime::describe_stuck(const std::string& kind) {
  constexpr std::size_t kNamed = 10;  // naming a million waiting ranks would not help
  std::size_t waiting = 0;
  std::string detail = kind == "hung" && job_->awaits_announcement
                           ? "all work is done and nothing was announced"
                           : "nothing is left that could happen";
  detail += ": " + std::to_string(state_.auditor.active()) + " active ranks, " +
            std::to_string(state_.auditor.in_flight()) + " application messages in flight";
  for (ActorId actor = 0; actor < state_.actors.size(); ++actor)
    for (const StackPlace& place : kStack) {
      const Component* component = state_.actors[actor].component(place.family);
      const std::string what = component ? component->waiting_for() : std::string();
      if (what.empty() || !state_.actors[actor].alive || ++waiting > kNamed) continue;
      detail += "; " + std::to_string(actor) + " waits for " + what;
    }
  if (waiting > kNamed) detail += "; and " + std::to_string(waiting - kNamed) + " more wait";
  state_.auditor.violation(kind, std::nullopt, detail, now_s());
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
                                  violation.time_s >= state_.auditor.first_false_report_s();
                         });
    default:
      return false;
  }
}

RunResult Runtime::result() {
  std::uint64_t in_flight = 0;
  for (const ActorState& actor : state_.actors)
    in_flight += static_cast<std::uint64_t>(std::max(std::int64_t{0}, actor.held()));
  state_.pool.for_each_in_flight([&](const Message& message) {
    if (message.channel == Family::workload && (message.flags & kLost) == 0) ++in_flight;
  });
  if (!broken_) state_.auditor.finish(in_flight);  // a turn that broke off has messages nowhere

  RunResult result;
  result.fatal_reason = state_.fatal_reason;
  result.fatal_actor = state_.fatal_actor;
  result.fatal_family = state_.fatal_family;
  if (job_->awaits_announcement) result.terminated = all_know();
  result.events = state_.schedule.events();
  report_counts(result.metrics);
  for (const auto& [dead, components] : state_.unreported)
    for (std::size_t family = 0; family < kFamilies; ++family)
      report(components[family].get(), family);
  for (const ActorState& actor : state_.actors)
    for (std::size_t family = 0; family < kFamilies; ++family) report(actor, family);
  for (const MetricTotals& reported : state_.reported) reported.write_to(result.metrics);
  check_end();
  result.outcome = state_.outcome;
  result.violations = state_.auditor.violations();
  for (const Violation& violation : result.violations)
    result.outcome = with_violation(result.outcome, violation);
  if (state_.auditor.first_false_report_s() != kNever && misled(result))
    result.outcome = Outcome::unsafe_detector;
  return result;
}

/// Takes in what a component has counted, if there is one. Called once for each component, when its
/// life is over: at the end of the run, of its phase or of its incarnation.
void Runtime::report(const Component* component, std::size_t family) {
  if (component != nullptr) component->report(state_.reported[family]);
}

/// What is not as it was sent on some channel of a program that has come to its end; see
/// ChannelLedgers. Nothing is known of runs in which no message is sent again.
std::optional<std::string> Runtime::wrong_channel() const {
  if (!state_.channels) return std::nullopt;
  return state_.channels->first_difference(state_.auditor.in_flight() > 0);
}

/// What a program of TryBlocks says to the layer below it, or is told.
void Runtime::audit_block(const StackRequest& request) {
  const Family program = request.is_answer ? request.to : request.from;
  const Family layer = request.is_answer ? request.from : request.to;
  if (program != Family::workload || layer != Family::transactions) return;
  const BlockLedgers::IsAlive is_alive = [this](Incarnation rank) {
    return state_.actors[rank.actor].alive && incarnation_of(rank.actor) == rank;
  };
  const Incarnation rank = incarnation_of(turn_.self);
  std::optional<std::string> wrong;
  if (!request.is_answer) {
    if (request.is<FinishBlock>()) state_.blocks->finished(rank, request.get<FinishBlock>());
  } else if (request.is<BlockOutcome>()) {
    wrong = state_.blocks->learned(rank, request.get<BlockOutcome>(), is_alive);
  } else if (request.is<FailedGroup>()) {
    wrong = state_.blocks->told(rank, request.number, request.get<FailedGroup>(), is_alive);
  } else if (request.is<WorldPart>()) {
    state_.blocks->told_of(rank, request.get<WorldPart>());
  } else if (request.is<WorldEntered>()) {
    wrong = state_.blocks->entered(rank, request.get<WorldEntered>());
  }
  if (!wrong) return;
  state_.auditor.violation("inconsistent", turn_.self, *wrong, now_s());
  stop(Outcome::inconsistent);
}

/// Reports a violation for each metric of the workload that must be 0 at the end of its work, but
/// is not. Skipped if the run has another violation: one that ends too early has left work undone.
void Runtime::check_end() {
  const Registration* workload = job_->spec.component(Family::workload).registration;
  const bool ends_by_itself =
      job_->spec.stop.when == StopWhen::finished || job_->spec.stop.when == StopWhen::announced;
  const bool at_end =
      all_know_for_good() || (state_.outcome == Outcome::finished && ends_by_itself);
  if (workload == nullptr || !at_end || !state_.auditor.violations().empty()) return;
  if (const auto wrong = wrong_channel())
    return state_.auditor.violation("wrong-state", std::nullopt, *wrong, now_s());
  for (const EndCheck& check : workload->end_checks) {
    const double left = state_.reported[kWorkload].value(*check.metric).value_or(0.0);
    if (left == 0.0) continue;
    char count[32];
    std::snprintf(count, sizeof count, "%.0f", left);
    state_.auditor.violation(check.violation, std::nullopt,
                             std::string("the run has come to its end with ") + check.metric->name +
                                 " " + count + " instead of 0",
                             now_s());
  }
}

/// Only of runs with a layer that can send messages again, discard them or roll ranks back.
void Runtime::report_recovery_counts(Metrics& metrics) const {
  const auto set = [&metrics](const char* name, std::uint64_t count) {
    metrics.set(name, static_cast<double>(count));
  };
  set("application_messages_resent", state_.auditor.application_resent());
  set("application_messages_discarded", state_.auditor.application_discarded());
  set("application_messages_rolled_back", state_.auditor.application_rolled_back());
}

void Runtime::report_counts(Metrics& metrics) const {
  metrics.set("application_messages", static_cast<double>(state_.auditor.application_messages()));
  metrics.set("application_bytes", static_cast<double>(state_.application_bytes));
  metrics.set("application_messages_lost", static_cast<double>(state_.auditor.application_lost()));
  if (job_->spec.component(Family::message_logging).registration != nullptr ||
      job_->spec.component(Family::transactions).registration != nullptr)
    report_recovery_counts(metrics);
  if (state_.blocks)
    metrics.set("orphaned_decisions", static_cast<double>(state_.blocks->orphaned_decisions()));
  if (state_.recovery) report_recovery_stages(metrics);
  metrics.set("idle_transitions", static_cast<double>(state_.auditor.idle_transitions()));
  metrics.set("busy_transitions", static_cast<double>(state_.auditor.busy_transitions()));
  metrics.set("end_time_s", now_s());
  report_messages(metrics);
  const bool known_to_all = all_know();
  const auto truth = state_.auditor.termination_time_s();
  const double over_s = state_.auditor.over_since_s();
  metrics.set("termination_time_s", truth              ? truth
                                    : over_s != kNever ? std::optional(over_s)
                                                       : std::nullopt);
  metrics.set("announce_time_s",
              known_to_all ? std::optional(state_.announce_time_s) : std::nullopt);
  metrics.set("detection_latency_s", known_to_all && truth
                                         ? std::optional(state_.announce_time_s - *truth)
                                         : std::nullopt);
  report_failures(metrics);
}

/// Only of programs of TryBlocks. The stages add up to the last one.
void Runtime::report_recovery_stages(Metrics& metrics) const {
  const auto time_s = [this](RecoveryStage stage) {
    return state_.recovery->time_s(stage, now_s());
  };
  const std::array<std::pair<const char*, double>, 8> stages{
      {{"detection_time_s", time_s(RecoveryStage::detection)},
       {"revoke_time_s", time_s(RecoveryStage::revoke)},
       {"agreement_time_s", time_s(RecoveryStage::notice) + time_s(RecoveryStage::agreement) +
                                time_s(RecoveryStage::commit)},
       {"shrink_time_s", time_s(RecoveryStage::shrink)},
       {"spawn_time_s", time_s(RecoveryStage::spawn)},
       {"rebuild_time_s", time_s(RecoveryStage::rebuild)},
       {"restore_time_s", time_s(RecoveryStage::restore)},
       {"redone_time_s", time_s(RecoveryStage::redone)}}};
  double sum_s = 0.0;
  for (const auto& [name, stage_s] : stages) {
    metrics.set(name, stage_s);
    sum_s += stage_s;
  }
  metrics.set("recovery_time_s", sum_s);
}

/// What the protocols have sent. Kinds of the same name count together, but for those of failure
/// detection, which counts apart.
void Runtime::report_messages(Metrics& metrics) const {
  std::map<std::string, std::uint64_t> totals{{"control_messages", 0}, {"control_bytes", 0}};
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const Registration* registration = job_->spec.components[family].registration;
    if (family == kWorkload || registration == nullptr) continue;
    const bool detects = static_cast<Family>(family) == Family::failure_detection;
    const std::string sender = detects ? "detection" : "control";
    std::uint64_t& messages = totals[sender + "_messages"];
    std::uint64_t& bytes = totals[sender + "_bytes"];
    const auto& counts = state_.control[family];
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      messages += counts[kind].messages;
      bytes += counts[kind].bytes;
      if (kind < registration->message_kinds.size())
        totals[sender + "_messages." + registration->message_kinds[kind]] += counts[kind].messages;
    }
  }
  for (const auto& [name, total] : totals) metrics.set(name, static_cast<double>(total));
  if (job_->spec.component(Family::failure_detection).registration == nullptr) return;
  const auto per_s = [this](std::uint64_t bytes) {
    return now_s() > 0.0 ? std::optional(static_cast<double>(bytes) / now_s()) : std::nullopt;
  };
  std::uint64_t of_node = 0;
  for (const Nic& nic : state_.nics) of_node = std::max(of_node, nic.detection_bytes);
  metrics.set("detection_busiest_node_Bps", per_s(of_node));
  std::uint64_t of_link = 0;
  for (const std::uint64_t bytes : state_.detection_link_bytes) of_link = std::max(of_link, bytes);
  metrics.set("detection_busiest_link_Bps", per_s(of_link));
}

/// Only of runs in which ranks can die or be declared dead.
void Runtime::report_failures(Metrics& metrics) const {
  const bool detects = job_->spec.component(Family::failure_detection).registration != nullptr;
  const bool errs = detects && !job_->detector_is_accurate;
  if (!job_->spec.has_faults() && !errs) return;
  const bool struck = state_.faults_struck > 0;
  metrics.set("faults_struck", static_cast<double>(state_.faults_struck));
  metrics.set("first_fault_time_s", struck ? std::optional(state_.first_fault_s) : std::nullopt);
  metrics.set("last_fault_time_s", struck ? std::optional(state_.last_fault_s) : std::nullopt);
  metrics.set("failed_ranks", static_cast<double>(job_->shape.processes - state_.live_ranks));
  if (errs) metrics.set("false_reports", static_cast<double>(state_.auditor.false_reports()));
  metrics.set("failure_reports", static_cast<double>(state_.auditor.reports()));
  metrics.set("failure_report_latency_max_s", state_.auditor.report_latency_max_s());
  if (!detects) return;
  const HearingFigures heard = state_.auditor.hearing(
      [this](Rank rank, Incarnation dead) { return has_declared(rank, dead); });
  metrics.set("missed_reports", static_cast<double>(heard.missed));
  metrics.set("failure_detection_latency_s", heard.first_max_s);
  metrics.set("failure_detection_latency_mean_s", heard.first_mean_s);
  metrics.set("failure_propagation_latency_s", heard.last_max_s);
  metrics.set("failure_propagation_latency_mean_s", heard.last_mean_s);
}

}  // namespace faultline::engine
