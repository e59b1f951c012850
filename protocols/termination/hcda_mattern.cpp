// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/control_tree.hpp"
#include "protocols/termination/credit_account.hpp"
#include "protocols/termination/detector_statistics.hpp"
#include "protocols/termination/hcda.hpp"
#include "protocols/termination/power_sum.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

using namespace credit;

/// 2^-Y modulo the auditor's modulus 2^61 - 1, where 2 has an inverse since 2^61 is 1.
std::int64_t residue(std::uint64_t exponent) {
  return std::int64_t{1} << ((61 - exponent % 61) % 61);
}

/// The credit that a message carries: 2^-exponent of the unit, if it carries any.
struct Share {
  std::uint64_t exponent = 0;
  std::uint64_t is_there = 0;
};

// The paper's unit is the initial credit times 2^q, with 2^(q-1) < P <= 2^q. Here it is the initial
// credit of one process, so that exponents start at 0 and C_total is P: the same up to a factor.
class Mattern final : public TerminationDetector {
 public:
  Mattern(SharedHcdaOptions options, const JobShape& job, Rank self)
      : options_(std::move(options)), tree_{job.processes}, self_(self) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Mattern>(*this);
  }

  // "Sending a message splits the weight by incrementing Y": both halves have the new one.
  void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
    if (!exponent_) {
      context.fatal("a process without credit sent a message");
      return;
    }
    for (Message* message : batch) {
      message->termination.put(Share{++*exponent_, 1});
      context.forward(*message);
    }
  }

  // "An active node receiving a basic message returns the message-carried credit to the collecting
  // agent"; an idle one keeps it.
  Passage on_receive(TerminationContext& context, Message& message) override {
    const auto share = message.termination.get<Share>();
    invariant(share.is_there == 1, "a message carries no credit");
    message.termination.clear();
    if (exponent_)
      give_to_agent(context, share.exponent);
    else
      exponent_ = share.exponent;
    return Passage::deliver;
  }

  void on_idle(TerminationContext& context) override {
    if (exponent_) {
      give_to_agent(context, *exponent_);
      exponent_.reset();
    }
    if (is_agent()) detect(context);
  }

  void on_message(TerminationContext& context, const Message& message) override {
    if (message.kind == kAnnounce) {
      announce(context);
      return;
    }
    invariant(message.kind == kFlush, "a control message has an unknown kind");
    take_back(message.payload.get<std::uint64_t>());
    if (!context.active()) detect(context);
  }

  [[nodiscard]] std::optional<Conserved> conserved() const override {
    const std::int64_t held = exponent_ ? residue(*exponent_) : 0;
    return Conserved{(held + returned_residue_) % kConservedModulus,
                     is_agent() ? std::int64_t{tree_.processes} : 0};
  }

  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    if (message.channel == Family::workload) {
      const auto share = message.termination.get<Share>();
      return share.is_there == 1 ? residue(share.exponent) : 0;
    }
    const bool carries = message.channel == Family::termination && message.kind == kFlush;
    return carries ? residue(message.payload.get<std::uint64_t>()) : 0;
  }

  void report(MetricTotals& totals) const override {
    DetectorStatistics{.flushes = flushes_}.report(totals);
  }

  [[nodiscard]] std::string waiting_for() const override {
    return is_agent() && returned_.whole() != tree_.processes ? "credit to come back" : "";
  }

 private:
  // Leaves out the residue, which follows from the sum, and flushes, which are only for the report.
  void digest_state(Digest& into) const override { into.add(exponent_, returned_); }
  [[nodiscard]] bool is_agent() const { return self_ == 0; }

  void give_to_agent(TerminationContext& context, std::uint64_t exponent) {
    if (is_agent()) {
      take_back(exponent);
      return;
    }
    ++flushes_;
    context.send(0, kFlush, options_->control_bytes).payload.put(exponent);
  }

  void take_back(std::uint64_t exponent) {
    returned_.add(exponent);
    returned_residue_ = (returned_residue_ + residue(exponent)) % kConservedModulus;
  }

  void detect(TerminationContext& context) const {
    const auto whole = returned_.whole();
    if (!whole) return;
    invariant(*whole <= tree_.processes, "more credit comes back than there is");
    if (*whole == tree_.processes) announce(context);
  }
  void announce(TerminationContext& context) const {
    tree_.announce(context, kAnnounce, options_->control_bytes);
  }

  SharedHcdaOptions options_;
  ControlTree tree_;
  Rank self_;
  std::optional<std::uint64_t> exponent_ = 0;  ///< Y of the credit held, less the initial one
  PowerSum returned_;                          ///< agent
  std::int64_t returned_residue_ = 0;          ///< agent: residue of `returned_`, for the auditor
  std::uint64_t flushes_ = 0;
};

}  // namespace

std::unique_ptr<Component> make_mattern(const SharedHcdaOptions& options, const JobShape& job,
                                        Rank self) {
  return std::make_unique<Mattern>(options, job, self);
}

}  // namespace faultline::termination
