// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/termination/announcement.hpp"
#include "protocols/termination/failed_ranks.hpp"
#include "protocols/termination/successors.hpp"
#include "sim/core/component.hpp"
#include "sim/core/options.hpp"

namespace faultline::termination {

/// Control messages of the adoption protocols, in the order of their names. INDEP uses the first
/// five, RELLAZY the first seven, RELEAGER all ten.
enum AdoptionKind : std::uint16_t {
  kAcknowledge,
  kPotentialGrandchild,
  kTryEngageGrandchild,
  kReplyToGrandparent,
  kAnnounce,
  kInformInterior,
  kInformExterior,
  kNewGrandparent,
  kAnswerToParent,
  kGrandchildRecovered,
};
std::vector<std::string> adoption_kinds(std::size_t count);
MetricSpecs adoption_metrics();

/// True if a process may give up after the deaths that it has been told of. The root's death is a
/// reason. The death of one other process alone never is. For several deaths it depends on the
/// messages of the run: analysis/lemmas/give_up_condition.hpp.
bool adoption_may_give_up(const OptionValues& options, const JobShape& job,
                          const std::vector<ActorId>& dead);

/// The points at which an adoption protocol does what the paper prints, although it is wrong; all
/// other errors are corrected. docs/gallery.md describes what goes wrong at each.
struct AdoptionAsPrinted {
  explicit AdoptionAsPrinted(const ChosenWords& points);

  bool cornet;       ///< section 2: the parent's entry takes its further messages, too
  bool old_notes;    ///< 5.1: engagements have no numbers
  bool late_notes;   ///< 5.1: once its debt is 0, all that a successor has told is forgotten
  bool child_flush;  ///< 5.3: a grandchild answers its query at once, without a flush
};

/// What an application message tells about its sender.
struct SenderState {
  std::uint32_t engagement = 0;
  std::uint32_t version = 0;  ///< REL: version of `parent`
  Rank parent = kNobody;      ///< REL
};

/// gotAck(self, count)
struct Acknowledgement {
  std::uint32_t count = 0;
  std::uint32_t over = 0;  ///< the engagement that ends with it; 0: none
};

/// potentialGrandchild(self, child), informGrandparentInterior(self, parent),
/// informGrandparentExterior(self, parent), and the message that the children of a failed child
/// have been adopted.
struct Signal {
  std::uint32_t engagement = 0;  ///< of the parent, which is the sender or `other`
  Rank other = kNobody;          ///< the child, the parent, or the failed child
};

/// RELEAGER: tells a successor of the sender's new parent; also the successor's answer.
struct NewGrandparent {
  std::uint32_t engagement = 0;
  std::uint32_t version = 0;
  Rank grandparent = kNobody;
  std::uint32_t condition = 0;  ///< as printed: the successor's, in its answer
};

/// tryEngageGrandchild(self, failedParent)
struct TryEngageGrandchild {
  Rank failed = kNobody;
  std::uint32_t failed_engagement = 0;
  std::uint32_t engagement = 0;  ///< that of the grandparent
  Rank parent = kNobody;         ///< REL*: the grandparent's parent
  std::uint32_t version = 0;     ///< RELEAGER: how often that parent has changed
};

/// RELEAGER as printed: the bit of a key that marks this child as interior.
inline constexpr std::uint32_t kInteriorBit = 32;

/// replyToGrandparent(self, debt, keys(successors)); the ranks are in the attachment.
struct ReplyToGrandparent {
  Rank failed = kNobody;
  std::uint32_t debt = 0;
  std::uint32_t engagement = 0;
};

/// A potential grandchild whose reply is awaited.
struct PendingRecovery {
  Rank failed = kNobody;
  std::uint32_t failed_engagement = 0;
  PotentialChild grandchild;

  void digest(Digest& into) const { into.add(failed, failed_engagement, grandchild); }
};

/// A query that waits until all messages of the failed parent have arrived. If it were answered
/// earlier, a late message of the dead parent could engage a process that has just answered that it
/// is not engaged.
struct HeldQuery {
  Rank grandparent = kNobody;
  TryEngageGrandchild query;

  void digest(Digest& into) const;
};

/// A process to which the application has sent, or a query.
struct Partner {
  Rank rank = kNobody;
  std::uint32_t over = 0;  ///< the last of its engagements that it has reported as over
  bool sent_to = false;    ///< by the application
};

/// What the adoption protocols have in common (adoption-2013 sections 2 and 5): the state of one
/// process, that is its place in the engagement tree and what others owe it. Handlers are atomic: a
/// process consumes a message in the turn in which it arrives, and acknowledges it in that turn
/// unless it is the parent's. So the cornet holds the parent or nobody, and C is 1 while the
/// process is engaged, else 0.
struct Adoption {
  Adoption(const JobShape& job, Rank self, std::uint64_t control_bytes,
           const AdoptionAsPrinted& printed);

  [[nodiscard]] bool is_root() const { return self == 0; }
  /// The number of this engagement in messages to others. As printed there are no numbers.
  [[nodiscard]] std::uint32_t number() const { return printed.old_notes ? 1 : engagement; }
  [[nodiscard]] bool is_engaged() const { return is_root() || parent != kNobody; }
  Message& send(TerminationContext& context, Rank to, std::uint16_t kind) const {
    return context.send(to, kind, control_bytes);
  }

  void start(TerminationContext& context);
  /// Marks an application message that is about to leave with this process's engagement, which the
  /// receiver may join.
  void stamp(TerminationContext& context, Message& message);
  /// def gotMsg(predecessor). Returns whether the message has engaged this process.
  bool got_message(TerminationContext& context, const Message& message);
  /// D++, successors[successor].acksOwed++
  Successor& owed_by(Rank successor);
  /// The part of willSendTo that INDEP has, too. Returns whether a fence is due before the message:
  /// the parent has been told of the successor, or `fence` was due already.
  bool tell_parent(TerminationContext& context, const Successor& successor, bool fence) const;
  /// def gotAck(successor, count), without tryDisengage
  void got_ack(Successor& successor, std::uint32_t count);
  void got_ack(const Message& message);
  /// def potentialGrandchild(child, gc)
  void potential_grandchild(const Message& message);
  /// True if a note of a successor is about its present engagement, and not about an earlier one.
  [[nodiscard]] bool is_present(Successor& successor, std::uint32_t its_engagement);
  /// What must hold besides D = 0 and C = 1: tryDisengage is guarded by pendingRecoveryEvents.
  [[nodiscard]] bool may_not_disengage() const {
    return D != 0 || merged != 0 || !pending_recoveries.empty();
  }
  /// Acknowledges to the parent and leaves the tree.
  void disengage(TerminationContext& context, bool fence = false);

  /// Handles a control message that all adoption protocols handle alike; returns false for others.
  bool handle(TerminationContext& context, const Message& message);

  /// Takes note of a death. Returns whether the dead process is a successor, which must be
  /// recovered.
  bool peer_failed(TerminationContext& context, ActorId peer);
  /// D -= acksOwed, successors.erase. Returns what the failed process owed and had told, or nothing
  /// if it owed nothing.
  std::optional<Successor> write_off(Rank failed_rank);
  [[nodiscard]] PendingRecovery* pending(Rank failed_rank, Rank grandchild);
  void no_longer_pending(Rank failed_rank, Rank grandchild);
  /// Holds a query until all messages of its failed parent have arrived.
  void hold(TerminationContext& context, const Message& message);
  /// Removes and returns the next held query about that rank, if there is one.
  std::optional<HeldQuery> take_held(Rank failed_rank);
  /// As printed, a query waits for nothing: returns any held query.
  std::optional<HeldQuery> take_unflushed();
  /// True if this process is engaged to the failed one, in the engagement that the query is about.
  [[nodiscard]] bool is_orphan_of(const TryEngageGrandchild& query) const {
    return parent == query.failed && parents_engagement == query.failed_engagement;
  }
  void adopted_by(const HeldQuery& held);
  /// replyToGrandparent(self, 1, keys(successors)) if `engaged`, else replyToGrandparent(self, 0,
  /// {}). A fence keeps it behind what this process has sent to others. `actual_children`: names
  /// only the successors that have answered that they are engaged, and which are interior.
  void reply(TerminationContext& context, const HeldQuery& held, bool engaged,
             bool actual_children = false);
  /// What all protocols do on a replyToGrandparent. Returns the child if it has been adopted and
  /// has not disengaged in the meantime, else null.
  Successor* got_reply(const TerminationContext& context, const Message& message);
  /// Sends a message and counts it as one of recovery.
  Message& send_recovery(TerminationContext& context, Rank to, std::uint16_t kind);

  void announce(TerminationContext& context) { announcement.announce(context, failed); }
  /// Updates the times and sizes that are reported, and checks what must hold; must be called at
  /// the end of every handler.
  void keep_statistics(TerminationContext& context);
  /// True if a dead process owes acknowledgements.
  [[nodiscard]] bool any_successor_failed();
  void report(MetricTotals& totals) const;
  [[nodiscard]] std::string waiting_for() const;
  void digest(Digest& into) const;

  Rank self;
  std::uint64_t control_bytes;
  std::uint32_t processes;
  AdoptionAsPrinted printed;
  Rank parent = kNobody;
  std::uint32_t parents_engagement = 0;
  std::uint32_t engagement = 0;  ///< how often this process has engaged
  std::int64_t D = 0;            ///< messages sent and not acknowledged
  std::uint32_t merged = 0;      ///< printed cornet: further messages in the parent's entry, C - 1
  Successors successors;
  FailedRanks failed;
  std::vector<PendingRecovery> pending_recoveries;  ///< pendingRecoveryEvents is their number
  std::vector<HeldQuery> held_queries;
  Announcement announcement;

 private:
  [[nodiscard]] Partner& partner(Rank rank);

  EntriesByRank<Partner> partners_;
  std::uint64_t recovery_messages_ = 0;
  std::uint64_t adoptions_ = 0;
  double recovering_since_s_ = kNever;
  double recovery_s_ = 0.0;  ///< the longest
  double interior_since_s_ = kNever;
  double interior_s_ = 0.0;
  double begin_s_ = 0.0;  ///< of the phase
  double last_s_ = 0.0;
  std::size_t state_bytes_ = 0;  ///< the most
};

}  // namespace faultline::termination
