// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/own_deliveries.hpp"

#include "sim/core/invariant.hpp"

namespace faultline::message_logging {

std::uint16_t giver_of(std::uint64_t ticket, const Lives& lives) {
  std::uint16_t incarnation = 0;
  for (const Tickets& life : lives)
    if (life.from <= ticket) incarnation = life.incarnation;
  return incarnation;
}

// ---- where they are stored --------------------------------------------------------------------

/// The holder was sent everything that nobody was known to store then.
void OwnDeliveries::acknowledged(Rank holder, std::uint64_t ticket) {
  invariant(ticket <= list_.size(), "a ticket is stored that nobody has");
  if (ticket <= newest_part_.last) return;
  if (newest_part_.holder != holder && newest_part_.last > 0)
    earlier_parts_.push_back(newest_part_);
  newest_part_ = {ticket, holder};
}

Determinant OwnDeliveries::determinant_of(std::uint64_t ticket, Rank holder) const {
  const Delivery& delivery = list_.at(ticket);
  return {self_, holder, ticket, delivery.channel, delivery.number, giver_of(ticket, lives_)};
}

void OwnDeliveries::add_stored_at(Rank holder, std::vector<Determinant>& to) const {
  std::uint64_t ticket = 1;
  const auto add = [&](const Part& part) {
    for (; ticket <= part.last; ++ticket)
      if (part.holder == holder) to.push_back(determinant_of(ticket, holder));
  };
  for (const Part& part : earlier_parts_) add(part);
  add(newest_part_);
}

// ---- replay -----------------------------------------------------------------------------------

/// Nothing was ever delivered under a ticket behind one that nobody has stored. A later incarnation
/// has given such tickets to other messages: then its determinants are valid, and those of earlier
/// incarnations behind them are void.
bool OwnDeliveries::learn(const Determinant& known) {
  const bool is_void = !lives_.empty() && known.incarnation < lives_.back().incarnation;
  if (known.ticket <= list_.size() || is_void) return true;
  if (known.ticket > list_.size() + 1) return false;
  if (lives_.empty() || lives_.back().incarnation < known.incarnation)
    lives_.push_back({known.ticket, known.incarnation});
  list_.push_back({known.channel, known.number});
  acknowledged(known.holder, known.ticket);
  return true;
}

// ---- checkpoints ------------------------------------------------------------------------------

void OwnDeliveries::commit() {
  invariant(!must_replay(), "a checkpoint is committed while a rank replays");
  list_ = {};  // others may still look at the old one
  index_.clear();
  if (!lives_.empty()) lives_ = {{1, lives_.back().incarnation}};
  tickets_ = 0;
  newest_part_ = {};
  earlier_parts_.clear();
}

}  // namespace faultline::message_logging
