#include "protocols/termination/cda.hpp"

#include <algorithm>

namespace faultline {

namespace {

enum Kind : std::uint16_t { kFlush, kBorrow, kGrant, kAnnounce };

OptionSet<CdaOptions> options() {
  constexpr double kLargest = 4503599627370496.0;  // 2^52: sums over a million ranks stay exact
  return OptionSet<CdaOptions>()
      .option("initial_credit", &CdaOptions::initial_credit,
              {.doc = "C_init: credit of each process at the start, and of one grant",
               .unit = "credit",
               .source = "termination-2022 section 5.2 (the published module has 2^32 - 1)",
               .minimum = 1,
               .maximum = 4294967296.0})
      .option("conservation_credit", &CdaOptions::conservation_credit,
              {.doc = "C_con: with no more credit than this, messages carry small shares",
               .unit = "credit",
               .source = "published module (PaRSEC termdet/cda): 4096",
               .minimum = 0,
               .maximum = kLargest})
      .option("conservation_share", &CdaOptions::conservation_share,
              {.doc = "W_con: largest share of a message while credit is scarce",
               .unit = "credit",
               .source = "published module (PaRSEC termdet/cda): 64",
               .minimum = 1,
               .maximum = kLargest})
      .option("borrow_below_credit", &CdaOptions::borrow_below_credit,
              {.doc = "C_borrow: an active process with less credit asks for more ahead of need; "
                      "0 asks only when a message has to wait",
               .unit = "credit",
               .source = "termination-2022 section 4 gives no value; the published module uses 0",
               .minimum = 0,
               .maximum = kLargest})
      .option("maximum_credit", &CdaOptions::maximum_credit,
              {.doc = "largest credit that a process holds; what is over goes to the agent at once",
               .unit = "credit",
               .source = "termination-2022 section 4 (overflow); value assumed",
               .minimum = 1,
               .maximum = kLargest})
      .option("control_bytes", &CdaOptions::control_bytes,
              {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape&) {
  if (std::get<std::int64_t>(values.at("maximum_credit")) >=
      std::get<std::int64_t>(values.at("initial_credit")))
    return {};
  return {{"maximum_credit", "expected at least initial_credit"}};
}

const Registered registered{registration<Cda>(
    {.family = Family::termination,
     .name = "cda",
     .summary =
         "credit distribution for HPC: messages carry shares of credit, idle ranks return it",
     .source = "termination-2022 section 4",
     .traits = {.announces = true},
     .message_kinds = {"flush", "borrow", "grant", "announce"},
     .check = check},
    options())};

}  // namespace

Cda::Cda(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      tree_{job.processes},
      self_(self),
      credit_(options_->initial_credit) {
  if (is_agent()) issued_ = options_->initial_credit * job.processes;
}

std::unique_ptr<Component> Cda::clone() const { return std::make_unique<Cda>(*this); }

// w_i = C/S if C > C_con, else min(C/S, W_con); the last share takes the remainder too.
std::int64_t Cda::share(std::int64_t shares) const {
  if (shares == 1) return credit_;
  const std::int64_t equal = credit_ / shares;
  return credit_ > options_->conservation_credit ? equal
                                                 : std::min(equal, options_->conservation_share);
}

// S counts every message of the batch, those that wait already, and one if the process stays
// active. Each message needs a share of at least 1: with less credit than shares it is delayed.
void Cda::on_sends(Context& context, std::span<Message* const> batch, bool still_active) {
  auto shares = static_cast<std::int64_t>(batch.size() + delayed_.size()) +
                static_cast<std::int64_t>(still_active);
  for (Message* message : batch) {
    if (!delayed_.empty() || credit_ < shares) {
      delayed_.push_back(*message);
      ++delays_;
      continue;
    }
    message->termination.first = static_cast<std::uint64_t>(share(shares--));
    credit_ -= static_cast<std::int64_t>(message->termination.first);
    context.forward(*message);
  }
  if (!delayed_.empty() || (still_active && credit_ < options_->borrow_below_credit))
    borrow(context);
}

void Cda::send_delayed(Context& context) {
  auto shares =
      static_cast<std::int64_t>(delayed_.size()) + static_cast<std::int64_t>(context.busy());
  std::size_t sent = 0;
  while (sent < delayed_.size() && credit_ >= shares) {
    Message& message = delayed_[sent++];
    message.termination.first = static_cast<std::uint64_t>(share(shares--));
    credit_ -= static_cast<std::int64_t>(message.termination.first);
    context.release(message);
  }
  delayed_.erase(delayed_.begin(), delayed_.begin() + static_cast<std::ptrdiff_t>(sent));
  if (!delayed_.empty()) borrow(context);
}

// The agent creates credit for itself without a message.
void Cda::borrow(Context& context) {
  if (borrowing_) return;
  ++borrows_;
  if (is_agent()) {
    issued_ += options_->initial_credit;
    earn(context, options_->initial_credit);
    send_delayed(context);
    return;
  }
  borrowing_ = true;
  context.send(0, kBorrow, options_->control_bytes);
}

// "its local credit is set to the maximum, and all remaining credit is immediately returned"
void Cda::earn(Context& context, std::int64_t credit) {
  const std::int64_t kept = std::min(credit, options_->maximum_credit - credit_);
  credit_ += kept;
  if (credit > kept) give_to_agent(context, credit - kept);
}

Passage Cda::on_receive(Context& context, Message& message) {
  earn(context, static_cast<std::int64_t>(message.termination.first));
  message.termination.first = 0;
  return Passage::deliver;
}

void Cda::on_idle(Context& context) { flush(context); }

// What waits for credit keeps the credit here.
void Cda::flush(Context& context) {
  if (delayed_.empty() && credit_ > 0) {
    if (!is_agent()) ++flushes_;
    give_to_agent(context, std::exchange(credit_, 0));
  }
  if (is_agent()) detect(context);
}

void Cda::give_to_agent(Context& context, std::int64_t credit) {
  if (is_agent())
    returned_ += credit;
  else
    context.send(0, kFlush, options_->control_bytes).payload.put(credit);
}

void Cda::on_message(Context& context, const Message& message) {
  switch (message.kind) {
    case kFlush:
      returned_ += message.payload.get<std::int64_t>();
      if (!context.active()) detect(context);
      break;
    case kBorrow:
      issued_ += options_->initial_credit;
      context.send(message.from, kGrant, options_->control_bytes)
          .payload.put(options_->initial_credit);
      break;
    case kGrant:
      borrowing_ = false;
      earn(context, message.payload.get<std::int64_t>());
      send_delayed(context);
      if (!context.active()) flush(context);
      break;
    default:
      announce(context);
  }
}

// "when it again has C_total credits"
void Cda::detect(Context& context) {
  if (returned_ == issued_) announce(context);
}

void Cda::announce(Context& context) {
  tree_.for_each_child(
      self_, [&](Rank child) { context.send(child, kAnnounce, options_->control_bytes); });
  context.announce();
}

std::optional<Conserved> Cda::conserved() const { return Conserved{credit_ + returned_, issued_}; }

std::int64_t Cda::conserved_in(const Message& message) const {
  if (message.channel == Family::workload)
    return static_cast<std::int64_t>(message.termination.first);
  const bool carries =
      message.channel == Family::termination && (message.kind == kFlush || message.kind == kGrant);
  return carries ? message.payload.get<std::int64_t>() : 0;
}

void Cda::report(Metrics& metrics) const {
  metrics.add("borrows", borrows_);
  metrics.add("flushes", flushes_);
  metrics.add("delayed_messages", delays_);
}

std::string Cda::waiting_for() const {
  if (borrowing_) return "credit from the agent";
  if (is_agent() && returned_ != issued_)
    return std::to_string(issued_ - returned_) + " credit to come back";
  return {};
}

}  // namespace faultline
