// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocols/transactions/agreement_tree.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::transactions {

/// What members contribute to an agreement, and what they agree on: the union of all contributions.
struct AgreementValue {
  bool success = true;            ///< everyone's operations have succeeded
  std::uint32_t codes = 0;        ///< bit c: an error of code c was found
  std::vector<Rank> failed = {};  ///< members that are dead, ascending

  /// True if all have succeeded, and nobody is dead.
  [[nodiscard]] bool accepts() const { return success && failed.empty(); }
  void unite(const AgreementValue& other);
  void digest(Digest& into) const { into.add(success, codes, failed); }
  friend bool operator==(const AgreementValue&, const AgreementValue&) = default;
};

enum class AgreementAlgorithm : std::uint8_t {
  /// Early returning over a binary heap, as in Open MPI (coll/ftagree): 2(P - 1) messages. All
  /// members that are alive at the same time decide alike; one that dies may have decided
  /// otherwise.
  era,
  /// Two sweeps of `era`: a member decides on the outcome of the first sweep when the second has
  /// confirmed that all know it. 4(P - 1) messages. Nobody decides otherwise, dead or alive.
  two_phase,
  /// As `era`, but all are children of the first member, which stands for a head node.
  star,
};

enum class AgreementMessageKind : std::uint8_t {
  up,              ///< the contributions of the sender and all below it
  down,            ///< the decision
  result_request,  ///< from a new root: asks for the decision, or else for a contribution
};

struct AgreementMessage {
  AgreementMessageKind kind = AgreementMessageKind::up;
  std::uint64_t sweep = 0;  ///< ascends from agreement to agreement; `two-phase` has two in each
  AgreementValue value = {};

  void digest(Digest& into) const { into.add(kind, sweep, value); }
  friend bool operator==(const AgreementMessage&, const AgreementMessage&) = default;
};

/// The size of a message: Open MPI's header of 92 bytes, and 4 bytes for each failed member.
std::uint64_t agreement_bytes(const AgreementMessage& message);

/// The consequences of an event: decisions, and messages to be sent in this order afterwards. The
/// caller empties it.
struct AgreementOutput {
  struct Send {
    Rank to = kNobody;
    AgreementMessage message;
  };
  struct Decision {
    std::uint64_t number = 0;
    AgreementValue value;
  };
  std::vector<Decision> decisions;
  std::vector<Send> sends;
};

/// One member's part in a sequence of agreements of a group on values that all contribute, while
/// members die (fampi-2015 section 3.1: the commit of a TryBlock). The algorithm is that of ULFM's
/// MPI_Comm_agree as Open MPI has built it.
///
/// Contributions go up a tree of the living, which unites them on the way, and the decision comes
/// down. A member whose parent dies contributes again, further up; a new root asks those below it
/// what the one before it has told them; a decision is kept until a later one is made. What holds
/// then, and why, is in docs/agreement.md.
///
/// Ranks are those in the group. A rank is one incarnation of one actor: a process that replaces it
/// belongs to another group, with an Agreement of its own. Members may hear of deaths in any order,
/// late, or for some deaths never, as long as the living hear of every death at some time, and only
/// of deaths. Messages may overtake each other; messages of members that are known to be dead do
/// not count.
///
/// A plain value. Its memory grows with the number of failures and, at the root of a star, with
/// the number of members.
class Agreement {
 public:
  /// `absent` are members that all others know to be dead from the start, ascending.
  Agreement(AgreementAlgorithm algorithm, Rank self, std::uint32_t members,
            std::vector<Rank> absent = {});

  /// This member's contribution to the agreement of that number, to which the deaths that it has
  /// heard of are added. Numbers ascend, from 0 on, and some can be left out if all leave them out.
  /// The previous agreement must have been decided here. False, without effect, if this member has
  /// contributed before: a repeated finish waits for the same agreement.
  bool contribute(std::uint64_t number, AgreementValue value, AgreementOutput& output);
  void on_message(Rank from, const AgreementMessage& message, AgreementOutput& output);
  /// A member is dead. To hear of it twice does no harm.
  void on_peer_failed(Rank peer, AgreementOutput& output);

  /// Nobody needs the agreements up to that number any more.
  void forget_through(std::uint64_t number);

  /// The members of whose death this one knows, ascending.
  [[nodiscard]] const std::vector<Rank>& failed() const { return failed_; }
  /// What this member waits for, in words; "" if for nothing.
  [[nodiscard]] std::string waiting_for() const;

  void digest(Digest& into) const;
  friend bool operator==(const Agreement&, const Agreement&) = default;

 private:
  /// One way of contributions up the tree, and of the answers down.
  struct Sweep {
    std::uint64_t number = 0;
    bool contributed = false;
    bool decided = false;
    /// All members with a lower rank are dead: a member among them has asked this rank as the root.
    Rank lowest = 0;
    Rank sent_to = kNobody;        ///< the parent that has the contribution and whose answer counts
    AgreementValue value = {};     ///< united so far; the decision once there is one
    std::vector<Rank> from = {};   ///< members whose contribution has come, ascending
    std::vector<Rank> asked = {};  ///< members that were sent a request, ascending

    void digest(Digest& into) const;
    friend bool operator==(const Sweep&, const Sweep&) = default;
  };
  /// The members below this one that have not sent a contribution.
  struct Survey {
    std::vector<Rank> awaited;  ///< alive
    std::vector<Rank> missing;  ///< dead
  };

  [[nodiscard]] std::uint32_t sweeps_each() const;
  [[nodiscard]] bool confirms(const Sweep& sweep) const;
  [[nodiscard]] bool is_dead(Rank rank) const;
  /// The others have decided that this member is dead. It takes no part any more.
  [[nodiscard]] bool is_expelled() const;
  [[nodiscard]] bool is_gone(const Sweep& sweep, Rank rank) const;
  [[nodiscard]] Rank root_of(const Sweep& sweep) const;
  [[nodiscard]] Rank parent_in(const Sweep& sweep) const;
  [[nodiscard]] Survey survey(const Sweep& sweep) const;
  /// The sweep of that number, made if there is none. Invalidates references to others.
  Sweep& sweep_of(std::uint64_t number);
  void forget_sweeps_below(std::uint64_t number);

  void contribute_to(std::uint64_t sweep, const AgreementValue& value, AgreementOutput& output);
  void on_up(Sweep& sweep, Rank from, const AgreementValue& value, AgreementOutput& output);
  void on_request(Sweep& sweep, Rank from, AgreementOutput& output) const;
  /// Sends the contribution on or decides, if nothing is missing. Invalidates the reference.
  void go_on(Sweep& sweep, AgreementOutput& output);
  void ask(Sweep& sweep, const std::vector<Rank>& awaited, AgreementOutput& output) const;
  void decide(Sweep& sweep, const AgreementValue& value, Rank told_by, AgreementOutput& output);

  AgreementAlgorithm algorithm_;
  Rank self_;
  AgreementTree tree_;             ///< without members that a decision has named as failed
  std::vector<Rank> failed_;       ///< members known to be dead, ascending
  std::uint64_t first_sweep_ = 0;  ///< earlier ones are forgotten
  std::vector<Sweep> sweeps_;      ///< by ascending number
};

}  // namespace faultline::transactions
