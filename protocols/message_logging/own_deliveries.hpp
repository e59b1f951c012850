// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/message_logging/delivery_list.hpp"
#include "protocols/message_logging/restart_wave.hpp"

namespace faultline::message_logging {

/// The tickets from that one on were given by that incarnation, up to the next entry of a list.
struct Tickets {
  std::uint64_t from = 1;
  std::uint16_t incarnation = 0;

  void digest(Digest& into) const { into.add(from, incarnation); }
  friend bool operator==(const Tickets&, const Tickets&) = default;
};
/// Which incarnation has given which tickets of a list of deliveries; empty: the first has given
/// all.
using Lives = std::vector<Tickets>;

/// The number of the incarnation that has given a ticket.
std::uint16_t giver_of(std::uint64_t ticket, const Lives& lives);

/// What a rank has delivered since the last checkpoint, in the order of tickets, and how far others
/// are known to store that. A rank that has restarted knows of deliveries that it has still to make
/// again: their replay.
class OwnDeliveries {
 public:
  explicit OwnDeliveries(Rank self) : self_(self) {}

  [[nodiscard]] Rank self() const { return self_; }
  /// Gives a delivery the next ticket.
  void give_ticket(const Delivery& delivery) {
    list_.push_back(delivery);
    ++tickets_;
  }
  /// Tickets that this incarnation has given out, or given again.
  [[nodiscard]] std::uint64_t tickets() const { return tickets_; }
  [[nodiscard]] const Delivery& at(std::uint64_t ticket) const { return list_.at(ticket); }
  /// Has that message a ticket that was given out?
  [[nodiscard]] bool contains(const Delivery& message) {
    return index_.contains(list_, tickets_, message);
  }

  // ---- where they are stored ------------------------------------------------------------------
  /// All tickets up to this one are known to be stored by others.
  [[nodiscard]] std::uint64_t stored() const { return newest_part_.last; }
  [[nodiscard]] std::uint64_t unstored_count() const {
    return tickets_ > stored() ? tickets_ - stored() : 0;
  }
  /// All that nobody is known to store. There are some.
  [[nodiscard]] DeliveryRun unstored() const { return list_.run(stored() + 1, tickets_); }
  [[nodiscard]] DeliveryRun run(std::uint64_t first, std::uint64_t last) const {
    return list_.run(first, last);
  }
  /// That rank stores all up to that ticket that nobody was known to store before.
  void acknowledged(Rank holder, std::uint64_t ticket);
  [[nodiscard]] Determinant determinant_of(std::uint64_t ticket, Rank holder) const;
  /// The determinants that were stored at that rank.
  void add_stored_at(Rank holder, std::vector<Determinant>& to) const;
  [[nodiscard]] const Lives& lives() const { return lives_; }

  // ---- replay ---------------------------------------------------------------------------------
  [[nodiscard]] bool must_replay() const { return tickets_ < list_.size(); }
  /// The delivery that comes next in the replay.
  [[nodiscard]] const Delivery& next() const { return list_.at(tickets_ + 1); }
  /// It has been made, or left out.
  void replayed() { ++tickets_; }
  /// What others know of this incarnation's predecessors, by ticket, and of one ticket that of the
  /// latest incarnation first. False if there is a gap before it.
  bool learn(const Determinant& known);
  /// All has been learned: from here on, that incarnation gives the tickets.
  void begin_life(std::uint16_t incarnation) { lives_.push_back({list_.size() + 1, incarnation}); }

  // ---- checkpoints ----------------------------------------------------------------------------
  /// All is safe in a checkpoint.
  void commit();

  void digest(Digest& into) const {
    into.add(list_, tickets_, lives_, earlier_parts_, newest_part_);
  }

 private:
  /// All up to that ticket, and from that of the part before on, are stored there.
  struct Part {
    std::uint64_t last = 0;
    Rank holder = kNobody;

    void digest(Digest& into) const { into.add(last, holder); }
  };

  Rank self_;
  DeliveryList list_;  ///< by ticket; behind tickets_ those to be replayed
  std::uint64_t tickets_ = 0;
  DeliveryIndex index_;  ///< of list_, up to tickets_
  Lives lives_;
  std::vector<Part> earlier_parts_;  ///< before the newest one, ascending
  Part newest_part_;                 ///< the last of the tickets that others store, if any
};

}  // namespace faultline::message_logging
