// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocols/failure_detection/members.hpp"
#include "sim/core/component.hpp"

namespace faultline::failure_detection {

struct ConnectionLossOptions {
  std::string members = "daemons";
  std::uint32_t radix = 64;
  std::uint64_t control_bytes = 16;
  std::uint64_t entry_bytes = 8;
};

/// The kinds of messages of `connection-loss`.
enum ConnectionLossMessage : std::uint16_t {
  kLossReport,
  kLossKnown,
  kLossJoin,
  kLossLives,
};

/// Members hold open connections to their parent and children in a tree. A member that loses one
/// takes the peer for dead, tells its other neighbours, and takes over those that the dead one has
/// left. Each member is below its nearest ancestor that it does not know to be dead. Members
/// without any such ancestor are below the first member that is not known to be dead.
///
/// All this follows from the set of the dead, so two members that know the same deaths agree on all
/// neighbours. A member tells a new neighbour everything that it knows, since either of the two may
/// have missed reports.
///
/// The news that a member lives again spreads as that of a death does, so that its neighbours in
/// the tree connect to it: it may die before any message of its own has left.
class ConnectionLoss final : public Detector {
 public:
  using Options = ConnectionLossOptions;
  ConnectionLoss(std::shared_ptr<const Options> options, const JobShape& job, ActorId self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<ConnectionLoss>(*this);
  }

  void start(DetectorContext& context) override;
  void on_message(DetectorContext& context, const Message& message) override;
  void on_local_exit(DetectorContext& context, Incarnation rank) override;
  void on_link_lost(DetectorContext& context, Incarnation peer) override;
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override;
  void report(MetricTotals& totals) const override;

 private:
  /// A member by its number in the tree: the parent of m is (m - 1) / radix.
  using Place = std::uint32_t;

  void digest_state(Digest& into) const override;
  void learn_of(DetectorContext& context, Incarnation dead, ActorId from);
  void learn_of_life(DetectorContext& context, Incarnation life, ActorId from);
  void take_for_alive(DetectorContext& context, Incarnation life, ActorId from);
  void declare_through(DetectorContext& context, Incarnation dead, ActorId from);
  void declare(DetectorContext& context, Incarnation dead, ActorId from);
  void mend(DetectorContext& context, Place dead);
  void connect(DetectorContext& context, Place neighbour);
  void send_all(DetectorContext& context, ActorId to) const;
  void tell(DetectorContext& context, ConnectionLossMessage kind, Incarnation about,
            ActorId except);
  void tell_ranks(DetectorContext& context, Incarnation dead);
  void tell_rank_of_all(DetectorContext& context, Rank rank) const;
  void adopt_below(DetectorContext& context, Place dead);
  [[nodiscard]] bool has_died(Incarnation life) const;
  [[nodiscard]] std::uint16_t life_of(ActorId actor) const;
  [[nodiscard]] bool is_dead(Place member) const { return dead_.count(members_.actor(member)) > 0; }
  [[nodiscard]] Place parent_in_tree(Place member) const { return (member - 1) / options_->radix; }
  [[nodiscard]] std::optional<Place> parent_of(Place member) const;
  template <class Visit>
  void for_each_death(Visit visit) const;
  template <class Visit>
  void for_each_child(Place member, Visit visit) const;

  std::shared_ptr<const Options> options_;
  Members members_;
  Place self_;
  std::map<ActorId, std::uint16_t> dead_;  ///< in which incarnation each has died
  /// The ends of earlier lives than the last that this member has told the others.
  std::set<Incarnation> ended_;
  /// The later lives of others that this member has told the others.
  std::map<ActorId, std::uint16_t> lives_;
  std::optional<Place> parent_;
  std::set<Place> children_;
  bool stopped_ = false;  ///< has heard that it is reported dead
  // For the report.
  std::uint64_t reconnections_ = 0;
  std::size_t most_links_ = 0;
};

}  // namespace faultline::failure_detection
