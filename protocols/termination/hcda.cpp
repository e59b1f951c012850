// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/hcda.hpp"

#include <utility>

#include "protocols/termination/credit_account.hpp"
#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

using namespace credit;

OptionSet<HcdaOptions> options() {
  return OptionSet<HcdaOptions>()
      .option("credit", &HcdaOptions::credit,
              {.doc = "`huang`: integers, halved for each message and borrowed when they run out; "
                      "`mattern`: powers of two, and active receivers return what messages carry; "
                      "`own-currency`: a process that has run out issues credit of its own",
               .source = "termination-2022 section 3.4",
               .choices = {"huang", "mattern", "own-currency"}})
      .option("initial_credit", &HcdaOptions::initial_credit,
              {.doc = "C_init: credit of each process at the start, of one grant, and of one issue "
                      "of an own currency; `mattern` does not use it",
               .unit = "credit",
               .source = "termination-2022 section 5.2",
               .minimum = 1,
               .maximum = 4294967296.0})
      .option("control_bytes", &HcdaOptions::control_bytes,
              {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"});
}

using Maker = decltype(&make_huang);

Maker maker_of(const std::string& credit) {
  if (credit == "mattern") return make_mattern;
  return credit == "own-currency" ? make_own_currency : make_huang;
}

ComponentFactory factory(const OptionValues& values, const JobShape& job) {
  const auto read = std::make_shared<const HcdaOptions>(options().read(values));
  return [read, job, make = maker_of(read->credit)](ActorId self) { return make(read, job, self); };
}

const Registered registered{
    {.family = Family::termination,
     .name = "hcda",
     .summary = "credit distribution as first proposed: each message takes half of the credit",
     .source = "termination-2022 section 3.4; Huang 1989, Mattern 1989",
     .traits = TerminationTraits{.announces = true, .has_images = true},
     .options = options().specs(),
     .message_kinds = {"flush", "borrow", "grant", "announce"},
     .metrics = detector_metrics({&kSubcalls}),
     .make = factory}};

class Huang final : public TerminationDetector {
 public:
  Huang(const HcdaOptions& options, const JobShape& job, Rank self)
      : account_({.initial = options.initial_credit, .control_bytes = options.control_bytes}, job,
                 self) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Huang>(*this);
  }

  // An active process always holds some credit; a message that would take its last unit waits.
  void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
    for (Message* message : batch) {
      if (!divisible() && account_.is_agent()) account_.borrow(context);
      if (account_.delayed() > 0 || !divisible()) {
        account_.delay(*message);
        continue;
      }
      give_half(*message);
      context.forward(*message);
    }
    if (account_.delayed() > 0) account_.borrow(context);
  }

  Passage on_receive(TerminationContext& context, Message& message) override {
    account_.take_off(context, message);
    if (account_.delayed() > 0) send_delayed(context);
    return Passage::deliver;
  }

  // "When a process becomes idle, it returns its entire stash of credit."
  void on_idle(TerminationContext& context) override { account_.flush(context, 0); }

  void on_message(TerminationContext& context, const Message& message) override {
    switch (message.kind) {
      case kFlush:
        account_.take_back(carried(message));
        if (!context.active()) account_.detect(context);
        break;
      case kBorrow:
        account_.lend(context, message.from);
        break;
      case kGrant:
        account_.on_grant(context, message);
        send_delayed(context);
        if (!context.active()) on_idle(context);
        break;
      default:
        invariant(message.kind == kAnnounce, "a control message has an unknown kind");
        account_.announce(context);
    }
  }

  void report(MetricTotals& totals) const override { account_.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return account_.waiting_for(); }
  [[nodiscard]] std::optional<Conserved> conserved() const override { return account_.conserved(); }
  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    return carried(message);
  }

 private:
  void digest_state(Digest& into) const override { into.add(account_); }
  [[nodiscard]] bool divisible() const { return account_.current() >= 2; }
  void give_half(Message& message) { account_.put_on(message, account_.current() / 2); }
  void send_delayed(TerminationContext& context) {
    account_.send_delayed(context, [this](Message& message) {
      if (!divisible()) return false;
      give_half(message);
      return true;
    });
  }

  CreditAccount account_;
};

}  // namespace

std::unique_ptr<Component> make_huang(const SharedHcdaOptions& options, const JobShape& job,
                                      Rank self) {
  return std::make_unique<Huang>(*options, job, self);
}

}  // namespace faultline::termination
