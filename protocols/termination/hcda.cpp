#include "protocols/termination/hcda.hpp"

#include "protocols/termination/hcda_currencies.hpp"
#include "protocols/termination/hcda_mattern.hpp"

namespace faultline {

namespace {

using namespace hcda;

OptionSet<HcdaOptions> options() {
  return OptionSet<HcdaOptions>()
      .option("credit", &HcdaOptions::credit,
              {.doc = "`huang`: integers, halved per message, borrowed when they run out; "
                      "`mattern`: powers of two, and active receivers return what messages carry; "
                      "`own-currency`: a process that has run out issues credit of its own",
               .source = "termination-2022 section 3.4",
               .choices = {"huang", "mattern", "own-currency"}})
      .option("initial_credit", &HcdaOptions::initial_credit,
              {.doc = "C_init: credit of each process at the start, of one grant, and of one issue "
                      "of an own currency; `mattern` has no use for it",
               .unit = "credit",
               .source = "termination-2022 section 5.2",
               .minimum = 1,
               .maximum = 4294967296.0})
      .option("control_bytes", &HcdaOptions::control_bytes,
              {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"});
}

template <class Variant>
ComponentFactory factory(const OptionValues& values, const JobShape& job) {
  const auto read = std::make_shared<const HcdaOptions>(options().read(values));
  return [read, job](ActorId self) -> std::unique_ptr<Component> {
    return std::make_unique<Variant>(read, job, self);
  };
}

Registration registration_of_variants() {
  Registration all = registration<Hcda>(
      {.family = Family::termination,
       .name = "hcda",
       .summary = "credit distribution as first proposed: each message takes half of the credit",
       .source = "termination-2022 section 3.4; Huang 1989, Mattern 1989",
       .traits = {.announces = true},
       .message_kinds = {"flush", "borrow", "grant", "announce"}},
      options());
  all.make = [](const OptionValues& values, const JobShape& job) {
    const auto& credit = std::get<std::string>(values.at("credit"));
    if (credit == "mattern") return factory<HcdaMattern>(values, job);
    if (credit == "own-currency") return factory<HcdaCurrencies>(values, job);
    return factory<Hcda>(values, job);
  };
  return all;
}

const Registered registered{registration_of_variants()};

}  // namespace

Hcda::Hcda(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      tree_{job.processes},
      self_(self),
      credit_(options_->initial_credit) {
  if (is_agent()) issued_ = options_->initial_credit * job.processes;
}

std::unique_ptr<Component> Hcda::clone() const { return std::make_unique<Hcda>(*this); }

// An active process always holds some credit; a message that would take its last unit waits.
void Hcda::on_sends(Context& context, std::span<Message* const> batch, bool) {
  for (Message* message : batch) {
    if (!divisible() && is_agent()) borrow(context);
    if (!delayed_.empty() || !divisible()) {
      delayed_.push_back(*message);
      ++delays_;
      continue;
    }
    give_half(*message);
    context.forward(*message);
  }
  if (!delayed_.empty()) borrow(context);
}

void Hcda::give_half(Message& message) {
  const std::int64_t half = credit_ / 2;
  message.termination.first = static_cast<std::uint64_t>(half);
  credit_ -= half;
}

void Hcda::send_delayed(Context& context) {
  std::size_t sent = 0;
  while (sent < delayed_.size() && divisible()) {
    give_half(delayed_[sent]);
    context.release(delayed_[sent++]);
  }
  delayed_.erase(delayed_.begin(), delayed_.begin() + static_cast<std::ptrdiff_t>(sent));
  if (!delayed_.empty()) borrow(context);
}

// The agent creates credit for itself without a message.
void Hcda::borrow(Context& context) {
  if (borrowing_) return;
  ++borrows_;
  if (is_agent()) {
    issued_ += options_->initial_credit;
    credit_ += options_->initial_credit;
    return;
  }
  borrowing_ = true;
  context.send(0, kBorrow, options_->control_bytes);
}

Passage Hcda::on_receive(Context& context, Message& message) {
  credit_ += static_cast<std::int64_t>(message.termination.first);
  message.termination.first = 0;
  if (!delayed_.empty()) send_delayed(context);
  return Passage::deliver;
}

// "When a process becomes idle, it returns its entire stash of credit." What waits for credit
// keeps it.
void Hcda::on_idle(Context& context) {
  if (is_agent()) {
    returned_ += std::exchange(credit_, 0);
    detect(context);
  } else if (delayed_.empty() && credit_ > 0) {
    ++flushes_;
    context.send(0, kFlush, options_->control_bytes).payload.put(std::exchange(credit_, 0));
  }
}

void Hcda::on_message(Context& context, const Message& message) {
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
      credit_ += message.payload.get<std::int64_t>();
      send_delayed(context);
      if (!context.active()) on_idle(context);
      break;
    default:
      announce(context);
  }
}

void Hcda::detect(Context& context) {
  if (returned_ == issued_) announce(context);
}

void Hcda::announce(Context& context) {
  tree_.for_each_child(
      self_, [&](Rank child) { context.send(child, kAnnounce, options_->control_bytes); });
  context.announce();
}

std::optional<Conserved> Hcda::conserved() const { return Conserved{credit_ + returned_, issued_}; }

std::int64_t Hcda::conserved_in(const Message& message) const {
  if (message.channel == Family::workload)
    return static_cast<std::int64_t>(message.termination.first);
  const bool carries =
      message.channel == Family::termination && (message.kind == kFlush || message.kind == kGrant);
  return carries ? message.payload.get<std::int64_t>() : 0;
}

void Hcda::report(Metrics& metrics) const {
  metrics.add("borrows", borrows_);
  metrics.add("flushes", flushes_);
  metrics.add("delayed_messages", delays_);
}

std::string Hcda::waiting_for() const {
  if (borrowing_) return "credit from the agent";
  if (is_agent() && returned_ != issued_)
    return std::to_string(issued_ - returned_) + " credit to come back";
  return {};
}

}  // namespace faultline
