// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/cda.hpp"

#include <algorithm>
#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

using namespace credit;

constexpr std::uint64_t kFlushTimer = 0;

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
              {.doc = "C_borrow: an active process with less credit than this asks for more ahead "
                      "of need; 0: it asks only when a message has to wait",
               .unit = "credit",
               .source = "termination-2022 section 4 gives no value; the published module uses 0",
               .minimum = 0,
               .maximum = kLargest})
      .option(
          "maximum_credit", &CdaOptions::maximum_credit,
          {.doc = "largest credit that a process holds; it returns credit above that to the agent "
                  "at once",
           .unit = "credit",
           .source = "termination-2022 section 4 (overflow); value assumed",
           .minimum = 2,
           .maximum = kLargest})
      .option("published_division", &CdaOptions::published_division,
              {.doc = "compare C_con with what would remain after an equal share, as the published "
                      "module does, instead of with the present credit",
               .source = "published module (PaRSEC termdet/cda), without its underflow"})
      .option("flush_delay_s", &CdaOptions::flush_delay_s,
              {.doc = "an idle rank returns its credit when the credit has not changed for this "
                      "long; 0: at once",
               .unit = "s",
               .source = "termination-2022 section 4 (at once); the published module has 0.1",
               .minimum = 0,
               .maximum = 1e6})
      .option("merge_arity", &CdaOptions::merge_arity,
              {.doc = "arity of the tree up which flushes go until they reach an active rank; 0: "
                      "they go straight to the agent",
               .source = "termination-2022 section 4 (straight); the published module has 32",
               .minimum = 0,
               .maximum = 1e6})
      .option(
          "merge_while_idle", &CdaOptions::merge_while_idle,
          {.doc = "an idle rank also keeps the credit that comes up that tree, and returns it with "
                  "its own after a new flush_delay_s; else it passes it on at once",
           .source = "a reading of the published module, whose delay starts anew at any change"})
      .option("control_bytes", &CdaOptions::control_bytes,
              {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"})
      .option("as_printed", &CdaOptions::as_printed,
              {.doc = "points at which the detector does what the published module does, although "
                      "it is wrong (gallery.md). `unsigned-difference`: credit and its differences "
                      "have no sign; needs published_division",
               .source = "published module (PaRSEC termdet/cda)",
               .choices = {"unsigned-difference"}});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape&) {
  std::vector<OptionProblem> problems;
  if (std::get<std::int64_t>(values.at("maximum_credit")) <
      std::get<std::int64_t>(values.at("initial_credit")))
    problems.push_back({"maximum_credit", "expected at least initial_credit"});
  if (names(std::get<ChosenWords>(values.at("as_printed")), "unsigned-difference") &&
      !std::get<bool>(values.at("published_division")))
    problems.push_back({"as_printed", "\"unsigned-difference\" needs published_division"});
  return problems;
}

constexpr MetricSpec kMerges{"merges", Merge::sum,
                             "how often an idle process kept credit that came with a message"};

const Registered registered{registration<Cda>(
    {.family = Family::termination,
     .name = "cda",
     .summary =
         "credit distribution for HPC: messages carry shares of credit, idle ranks return it",
     .source = "termination-2022 section 4",
     .traits = TerminationTraits{.announces = true, .has_images = true},
     .message_kinds = {"flush", "borrow", "grant", "announce"},
     .metrics = detector_metrics({&kMerges}),
     .check = check},
    options())};

}  // namespace

Cda::Cda(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      account_({.initial = options_->initial_credit,
                .maximum = options_->maximum_credit,
                .control_bytes = options_->control_bytes,
                .wraps = names(options_->as_printed, "unsigned-difference")},
               job, self),
      self_(self),
      unsigned_difference_(names(options_->as_printed, "unsigned-difference")) {}

std::unique_ptr<Component> Cda::clone() const { return std::make_unique<Cda>(*this); }

// w_i = C/S if C > C_con, else min(C/S, W_con), at least 1, with the credit and the shares at the
// moment of the emission: "credit is divided uniformly among all outstanding emissions".
std::int64_t Cda::uniform_share(std::int64_t shares) const {
  const std::int64_t credit = account_.current();
  const std::int64_t equal = std::max<std::int64_t>(1, credit / std::max<std::int64_t>(1, shares));
  return credit > options_->conservation_credit ? equal
                                                : std::min(equal, options_->conservation_share);
}

// The last share takes the remainder, too: "sending the whole locally available credit along with
// pending terminal emissions".
void Cda::give(Message& message, std::int64_t shares, std::int64_t uniform) {
  if (shares == 1) return account_.put_on(message, account_.current());
  account_.put_on(message, options_->published_division ? published_share(shares) : uniform);
}

// The published module decides by what would remain, and gives small shares while one unit remains
// for each other share. It computes C - 64 without a sign, so that a process with less credit than
// that hands out more than it owns; here the difference has a sign.
std::int64_t Cda::published_share(std::int64_t shares) const {
  if (unsigned_difference_) return unsigned_share(static_cast<std::uint64_t>(shares));
  const std::int64_t credit = account_.current();
  const std::int64_t equal = std::max<std::int64_t>(1, credit / shares);
  if (credit - equal > options_->conservation_credit) return equal;
  return credit - options_->conservation_share >= shares - 1 ? options_->conservation_share : equal;
}

// With less credit than W_con, credit - W_con is huge. The process then gives W_con, and what it
// keeps is less than nothing, modulo 2^64.
std::int64_t Cda::unsigned_share(std::uint64_t shares) const {
  const auto credit = static_cast<std::uint64_t>(account_.current());
  const std::uint64_t equal = std::max<std::uint64_t>(1, credit / shares);
  if (credit - equal > static_cast<std::uint64_t>(options_->conservation_credit))
    return static_cast<std::int64_t>(equal);
  const auto small = static_cast<std::uint64_t>(options_->conservation_share);
  return static_cast<std::int64_t>((credit - small) / (shares - 1) > 0 ? small : equal);
}

// "The minimum credit that a primary message may safely carry is 1", and one unit stays behind
// unless the message is the last one of a process that goes idle.
bool Cda::divisible(std::int64_t shares) const {
  const std::int64_t credit = account_.current();
  return credit >= (shares == 1 ? 1 : 2) || credit < 0;
}

// S counts every message of the batch, the messages that wait already, and one if the process stays
// active. A message without divisible credit waits; the agent creates the credit that it lacks.
void Cda::on_sends(TerminationContext& context, std::span<Message* const> batch,
                   bool still_active) {
  auto shares = static_cast<std::int64_t>(batch.size() + account_.delayed()) +
                static_cast<std::int64_t>(still_active);
  std::int64_t uniform = uniform_share(shares);
  for (Message* message : batch) {
    while (account_.is_agent() && !divisible(shares)) {
      account_.borrow(context);
      uniform = uniform_share(shares);
    }
    if (account_.delayed() > 0 || !divisible(shares)) {
      account_.delay(*message);
      continue;
    }
    give(*message, shares--, uniform);
    context.forward(*message);
  }
  if (account_.delayed() > 0 ||
      (still_active && account_.current() < options_->borrow_below_credit))
    account_.borrow(context);
}

void Cda::send_delayed(TerminationContext& context, bool still_active) {
  auto shares =
      static_cast<std::int64_t>(account_.delayed()) + static_cast<std::int64_t>(still_active);
  const std::int64_t uniform = uniform_share(shares);
  account_.send_delayed(context, [&](Message& message) {
    if (!divisible(shares)) return false;
    give(message, shares--, uniform);
    return true;
  });
}

// Delayed emissions wait "until credit is acquired - either from the root through a borrow or from
// an incoming message" (section 6.3.3).
Passage Cda::on_receive(TerminationContext& context, Message& message) {
  if (options_->flush_delay_s > 0.0) context.cancel_timer(kFlushTimer);
  account_.take_off(context, message);
  if (account_.delayed() > 0) send_delayed(context, true);
  return Passage::deliver;
}

// The published module waits to see whether the process stays idle with the same credit.
void Cda::on_idle(TerminationContext& context) {
  if (options_->flush_delay_s > 0.0 && account_.current() > 0)
    context.set_timer(kFlushTimer, options_->flush_delay_s);
  else
    account_.flush(context, flush_target());
}

void Cda::on_timer(TerminationContext& context, std::uint64_t) {
  if (!context.active()) account_.flush(context, flush_target());
}

Rank Cda::flush_target() const {
  return options_->merge_arity == 0 || self_ == 0 ? 0 : (self_ - 1) / options_->merge_arity;
}

void Cda::on_message(TerminationContext& context, const Message& message) {
  switch (message.kind) {
    case kFlush:
      on_flush(context, credit::carried(message));
      break;
    case kBorrow:
      account_.lend(context, message.from);
      break;
    case kGrant:
      account_.on_grant(context, message);
      send_delayed(context, context.active());
      if (!context.active()) on_idle(context);
      break;
    default:
      invariant(message.kind == kAnnounce, "a control message has an unknown kind");
      account_.announce(context);
  }
}

// In the published module's merge tree, a process that still has work keeps what its children
// return, and an idle one passes it on: at once, or, since any change of its credit makes it wait
// anew, with its own when that wait is over.
void Cda::on_flush(TerminationContext& context, std::int64_t credit) {
  if (account_.is_agent()) {
    account_.take_back(credit);
    if (!context.active()) account_.detect(context);
  } else if (context.active() || account_.delayed() > 0) {
    ++merges_;
    account_.earn(context, credit);
    send_delayed(context, context.active());
  } else if (options_->merge_while_idle) {
    ++merges_;
    account_.earn(context, credit);
    on_idle(context);
  } else {
    account_.send_flush(context, flush_target(), credit);
  }
}

void Cda::report(MetricTotals& totals) const {
  account_.report(totals);
  totals.put(kMerges, merges_);
}

}  // namespace faultline::termination
