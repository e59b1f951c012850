// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/credit_account.hpp"

#include <algorithm>
#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

using namespace credit;

CreditAccount::CreditAccount(const CreditTerms& terms, const JobShape& job, Rank self)
    : terms_(terms), tree_{job.processes}, self_(self), current_(terms.initial) {
  if (is_agent()) issued_ = terms.initial * job.processes;
}

// "its local credit is set to the maximum, and all remaining credit is immediately returned"
void CreditAccount::earn(TerminationContext& context, std::int64_t credit) {
  if (terms_.wraps) {
    current_ = sum(current_, static_cast<std::uint64_t>(credit));
    return;
  }
  invariant(credit >= 0 && current_ <= terms_.maximum,
            "a process earns or holds impossible credit");
  const std::int64_t kept = std::min(credit, terms_.maximum - current_);
  current_ += kept;
  if (credit == kept) return;
  if (is_agent())
    take_back(credit - kept);
  else
    send_flush(context, 0, credit - kept);
}

void CreditAccount::borrow(TerminationContext& context) {
  if (borrowing_) return;
  ++borrows_;
  if (is_agent()) {
    issued_ += terms_.initial;
    earn(context, terms_.initial);
    return;
  }
  borrowing_ = true;
  context.send(0, kBorrow, terms_.control_bytes);
}

void CreditAccount::lend(TerminationContext& context, Rank borrower) {
  invariant(is_agent(), "a process that is not the agent lends credit");
  issued_ += terms_.initial;
  context.send(borrower, kGrant, terms_.control_bytes).payload.put(terms_.initial);
}

void CreditAccount::on_grant(TerminationContext& context, const Message& grant) {
  invariant(borrowing_, "credit is granted to a process that has not asked");
  borrowing_ = false;
  earn(context, carried(grant));
}

void CreditAccount::delay(const Message& message) {
  delayed_.push_back(message);
  ++delays_;
}

void CreditAccount::flush(TerminationContext& context, Rank to) {
  if (is_agent()) {
    take_back(std::exchange(current_, 0));
    detect(context);
  } else if (delayed_.empty() && current_ != 0) {
    ++flushes_;
    send_flush(context, to, std::exchange(current_, 0));
  }
}

void CreditAccount::take_back(std::int64_t credit) {
  returned_ = sum(returned_, static_cast<std::uint64_t>(credit));
  invariant(returned_ <= issued_ || terms_.wraps,
            "more credit comes back than the agent has issued");
}

void CreditAccount::send_flush(TerminationContext& context, Rank to, std::int64_t credit) const {
  context.send(to, kFlush, terms_.control_bytes).payload.put(credit);
}

void CreditAccount::detect(TerminationContext& context) const {
  if (returned_ == issued_) announce(context);
}

void CreditAccount::announce(TerminationContext& context) const {
  tree_.announce(context, kAnnounce, terms_.control_bytes);
}

void CreditAccount::report(MetricTotals& totals) const {
  DetectorStatistics{.borrows = borrows_, .flushes = flushes_, .delayed_messages = delays_}.report(
      totals);
}

// Only the credit that the agent has issued and not got back makes a difference. Borrows, flushes
// and delays are only for the report.
void CreditAccount::digest(Digest& into) const {
  into.add(current_, borrowing_, delayed_, sum(issued_, -static_cast<std::uint64_t>(returned_)));
}

std::string CreditAccount::waiting_for() const {
  if (borrowing_) return "credit from the agent";
  if (is_agent() && returned_ != issued_)
    return std::to_string(sum(issued_, -static_cast<std::uint64_t>(returned_))) +
           " credit to come back";
  return {};
}

}  // namespace faultline::termination
