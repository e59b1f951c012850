#include "protocols/termination/hcda_currencies.hpp"

#include <utility>

namespace faultline {

using namespace hcda;

// The agent's currency is the one in which all processes hold their initial credit.
HcdaCurrencies::HcdaCurrencies(std::shared_ptr<const Options> options, const JobShape& job,
                               Rank self)
    : options_(std::move(options)), tree_{job.processes}, self_(self) {
  if (is_agent()) issued_ = options_->initial_credit * job.processes;
  earn(0, options_->initial_credit);
}

std::unique_ptr<Component> HcdaCurrencies::clone() const {
  return std::make_unique<HcdaCurrencies>(*this);
}

void HcdaCurrencies::on_sends(Context& context, std::span<Message* const> batch, bool) {
  if (!is_agent() && foreign_.empty() && issued_ == 0) {
    context.fatal("a process without credit sent a message");
    return;
  }
  for (Message* message : batch) {
    Rank issuer = self_;
    std::int64_t& credit = divisible_credit(issuer);
    const std::int64_t half = credit / 2;
    credit -= half;
    message->termination = {static_cast<std::uint64_t>(half), issuer};
    context.forward(*message);
  }
}

/// Credit of which a message can take half: what others issued, as long as it can be divided, and
/// else the own currency.
std::int64_t& HcdaCurrencies::divisible_credit(Rank& issuer) {
  for (auto& [from, credit] : foreign_) {
    if (credit < 2) continue;
    issuer = from;
    return credit;
  }
  while (own_ < 2) issue();
  return own_;
}

// The cover is chosen once per subcall, from credit that is itself covered up to the agent: so
// covers form a tree, and no two issuers wait for each other.
void HcdaCurrencies::issue() {
  if (!is_agent() && cover_issuer_ == kNobody && !foreign_.empty()) {
    cover_issuer_ = foreign_.begin()->first;
    cover_ = foreign_.begin()->second;
    foreign_.erase(foreign_.begin());
    ++subcalls_;
  }
  issued_ += options_->initial_credit;
  own_ += options_->initial_credit;
}

void HcdaCurrencies::earn(Rank issuer, std::int64_t credit) {
  (issuer == self_ ? own_ : foreign_[issuer]) += credit;
}

Passage HcdaCurrencies::on_receive(Context&, Message& message) {
  earn(static_cast<Rank>(message.termination.second),
       static_cast<std::int64_t>(message.termination.first));
  message.termination = {};
  return Passage::deliver;
}

void HcdaCurrencies::on_idle(Context& context) {
  for (const auto& [issuer, credit] : std::exchange(foreign_, {}))
    give_back(context, issuer, credit);
  try_conclude(context);
}

void HcdaCurrencies::give_back(Context& context, Rank issuer, std::int64_t credit) {
  ++flushes_;
  context.send(issuer, kFlush, options_->control_bytes).payload.put(credit);
}

void HcdaCurrencies::on_message(Context& context, const Message& message) {
  if (message.kind == kAnnounce) {
    announce(context);
    return;
  }
  own_ += message.payload.get<std::int64_t>();
  if (!context.active()) try_conclude(context);
}

// "Returns its weight to the initiator when it has become passive and its subcall has terminated."
void HcdaCurrencies::try_conclude(Context& context) {
  if (own_ != issued_) return;
  if (is_agent()) {
    announce(context);
  } else if (cover_issuer_ != kNobody) {
    own_ = issued_ = 0;
    give_back(context, std::exchange(cover_issuer_, kNobody), std::exchange(cover_, 0));
  }
}

void HcdaCurrencies::announce(Context& context) {
  tree_.for_each_child(
      self_, [&](Rank child) { context.send(child, kAnnounce, options_->control_bytes); });
  context.announce();
}

std::optional<Conserved> HcdaCurrencies::conserved() const {
  std::int64_t held = own_ + cover_;
  for (const auto& [issuer, credit] : foreign_) held += credit;
  return Conserved{held, issued_};
}

std::int64_t HcdaCurrencies::conserved_in(const Message& message) const {
  if (message.channel == Family::workload)
    return static_cast<std::int64_t>(message.termination.first);
  const bool carries = message.channel == Family::termination && message.kind == kFlush;
  return carries ? message.payload.get<std::int64_t>() : 0;
}

void HcdaCurrencies::report(Metrics& metrics) const {
  metrics.add("borrows", 0);
  metrics.add("flushes", flushes_);
  metrics.add("delayed_messages", 0);
  metrics.add("subcalls", subcalls_);
}

std::string HcdaCurrencies::waiting_for() const {
  if (own_ == issued_) return {};
  return std::to_string(issued_ - own_) + " of its currency to come back";
}

}  // namespace faultline
