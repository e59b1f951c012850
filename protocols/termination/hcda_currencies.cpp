// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "protocols/termination/control_tree.hpp"
#include "protocols/termination/credit_account.hpp"
#include "protocols/termination/detector_statistics.hpp"
#include "protocols/termination/hcda.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

using namespace credit;

/// The credit that a message carries, in the currency of its issuer.
struct Coin {
  std::int64_t amount = 0;
  std::uint64_t issuer = 0;
};

// The agent's currency is the one in which all processes hold their initial credit.
class OwnCurrency final : public TerminationDetector {
 public:
  OwnCurrency(SharedHcdaOptions options, const JobShape& job, Rank self)
      : options_(std::move(options)), tree_{job.processes}, self_(self) {
    if (is_agent()) issued_ = options_->initial_credit * job.processes;
    earn(0, options_->initial_credit);
  }
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<OwnCurrency>(*this);
  }

  void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
    if (!is_agent() && foreign_.empty() && issued_ == 0) {
      context.fatal("a process without credit sent a message");
      return;
    }
    for (Message* message : batch) {
      Rank issuer = self_;
      std::int64_t& credit = divisible_credit(issuer);
      const std::int64_t half = credit / 2;
      credit -= half;
      message->termination.put(Coin{half, issuer});
      context.forward(*message);
    }
  }

  Passage on_receive(TerminationContext&, Message& message) override {
    const auto coin = message.termination.get<Coin>();
    earn(static_cast<Rank>(coin.issuer), coin.amount);
    message.termination.clear();
    return Passage::deliver;
  }

  void on_idle(TerminationContext& context) override {
    for (const auto& [issuer, credit] : std::exchange(foreign_, {}))
      give_back(context, issuer, credit);
    try_conclude(context);
  }

  void on_message(TerminationContext& context, const Message& message) override {
    if (message.kind == kAnnounce) {
      announce(context);
      return;
    }
    invariant(message.kind == kFlush, "a control message has an unknown kind");
    earn(self_, carried(message));
    if (!context.active()) try_conclude(context);
  }

  [[nodiscard]] std::optional<Conserved> conserved() const override {
    std::int64_t held = own_ + cover_;
    for (const auto& [issuer, credit] : foreign_) held += credit;
    return Conserved{held, issued_};
  }

  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    return carried(message);
  }

  void report(MetricTotals& totals) const override {
    DetectorStatistics{.flushes = flushes_}.report(totals);
    totals.put(kSubcalls, subcalls_);
  }

  [[nodiscard]] std::string waiting_for() const override {
    if (own_ == issued_) return {};
    return std::to_string(issued_ - own_) + " of its currency to come back";
  }

 private:
  // Leaves out flushes and subcalls, which are only for the report.
  void digest_state(Digest& into) const override {
    into.add(foreign_, cover_issuer_, cover_, own_, issued_);
  }
  [[nodiscard]] bool is_agent() const { return self_ == 0; }

  /// Credit of which a message can take half: credit that others issued, as long as it can be
  /// divided, or else the own currency.
  std::int64_t& divisible_credit(Rank& issuer) {
    for (auto& [from, credit] : foreign_) {
      if (credit < 2) continue;
      issuer = from;
      return credit;
    }
    while (own_ < 2) issue();
    return own_;
  }

  // The cover is chosen once per subcall, from credit that is itself covered up to the agent. So
  // covers form a tree, and no two issuers wait for each other.
  void issue() {
    if (!is_agent() && cover_issuer_ == kNobody && !foreign_.empty()) {
      cover_issuer_ = foreign_.begin()->first;
      cover_ = foreign_.begin()->second;
      foreign_.erase(foreign_.begin());
      ++subcalls_;
    }
    issued_ += options_->initial_credit;
    own_ += options_->initial_credit;
  }

  void earn(Rank issuer, std::int64_t credit) {
    (issuer == self_ ? own_ : foreign_[issuer]) += credit;
    invariant(own_ <= issued_, "more of a currency comes back than its issuer has issued");
  }

  void give_back(TerminationContext& context, Rank issuer, std::int64_t credit) {
    ++flushes_;
    context.send(issuer, kFlush, options_->control_bytes).payload.put(credit);
  }

  // "Returns its weight to the initiator when it has become passive and its subcall has
  // terminated."
  void try_conclude(TerminationContext& context) {
    if (own_ != issued_) return;
    if (is_agent()) {
      announce(context);
    } else if (cover_issuer_ != kNobody) {
      own_ = issued_ = 0;
      give_back(context, std::exchange(cover_issuer_, kNobody), std::exchange(cover_, 0));
    }
  }

  void announce(TerminationContext& context) const {
    tree_.announce(context, kAnnounce, options_->control_bytes);
  }

  SharedHcdaOptions options_;
  ControlTree tree_;
  Rank self_;
  std::map<Rank, std::int64_t> foreign_;  ///< credit held, by issuer
  Rank cover_issuer_ = kNobody;           ///< of the credit under which the own currency runs
  std::int64_t cover_ = 0;
  std::int64_t own_ = 0;     ///< own currency at home
  std::int64_t issued_ = 0;  ///< own currency created
  std::uint32_t flushes_ = 0;
  std::uint32_t subcalls_ = 0;
};

}  // namespace

std::unique_ptr<Component> make_own_currency(const SharedHcdaOptions& options, const JobShape& job,
                                             Rank self) {
  return std::make_unique<OwnCurrency>(options, job, self);
}

}  // namespace faultline::termination
