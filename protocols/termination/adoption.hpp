#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/termination/announcement.hpp"
#include "protocols/termination/failed_ranks.hpp"
#include "protocols/termination/successors.hpp"
#include "sim/core/component.hpp"

namespace faultline {

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

/// What the deaths that a process has been told of say of giving up, whatever the messages have
/// said: the root's is a reason, and no single other one is. analysis/lemmas/give_up_condition.hpp
/// has the rest.
bool adoption_may_give_up(const OptionValues& options, const JobShape& job,
                          const std::vector<ActorId>& dead);

/// gotAck(self, count)
struct Acknowledgement {
  std::uint32_t count = 0;
  std::uint32_t over = 0;  ///< the engagement that ends with it; 0: none
};

/// potentialGrandchild(self, child), informGrandparentInterior and -Exterior(self, parent), and
/// that a child's children are adopted: the engagement of one process, and the other that it
/// concerns.
struct Signal {
  std::uint32_t engagement = 0;
  Rank other = kNobody;
};

/// RELEAGER: the sender's parent as it changes; and the answer of a successor that has heard of it.
struct NewGrandparent {
  std::uint32_t engagement = 0;
  std::uint32_t version = 0;
  Rank grandparent = kNobody;
};

/// tryEngageGrandchild(self, failedParent)
struct TryEngageGrandchild {
  Rank failed = kNobody;
  std::uint32_t failed_engagement = 0;
  std::uint32_t engagement = 0;  ///< the grandparent's own
  Rank parent = kNobody;         ///< REL*: its parent
  std::uint32_t version = 0;     ///< RELEAGER: of that parent
};

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
};

/// A query that is answered when all that the failed parent has sent is here. Otherwise a late
/// message of the dead could engage a process that has said that it is not engaged.
struct HeldQuery {
  Rank grandparent = kNobody;
  TryEngageGrandchild query;
};

/// A process that the application has sent to.
struct Partner {
  Rank rank = kNobody;
};

/// What the adoption protocols have in common (adoption-2013 sections 2 and 5): a process, its
/// place in the engagement tree, its debts. Handlers are atomic: a message is consumed in the turn
/// in which it arrives, and at once acknowledged to any but the parent. So the cornet holds the
/// parent or nobody, and C is 1 while the process is engaged, else 0.
struct Adoption {
  Adoption(const JobShape& job, Rank self, std::uint32_t control_bytes);

  [[nodiscard]] bool is_root() const { return self == 0; }
  [[nodiscard]] bool is_engaged() const { return is_root() || parent != kNobody; }
  Message& send(Context& context, Rank to, std::uint16_t kind) const {
    return context.send(to, kind, control_bytes);
  }

  void start(Context& context);
  /// An application message is about to leave: its receiver must know whose engagement it may join.
  void stamp(Context& context, Message& message);
  /// def gotMsg(predecessor). True: it has engaged this process.
  bool got_message(Context& context, const Message& message);
  /// D++, successors[successor].acksOwed++
  Successor& owed_by(Rank successor);
  /// The part of willSendTo that is INDEP's: true if the parent is told, and a fence is due.
  bool tell_parent(Context& context, const Successor& successor, bool fence) const;
  /// def gotAck(successor, count), but for tryDisengage
  void got_ack(Successor& successor, std::uint32_t count);
  void got_ack(const Message& message);
  /// def potentialGrandchild(child, gc)
  void potential_grandchild(const Message& message);
  /// Acknowledges to the parent and leaves the tree.
  void disengage(Context& context, bool fence = false);

  /// A control message that all adoption protocols handle alike. False: it is another.
  bool handle(Context& context, const Message& message);

  /// A death is told. False: it is none of this process's business, or fatal.
  bool peer_failed(Context& context, ActorId peer);
  /// D -= acksOwed, successors.erase: what the failed process has owed and told, if it has owed.
  std::optional<Successor> write_off(Rank failed_rank);
  [[nodiscard]] PendingRecovery* pending(Rank failed_rank, Rank grandchild);
  void no_longer_pending(Rank failed_rank, Rank grandchild);
  /// Holds a query until its failed parent is flushed.
  void hold(Context& context, const Message& message);
  /// The next held query that is about that rank.
  std::optional<HeldQuery> take_held(Rank failed_rank);
  /// Is this process engaged to the failed one, in the engagement that the query is about?
  [[nodiscard]] bool is_orphan_of(const TryEngageGrandchild& query) const {
    return parent == query.failed && parents_engagement == query.failed_engagement;
  }
  void adopted_by(const HeldQuery& held);
  /// replyToGrandparent(self, 1, keys(successors)), after what this handler has told others; or
  /// replyToGrandparent(self, 0, {})
  void reply(Context& context, const HeldQuery& held, bool engaged);
  /// The parts of replyToGrandparent and pendingRecoveryEvents that all have in common: the child,
  /// if it is adopted and has not disengaged in the meantime.
  Successor* got_reply(const Message& message);
  /// A message of recovery.
  Message& send_recovery(Context& context, Rank to, std::uint16_t kind);

  void announce(Context& context) { announcement.announce(context, failed); }
  /// Keeps time and sizes; at the end of every handler.
  void keep_statistics(Context& context);
  void report(Metrics& metrics) const;
  [[nodiscard]] std::string waiting_for() const;

  Rank self;
  std::uint32_t control_bytes;
  std::uint32_t processes;
  Rank parent = kNobody;
  std::uint32_t parents_engagement = 0;
  std::uint32_t engagement = 0;  ///< how often this process has engaged
  std::int64_t D = 0;            ///< messages sent and not acknowledged
  Successors successors;
  FailedRanks failed;
  std::vector<PendingRecovery> pending_recoveries;  ///< pendingRecoveryEvents is their number
  std::vector<HeldQuery> held_queries;
  Announcement announcement;

 private:
  RankTable<Partner> partners_;  ///< all others that the application has sent to
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

}  // namespace faultline
