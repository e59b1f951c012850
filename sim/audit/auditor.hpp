// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline::audit {

/// Something that happened in a run and never happens under a correct protocol.
struct Violation {
  std::string kind;  ///< premature, hung, deadlock, needless-fatal, lost-work, credit, ...
  double time_s = 0.0;
  std::optional<ActorId> actor;
  std::string detail;
};

/// When ranks heard of the deaths of a run. A death is that of a rank, or of a node with all ranks
/// that die with its daemon. A death has no latency if somebody had been declared dead before it.
/// The others' latencies begin with the death. No value where there is no such death.
struct HearingFigures {
  /// The longest and the mean time to the first report of a death, by any actor. For a node, the
  /// report of its daemon or of any of its ranks counts. Deaths that nobody has reported do not
  /// count.
  std::optional<double> first_max_s;
  std::optional<double> first_mean_s;
  /// The longest and the mean time to the last report of a death by a rank that lived when it
  /// happened. For a node, the last report of any of its ranks counts. Deaths that such a rank,
  /// alive now, has not heard of do not count.
  std::optional<double> last_max_s;
  std::optional<double> last_mean_s;
  /// The dead incarnations of ranks that a live rank has not heard of: see Auditor::all_reported.
  std::uint64_t missed = 0;
};

/// The death of a rank of which ranks have not heard that lived then and still do.
struct UnheardDeath {
  Incarnation dead;
  double time_s = 0.0;
  std::uint32_t ranks = 0;  ///< how many have not heard
  Rank first = kNobody;     ///< one of them
};

/// The ground truth of a run. The auditor watches the run from outside, at the workload's edge, and
/// shares no code with the protocols. To it, a message that a layer holds back is in flight, and a
/// rank is active while it handles a message, computes or has declared local work. A message to a
/// dead rank counts as lost, not as in flight.
class Auditor {
 public:
  explicit Auditor(std::uint32_t processes);

  // ---- the workload's edge (hot path) --------------------------------------------------------
  void sent() {
    ++application_sent_;
    ++in_flight_;
  }
  void delivered() {
    ++application_delivered_;
    --in_flight_;
  }
  /// A rank's turn is over. `handled` is true if its workload ran in the turn.
  void turn_over(bool was_active, bool is_active, bool handled, double now_s) {
    active_ += static_cast<std::int64_t>(is_active) - static_cast<std::int64_t>(was_active);
    if (handled && !is_active) ++idle_transitions_;
    if (handled && !was_active) ++awakenings_;
    now_s_ = now_s;
    if (active_ == 0 && in_flight_ == 0 && starting_ == 0)
      over(now_s);
    else
      over_since_s_ = kNever;
  }
  /// Adds a change of a conserved quantity, such as credit, whose sum over everything must stay
  /// zero modulo kConservedModulus. The holdings of dead ranks, and of messages that nobody will
  /// handle, stay in the sum: the protocol has lost them, but the auditor still counts them.
  void conserved_moved(std::int64_t difference) {
    conserved_ += difference;
    while (conserved_ >= kConservedModulus) conserved_ -= kConservedModulus;
    while (conserved_ <= -kConservedModulus) conserved_ += kConservedModulus;
  }
  /// Adds a violation the first time that the sum is not zero.
  void check_conserved(ActorId actor, double now_s);

  // ---- the run -------------------------------------------------------------------------------
  /// A rank is about to run its workload's start handler.
  void started() {
    --starting_;
    ++starts_;
  }
  /// A live rank goes back to where it was before it ran that handler, and is about to run it
  /// again.
  void begins_anew() {
    ++starting_;
    over_since_s_ = kNever;
  }
  /// A rank has died before it was to run that handler.
  void never_started() { --starting_; }
  /// An idle rank begins a new phase, as at the start of the run.
  void phase_started() { ++starts_; }
  /// A message can no longer reach a live workload: its receiver died, or its sender before
  /// injecting it, or the network has lost it.
  void lost(std::uint64_t messages, double now_s);
  /// A layer has sent messages again, or an image has brought back messages that layers held.
  void resent(std::uint64_t messages) {
    application_resent_ += messages;
    in_flight_ += static_cast<std::int64_t>(messages);
  }
  /// A layer will neither pass these on nor deliver them. The turn that does so ends with
  /// turn_over().
  void discarded(std::uint64_t messages) {
    application_discarded_ += messages;
    in_flight_ -= static_cast<std::int64_t>(messages);
  }
  /// A rank goes back to an earlier state, without messages that its layers held. turn_over()
  /// follows.
  void rolled_back(std::uint64_t messages) {
    application_rolled_back_ += messages;
    in_flight_ -= static_cast<std::int64_t>(messages);
  }
  /// The last rank that had announced the phase has gone back to a state in which it had not. So
  /// the next announcement of that phase is judged.
  void announcement_undone(std::uint32_t phase);
  /// `daemon` is the daemon that the rank has died with, or nobody if it has died alone.
  void died(Incarnation dead, bool is_rank, bool was_active, double now_s, Incarnation daemon = {});
  void restarted(Incarnation actor, bool is_rank);
  /// `was_over`: all is over but what will come to nothing, or what dead ranks are doing again.
  void announced(Rank rank, std::uint32_t phase, double now_s,
                 const std::function<bool()>& was_over = {});
  /// An actor declares an incarnation of a peer dead, for the first time. `accurate`: its detector
  /// promises never to report a live process.
  void declared_dead(ActorId by, Incarnation peer, bool accurate, double now_s);
  /// An actor no longer takes a peer that lives for dead.
  void taken_back(ActorId by, Incarnation peer);
  /// An actor that has declared a dead daemon has also declared a rank on its node that has died
  /// with it or before it. This is no report of its own.
  void heard_with_node(ActorId by, Incarnation dead, double now_s) {
    heard(by, deaths_.at(dead), now_s);
  }
  void violation(std::string kind, std::optional<ActorId> actor, std::string detail, double now_s);
  /// The run has ended; `in_flight_found` was counted in the engine's own storage. Every message
  /// that was sent or sent again was delivered, lost, discarded or rolled back, or is in flight.
  void finish(std::uint64_t in_flight_found);

  // ---- the verdict ---------------------------------------------------------------------------
  /// The time since which nothing has been active or in flight; kNever while something is.
  [[nodiscard]] double over_since_s() const { return over_since_s_; }
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t application_messages() const { return application_sent_; }
  [[nodiscard]] std::uint64_t application_delivered() const { return application_delivered_; }
  [[nodiscard]] std::uint64_t application_lost() const { return application_lost_; }
  [[nodiscard]] std::uint64_t application_resent() const { return application_resent_; }
  [[nodiscard]] std::uint64_t application_discarded() const { return application_discarded_; }
  [[nodiscard]] std::uint64_t application_rolled_back() const { return application_rolled_back_; }
  [[nodiscard]] std::uint64_t idle_transitions() const { return idle_transitions_; }
  /// How often an idle rank became active. The start of a run or of a phase does not count.
  [[nodiscard]] std::uint64_t busy_transitions() const { return awakenings_ - starts_; }
  [[nodiscard]] std::int64_t active() const { return active_; }
  [[nodiscard]] std::int64_t in_flight() const { return in_flight_; }
  /// When the last announced phase really ended; nothing if none was announced.
  [[nodiscard]] std::optional<double> termination_time_s() const { return termination_time_s_; }
  /// True if every live rank has declared every dead one. A new incarnation has to declare the
  /// ranks that were dead when it started, and those that die later.
  [[nodiscard]] bool all_reported() const { return owed_ == 0; }
  /// True if a live rank has still to declare a death that some rank has declared, or that a
  /// restart has mended.
  [[nodiscard]] bool word_spreads() const {
    return owed_ > static_cast<std::uint64_t>(unknown_) * live_;
  }
  /// True if any rank has declared that dead incarnation of a rank.
  [[nodiscard]] bool is_declared(Incarnation dead) const {
    const auto death = deaths_.find(dead);
    return death != deaths_.end() && death->second.declared;
  }
  /// The deaths of ranks that a live rank has not declared which lived when they happened, each
  /// with the first such rank. `has_heard` is as for hearing().
  [[nodiscard]] std::vector<UnheardDeath> unheard(
      const std::function<bool(Rank, Incarnation)>& has_heard) const;
  /// The figures of the reports until now. `has_heard` tells whether a live rank has declared a
  /// dead incarnation of a rank. It is called only for ranks that have something to hear.
  [[nodiscard]] HearingFigures hearing(
      const std::function<bool(Rank, Incarnation)>& has_heard) const;
  /// The longest time from a death to its declaration by a live actor.
  [[nodiscard]] double report_latency_max_s() const { return report_latency_max_s_; }
  /// How many declarations of deaths there were. That of a node counts once.
  [[nodiscard]] std::uint64_t reports() const { return reports_; }
  /// Adds what the verdict on the rest of the run depends on.
  void digest(Digest& into) const;
  /// How many incarnations of ranks were declared dead by anybody while they lived.
  [[nodiscard]] std::uint64_t false_reports() const { return falsely_reported_.size(); }
  /// How often an actor has taken such a report back.
  [[nodiscard]] std::uint64_t taken_back() const { return taken_back_; }
  /// The incarnations that were declared dead while they lived, and the actors that did so and have
  /// not taken it back, after how many restarts.
  [[nodiscard]] const auto& falsely_reported() const { return falsely_reported_; }
  /// When that happened first; kNever if it did not.
  [[nodiscard]] double first_false_report_s() const { return first_false_report_s_; }
  /// Has anybody declared that incarnation of a rank dead while it lived?
  [[nodiscard]] bool is_falsely_reported(Incarnation rank) const {
    return falsely_reported_.contains(rank);
  }
  /// A rank that lives is declared dead, and will be ended for that. So it survives nothing.
  void doomed(Incarnation rank) { doomed_.insert(rank); }
  [[nodiscard]] bool is_doomed(Incarnation rank) const { return doomed_.contains(rank); }
  [[nodiscard]] bool dooms_any() const { return !doomed_.empty(); }
  /// What goes on now, as the words of a premature announcement.
  [[nodiscard]] std::string what_goes_on() const;
  [[nodiscard]] std::int64_t starting() const { return starting_; }

 private:
  /// A failure of a rank, or of a node with all ranks that die with its daemon.
  struct Failure {
    double time_s = 0.0;
    std::uint64_t restarts = 0;  ///< that had happened before
    bool foretold = false;       ///< one of these ranks had been declared dead before
    double first_report_s = kNever;
    double last_heard_s = -kNever;  ///< by a rank that lived at that time
  };
  /// The death of one rank.
  struct Death {
    std::size_t failure = 0;            ///< its place in failures_
    bool declared = false;              ///< by any rank, which may be dead itself by now
    std::uint64_t mended = UINT64_MAX;  ///< the restart that followed, by its number
  };
  /// What a rank owes: to declare each death, except those that it need not have heard of.
  struct Debt {
    std::uint64_t exempt = 0;    ///< deaths that it need not declare
    std::uint64_t declared = 0;  ///< of the others
    std::uint64_t restarts = 0;  ///< that had happened when this incarnation of the rank started
  };
  [[nodiscard]] std::uint64_t owed_by(const Debt& debt) const {
    return deaths_.size() - debt.exempt - debt.declared;
  }
  std::size_t failure_of(Incarnation daemon, double now_s);
  void settle(Rank by, Death& death);
  void heard(ActorId by, Death& death, double now_s);
  void reported(Failure& failure, double now_s);
  [[nodiscard]] std::vector<Rank> owing() const;

  void over(double now_s) {
    if (over_since_s_ == kNever) over_since_s_ = now_s;
  }

  std::uint32_t processes_;
  std::uint64_t application_sent_ = 0;
  std::uint64_t application_delivered_ = 0;
  std::uint64_t application_lost_ = 0;
  std::uint64_t application_resent_ = 0;
  std::uint64_t application_discarded_ = 0;
  std::uint64_t application_rolled_back_ = 0;
  std::uint64_t idle_transitions_ = 0;
  std::uint64_t awakenings_ = 0;  ///< includes starts
  std::uint64_t starts_ = 0;
  std::int64_t in_flight_ = 0;
  std::int64_t active_ = 0;
  std::int64_t starting_;
  std::int64_t conserved_ = 0;
  bool conserved_broken_ = false;
  double now_s_ = 0.0;
  double over_since_s_ = kNever;
  std::optional<double> termination_time_s_;
  std::optional<std::uint32_t> announced_phase_;
  std::map<Incarnation, Death> deaths_;  ///< of ranks
  std::vector<Failure> failures_;
  std::map<Incarnation, std::size_t> failed_nodes_;  ///< in failures_, by their daemons
  std::vector<Debt> debts_;                          ///< per rank; empty before the first death
  std::uint64_t owed_ = 0;                           ///< by all live ranks together
  std::uint32_t live_;
  std::uint32_t dead_now_ = 0;  ///< dead ranks that have not restarted
  std::uint32_t unknown_ = 0;   ///< dead ranks that no rank has declared, so that all owe it
  std::vector<bool> is_live_;   ///< per rank; empty before the first death
  std::uint64_t restarts_ = 0;
  /// Incarnations that were declared dead while they lived, the actors that did so and have not
  /// taken it back, and after how many restarts.
  std::map<Incarnation, std::vector<std::pair<ActorId, std::uint64_t>>> falsely_reported_;
  std::uint64_t taken_back_ = 0;
  std::set<Incarnation> doomed_;
  double first_false_report_s_ = kNever;
  double report_latency_max_s_ = 0.0;
  std::uint64_t reports_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace faultline::audit
