#include "analysis/lemma_search.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/engine/engine.hpp"

namespace faultline {

namespace {

using Moment = EngagementTrace::Moment;

/// The ranks that a run has lost. `surely`: those alone whose death came before its very end.
std::set<Rank> struck_ranks(const std::vector<FaultSpec>& faults, const RunResult& result,
                            bool surely) {
  const double end_s = *result.metrics.values().at("end_time_s");
  std::set<Rank> struck;
  for (const FaultSpec& fault : faults) {
    const bool by_time = fault.time_s && (surely ? *fault.time_s < end_s : *fault.time_s <= end_s);
    const bool by_event =
        fault.event && (surely ? *fault.event < result.events : *fault.event <= result.events);
    if (by_time || by_event) struck.insert(fault.ranks.begin(), fault.ranks.end());
  }
  return struck;
}

/// What a dead rank was when it died, and shortly before: what its last handlers have sent may not
/// have left it.
std::vector<Moment> last_moments(const EngagementTrace& trace, Rank rank, double margin_s) {
  std::vector<Moment> last;
  const auto& moments = trace.moments[rank];
  for (std::size_t i = moments.size(); i-- > 0;) {
    last.push_back(moments[i]);
    if (moments[i].time_s < trace.last_s[rank] - margin_s) break;
  }
  return last;
}

bool has_sent_to_any(const EngagementTrace& trace, Rank rank, const std::set<Rank>& others) {
  return std::any_of(others.begin(), others.end(), [&](Rank other) {
    return other != rank && trace.sent.contains({rank, other});
  });
}

/// When a process disengages, its parent forgets whom it may have engaged.
bool was_engaged(const EngagementTrace& trace, Rank rank, double margin_s) {
  const std::vector<Moment> last = last_moments(trace, rank, margin_s);
  return std::any_of(last.begin(), last.end(),
                     [](const Moment& moment) { return moment.parent != kNobody; });
}

bool may_give_up(const GivesUp& condition, const EngagementTrace& trace, const std::set<Rank>& dead,
                 double margin_s) {
  if (condition.where == GivesUp::related)
    return std::any_of(dead.begin(), dead.end(), [&](Rank rank) {
      return was_engaged(trace, rank, margin_s) && has_sent_to_any(trace, rank, dead);
    });
  const auto allows = [&](Rank rank, const Moment& moment) {
    const bool interior = condition.late ? moment.was_interior : moment.interior;
    const bool recovered = trace.recovered.contains({rank, moment.parent});
    if (interior && dead.contains(moment.parent) && !recovered) return true;
    if (moment.lost_parent == kNobody) return false;
    // Until its reply is there, nobody but its lost parent has known of its children.
    if (interior && !trace.replied.contains({rank, moment.parent})) return true;
    if (condition.where == GivesUp::lost) return has_sent_to_any(trace, rank, dead);
    return condition.where == GivesUp::adopted;
  };
  return std::any_of(dead.begin(), dead.end(), [&](Rank rank) {
    const std::vector<Moment> last = last_moments(trace, rank, margin_s);
    return std::any_of(last.begin(), last.end(),
                       [&](const Moment& moment) { return allows(rank, moment); });
  });
}

/// How long before its death what a process has sent may not have left it.
double margin_of(const FaultSchedule& schedule) {
  return 60 * (schedule.overhead_s + schedule.gap_s);
}

/// Has the receiver had a message that is not acknowledged?
bool owed(const EngagementTrace& trace, Rank sender, Rank receiver) {
  const auto received = trace.received.find({sender, receiver});
  if (received == trace.received.end()) return false;
  const auto acknowledged = trace.acknowledged.find({sender, receiver});
  return acknowledged == trace.acknowledged.end() || acknowledged->second < received->second;
}

bool was_surely_interior(const EngagementTrace& trace, Rank rank, const std::set<Rank>& dead) {
  for (Rank other = 0; other < trace.moments.size(); ++other)
    if (other != rank && !dead.contains(other) && owed(trace, rank, other)) return true;
  return false;
}

/// Lemmas 5.4 and 6.4: two processes of one fault, related at the moment of their death.
bool must_give_up(const GivesUp& condition, const EngagementTrace& trace,
                  const std::vector<FaultSpec>& faults, const std::set<Rank>& dead) {
  for (const FaultSpec& fault : faults)
    for (const Rank sender : fault.ranks)
      for (const Rank receiver : fault.ranks) {
        if (sender == receiver || sender == 0 || receiver == 0) continue;
        if (!dead.contains(sender) || !owed(trace, sender, receiver)) continue;
        if (condition.where == GivesUp::related) return true;
        const Moment& last = trace.moments[receiver].back();
        if (last.parent == sender && was_surely_interior(trace, receiver, dead)) return true;
      }
  return false;
}

}  // namespace

GivesUp condition_of(const Subject& subject) {
  const auto says = [&](const char* option, const char* word) {
    const auto found = subject.options.find(option);
    return found != subject.options.end() && std::get<std::string>(found->second) == word;
  };
  GivesUp condition{.late = says("exterior_signal", "at-disengagement")};
  if (subject.name == "rel-eager") condition.where = GivesUp::interior;
  if (subject.name == "rel-lazy")
    condition.where = says("adopted_child_fails", "fallback") ? GivesUp::lost : GivesUp::adopted;
  return condition;
}

std::string broken_promise(const FaultSchedule& schedule, const GivesUp& condition,
                           const RunResult& result, const EngagementTrace& trace) {
  if (!result.violations.empty())
    return result.violations.front().kind + ": " + result.violations.front().detail;
  const std::set<Rank> dead = struck_ranks(schedule.faults, result, false);
  if (result.outcome == Outcome::finished && dead.size() == schedule.processes) return "";
  if (result.outcome == Outcome::terminated) {
    const std::set<Rank> surely = struck_ranks(schedule.faults, result, true);
    return must_give_up(condition, trace, schedule.faults, surely)
               ? "terminated, though the failed processes were related"
               : "";
  }
  if (result.outcome != Outcome::fatal_reported)
    return std::string("the run ended as ") + outcome_word(result.outcome);
  if (dead.contains(0) || may_give_up(condition, trace, dead, margin_of(schedule))) return "";
  return "given up without need: " + result.fatal_reason;
}

namespace {

/// Does neither condition say whether the protocol gives up?
bool may_do_either(const FaultSchedule& schedule, const GivesUp& condition, const RunResult& result,
                   const EngagementTrace& trace) {
  const bool gave_up = result.outcome == Outcome::fatal_reported;
  if (!gave_up && result.outcome != Outcome::terminated) return false;
  const std::set<Rank> dead = struck_ranks(schedule.faults, result, gave_up);
  if (dead.contains(0)) return false;
  return gave_up ? !must_give_up(condition, trace, schedule.faults, dead)
                 : may_give_up(condition, trace, dead, margin_of(schedule));
}

}  // namespace

LemmaRun run_lemma(const FaultSchedule& schedule, const Subject& subject, EngineKind engine,
                   const Spoil& spoil) {
  const auto trace = std::make_shared<EngagementTrace>(schedule.processes);
  RunSpec spec = run_spec(schedule, subject);
  if (spoil) spoil(spec);
  ComponentChoice& detector = spec.components[static_cast<std::size_t>(Family::termination)];
  Registration registration = *detector.registration;
  registration.make = [make = registration.make, trace](const OptionValues& options,
                                                        const JobShape& job) -> ComponentFactory {
    return [factory = make(options, job), trace](ActorId self) {
      return watched(factory(self), self, trace);
    };
  };
  detector.registration = &registration;
  LemmaRun run;
  run.result = run_simulation(spec, engine, schedule.seed, 0);
  const GivesUp condition = condition_of(subject);
  run.broken = broken_promise(schedule, condition, run.result, *trace);
  run.judged = !may_do_either(schedule, condition, run.result, *trace);
  run.struck = !struck_ranks(schedule.faults, run.result, false).empty();
  return run;
}

LemmaCounterexample shrink(LemmaCounterexample found, const Judge& judge, std::uint64_t seeds) {
  const auto simplify = [&]() -> bool {
    for (FaultSchedule& simpler : simpler_schedules(found.schedule)) {
      const std::uint64_t first = simpler.seed;
      for (std::uint64_t i = 0; i < seeds; ++i) {
        simpler.seed = first + i;
        std::string broken = judge(simpler);
        if (broken.empty()) continue;
        found = {std::move(simpler), std::move(broken)};
        return true;
      }
    }
    return false;
  };
  while (simplify()) {
  }
  return found;
}

}  // namespace faultline
