// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/termination/credit_account.hpp"
#include "sim/core/component.hpp"
#include "sim/core/options.hpp"

namespace faultline::termination {

struct CdaOptions {
  std::int64_t initial_credit = std::int64_t{1} << 32;
  std::int64_t conservation_credit = 4096;
  std::int64_t conservation_share = 64;
  std::int64_t borrow_below_credit = 0;
  std::int64_t maximum_credit = std::int64_t{1} << 52;
  bool published_division = false;
  double flush_delay_s = 0.0;
  std::uint32_t merge_arity = 0;
  bool merge_while_idle = false;
  std::uint64_t control_bytes = 16;
  ChosenWords as_printed;
};

/// The credit distribution algorithm for HPC (CDA) of termination-2022 section 4. Rank 0 is the
/// controlling agent. Messages carry integer credit, divided among all simultaneous emissions; the
/// last message of a process that goes idle carries all that is left.
class Cda final : public TerminationDetector {
 public:
  using Options = CdaOptions;
  Cda(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override;
  void on_message(TerminationContext& context, const Message& message) override;
  void on_timer(TerminationContext& context, std::uint64_t key) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override { return account_.waiting_for(); }
  [[nodiscard]] std::optional<Conserved> conserved() const override {
    return unsigned_difference_ ? std::nullopt : std::optional(account_.conserved());
  }
  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    return credit::carried(message);
  }

 private:
  /// Leaves out merges, which are only for the report.
  void digest_state(Digest& into) const override { into.add(account_); }
  [[nodiscard]] std::int64_t uniform_share(std::int64_t shares) const;
  [[nodiscard]] std::int64_t published_share(std::int64_t shares) const;
  [[nodiscard]] std::int64_t unsigned_share(std::uint64_t shares) const;
  [[nodiscard]] bool divisible(std::int64_t shares) const;
  [[nodiscard]] Rank flush_target() const;
  void give(Message& message, std::int64_t shares, std::int64_t uniform);
  void send_delayed(TerminationContext& context, bool still_active);
  void on_flush(TerminationContext& context, std::int64_t credit);

  std::shared_ptr<const Options> options_;
  CreditAccount account_;
  Rank self_;
  bool unsigned_difference_;  ///< as in the published module: see published_share
  std::uint32_t merges_ = 0;
};

}  // namespace faultline::termination
