// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/related_failures.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocols/termination/adoption.hpp"

namespace faultline::lemmas {

namespace {

using Moment = EngagementHistory::Moment;
using Pair = std::pair<Rank, Rank>;

/// The messages handled in a run, by the two processes that each is about.
struct Handled {
  std::map<Pair, std::uint32_t> work;  ///< application messages, by sender and receiver
  std::map<Pair, std::uint32_t>
      acknowledged;        ///< acknowledged messages, by their sender and receiver
  std::set<Pair> adopted;  ///< a child and the process to which it replied that it is engaged
  std::set<Pair>
      recovered;  ///< a failed child and the process that reports to have adopted its children
};

void add(const Fact& fact, Rank self, Handled& handled) {
  if (fact.channel == Family::workload) ++handled.work[{fact.peer, self}];
  if (fact.channel != Family::termination) return;
  if (fact.kind == termination::kAcknowledge)
    handled.acknowledged[{self, fact.peer}] +=
        fact.payload.get<termination::Acknowledgement>().count;
  if (fact.kind == termination::kReplyToGrandparent &&
      fact.payload.get<termination::ReplyToGrandparent>().debt > 0)
    handled.adopted.emplace(fact.peer, self);
  if (fact.kind == termination::kGrandchildRecovered)
    handled.recovered.emplace(fact.payload.get<termination::Signal>().other, fact.peer);
}

Handled handled_in(const FactLog& log) {
  Handled handled;
  for (Rank rank = 0; rank < log.processes(); ++rank)
    for (const Fact& fact : log.facts_of(rank))
      if (fact.what == Fact::What::handled) add(fact, rank, handled);
  return handled;
}

std::set<Rank> dead_before(const FactLog& log, double end_s) {
  std::set<Rank> dead;
  for (const auto& [rank, died_s] : log.deaths_s())
    if (died_s < end_s) dead.insert(rank);
  return dead;
}

/// The states of a dead rank when it died and up to `margin_s` before, since the messages of its
/// last handlers may not have left it.
std::vector<Moment> last_moments(const EngagementHistory& history, Rank rank, double margin_s) {
  std::vector<Moment> last;
  const auto& moments = history.moments[rank];
  for (std::size_t i = moments.size(); i-- > 0;) {
    last.push_back(moments[i]);
    if (moments[i].time_s < history.last_s[rank] - margin_s) break;
  }
  return last;
}

bool has_sent_to_any(const EngagementHistory& history, Rank rank, const std::set<Rank>& others) {
  return std::any_of(others.begin(), others.end(), [&](Rank other) {
    return other != rank && history.about_to_send.contains({rank, other});
  });
}

/// True if the process was engaged at its end. Once it disengages, its parent forgets which
/// processes it may have engaged.
bool was_engaged(const EngagementHistory& history, Rank rank, double margin_s) {
  const std::vector<Moment> last = last_moments(history, rank, margin_s);
  return std::any_of(last.begin(), last.end(),
                     [](const Moment& moment) { return moment.parent != kNobody; });
}

bool were_related(const RelatedFailures& lemma, const FactLog& log,
                  const EngagementHistory& history, double margin_s) {
  const std::set<Rank> dead = dead_before(log, kNever);
  if (lemma.where == RelatedFailures::related)
    return std::any_of(dead.begin(), dead.end(), [&](Rank rank) {
      return was_engaged(history, rank, margin_s) && has_sent_to_any(history, rank, dead);
    });
  const Handled handled = handled_in(log);
  const auto allows = [&](Rank rank, const Moment& moment) {
    const bool interior = lemma.late ? moment.was_interior : moment.interior;
    const bool recovered = handled.recovered.contains({rank, moment.parent});
    if (interior && dead.contains(moment.parent) && !recovered) return true;
    if (moment.lost_parent == kNobody) return false;
    // Until its reply arrives, only its lost parent knew of its children.
    if (interior && !handled.adopted.contains({rank, moment.parent})) return true;
    if (lemma.where == RelatedFailures::lost) return has_sent_to_any(history, rank, dead);
    return lemma.where == RelatedFailures::adopted;
  };
  return std::any_of(dead.begin(), dead.end(), [&](Rank rank) {
    const std::vector<Moment> last = last_moments(history, rank, margin_s);
    return std::any_of(last.begin(), last.end(),
                       [&](const Moment& moment) { return allows(rank, moment); });
  });
}

/// The time before its death in which a process may have sent messages that never left it: as long
/// as its node is busy with messages of all its processes to all others [s].
double margin_of(const FaultSchedule& schedule) {
  const double messages = std::max(60U, 4 * schedule.processes * schedule.processes_per_node);
  return messages * (schedule.overhead_s + schedule.gap_s);
}

/// True if the receiver got a message that it has not acknowledged.
bool owed(const Handled& handled, Rank sender, Rank receiver) {
  const auto work = handled.work.find({sender, receiver});
  if (work == handled.work.end()) return false;
  const auto acknowledged = handled.acknowledged.find({sender, receiver});
  return acknowledged == handled.acknowledged.end() || acknowledged->second < work->second;
}

bool was_surely_interior(const FactLog& log, const Handled& handled, Rank rank,
                         const std::set<Rank>& dead) {
  for (Rank other = 0; other < log.processes(); ++other)
    if (other != rank && !dead.contains(other) && owed(handled, rank, other)) return true;
  return false;
}

/// The victims of a fault and of all faults that strike together with it.
std::vector<Rank> victims_at_once(const FaultSchedule& schedule, const faults::FaultSpec& fault) {
  std::vector<Rank> victims;
  for (const faults::FaultSpec& other : schedule.faults) {
    if (!strike_together(fault, other)) continue;
    const std::vector<Rank> more = victims_of(schedule, other);
    victims.insert(victims.end(), more.begin(), more.end());
  }
  return victims;
}

/// True if both died at the same instant. Some victims of one fault may have been dead before.
bool died_together(const FactLog& log, Rank one, Rank other) {
  const auto first = log.deaths_s().find(one);
  const auto second = log.deaths_s().find(other);
  const auto none = log.deaths_s().end();
  return first != none && second != none && first->second == second->second;
}

}  // namespace

RelatedFailures related_failures_of(const scenario::ComponentChoice& detector) {
  const auto says = [&](const char* option, const char* word) {
    const auto found = detector.options.find(option);
    return found != detector.options.end() && std::get<std::string>(found->second) == word;
  };
  const std::string& name = detector.registration->name;
  RelatedFailures lemma{.late = says("exterior_signal", "at-disengagement")};
  if (name == "rel-eager") lemma.where = RelatedFailures::interior;
  if (name == "rel-lazy")
    lemma.where =
        says("adopted_child_fails", "fallback") ? RelatedFailures::lost : RelatedFailures::adopted;
  return lemma;
}

bool may_give_up(const RelatedFailures& lemma, const FaultSchedule& schedule, const FactLog& log,
                 const EngagementHistory& history) {
  return log.deaths_s().contains(0) || were_related(lemma, log, history, margin_of(schedule));
}

bool must_give_up(const RelatedFailures& lemma, const FaultSchedule& schedule, const FactLog& log,
                  const EngagementHistory& history, double end_s) {
  const std::set<Rank> dead = dead_before(log, end_s);
  const Handled handled = handled_in(log);
  for (const faults::FaultSpec& fault : schedule.faults) {
    const std::vector<Rank> at_once = victims_at_once(schedule, fault);
    for (const Rank sender : at_once)
      for (const Rank receiver : at_once) {
        if (sender == receiver || sender == 0 || receiver == 0) continue;
        if (!died_together(log, sender, receiver) || !dead.contains(sender)) continue;
        if (!owed(handled, sender, receiver)) continue;
        if (lemma.where == RelatedFailures::related) return true;
        const Moment& last = history.moments[receiver].back();
        if (last.parent == sender && was_surely_interior(log, handled, receiver, dead)) return true;
      }
  }
  return false;
}

}  // namespace faultline::lemmas
