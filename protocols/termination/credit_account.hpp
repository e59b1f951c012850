// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/component.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

/// The control messages of the detectors that distribute credit.
namespace credit {
enum Kind : std::uint16_t { kFlush, kBorrow, kGrant, kAnnounce };

/// The credit that a message carries, a whole number.
inline std::int64_t carried(const Message& message) {
  if (message.channel == Family::workload) return message.termination.get<std::int64_t>();
  const bool carries =
      message.channel == Family::termination && (message.kind == kFlush || message.kind == kGrant);
  return carries ? message.payload.get<std::int64_t>() : 0;
}
}  // namespace credit

/// How much credit processes get and may hold.
struct CreditTerms {
  std::int64_t initial = 1;  ///< C_init: credit of each process at the start, and of one grant
  std::int64_t maximum =
      std::numeric_limits<std::int64_t>::max();  ///< largest credit of one process
  std::uint64_t control_bytes = 0;               ///< size of a control message
  bool wraps = false;  ///< credit is counted modulo 2^64, and nothing is checked
};

/// One process's part in the distribution of integer credit, which HCDA and CDA have in common.
/// Rank 0 is the controlling agent: it lends credit, and announces the end when all credit that it
/// issued is back. The detector decides how much credit a message takes.
class CreditAccount {
 public:
  CreditAccount(const CreditTerms& terms, const JobShape& job, Rank self);

  [[nodiscard]] bool is_agent() const { return self_ == 0; }
  /// C_cur: the credit that this process holds.
  [[nodiscard]] std::int64_t current() const { return current_; }

  void put_on(Message& message, std::int64_t credit) {
    invariant((credit >= 1 && credit <= current_) || terms_.wraps,
              "a message takes credit that is not there");
    message.termination.put(credit);
    current_ = sum(current_, -static_cast<std::uint64_t>(credit));
  }
  void take_off(TerminationContext& context, Message& message) {
    earn(context, message.termination.get<std::int64_t>());
    message.termination.clear();
  }
  void earn(TerminationContext& context, std::int64_t credit);

  /// Asks the agent for credit, unless an earlier request is unanswered. The agent creates its own
  /// credit without a message.
  void borrow(TerminationContext& context);
  /// At the agent: grants credit to `borrower`.
  void lend(TerminationContext& context, Rank borrower);
  void on_grant(TerminationContext& context, const Message& grant);

  /// Keeps a message of the application until there is credit for it.
  void delay(const Message& message);
  [[nodiscard]] std::size_t delayed() const { return delayed_.size(); }
  /// Sends the waiting messages, in order, until `give` has no credit for the next one; then
  /// borrows.
  template <class Give>
  void send_delayed(TerminationContext& context, Give give) {
    std::size_t sent = 0;
    while (sent < delayed_.size() && give(delayed_[sent])) context.release(delayed_[sent++]);
    delayed_.erase(delayed_.begin(), delayed_.begin() + static_cast<std::ptrdiff_t>(sent));
    if (!delayed_.empty()) borrow(context);
  }

  /// Returns all credit. The agent returns its own to itself, and announces if all is back. Others
  /// send theirs to `to`, unless messages wait for it.
  void flush(TerminationContext& context, Rank to);
  void send_flush(TerminationContext& context, Rank to, std::int64_t credit) const;
  /// At the agent: takes credit back.
  void take_back(std::int64_t credit);
  /// At the agent: announces "when it again has C_total credits".
  void detect(TerminationContext& context) const;
  void announce(TerminationContext& context) const;

  void report(MetricTotals& totals) const;
  [[nodiscard]] std::string waiting_for() const;
  [[nodiscard]] Conserved conserved() const { return {current_ + returned_, issued_}; }
  void digest(Digest& into) const;

 private:
  /// Adds modulo 2^64. Credit that does not wrap stays far below that.
  [[nodiscard]] static std::int64_t sum(std::int64_t credit, std::uint64_t other) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(credit) + other);
  }

  CreditTerms terms_;
  ControlTree tree_;
  Rank self_;
  bool borrowing_ = false;
  std::uint32_t borrows_ = 0;
  std::uint32_t flushes_ = 0;
  std::uint32_t delays_ = 0;
  std::int64_t current_;
  std::vector<Message> delayed_;  ///< emissions that wait for credit
  std::int64_t returned_ = 0;     ///< agent: credit that came back
  std::int64_t issued_ = 0;       ///< agent: C_total, all credit ever created
};

}  // namespace faultline::termination
