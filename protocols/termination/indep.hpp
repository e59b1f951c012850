// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "protocols/termination/adoption.hpp"

namespace faultline::termination {

struct IndepOptions {
  std::uint64_t control_bytes = 16;
  ChosenWords as_printed;
};

/// INDEP (adoption-2013 section 5): parental responsibility in which a process tells its parent of
/// every potential child before it sends to it. If the process fails, its parent adopts its
/// children. Survives the failures of processes that have not sent to each other.
class Indep final : public TerminationDetector {
 public:
  using Options = IndepOptions;
  Indep(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : adoption_(job, self, options->control_bytes, AdoptionAsPrinted(options->as_printed)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Indep>(*this);
  }

  void start(TerminationContext& context) override { adoption_.start(context); }
  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override { try_disengage(context); }
  void on_message(TerminationContext& context, const Message& message) override;
  void on_peer_failed(TerminationContext& context, Incarnation peer) override;
  void on_flushed(TerminationContext& context, Incarnation peer) override;
  [[nodiscard]] Rank parent() const override { return adoption_.parent; }
  void report(MetricTotals& totals) const override { adoption_.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return adoption_.waiting_for(); }

 private:
  void digest_state(Digest& into) const override { into.add(adoption_); }
  bool will_send_to(TerminationContext& context, Rank successor);
  void try_disengage(TerminationContext& context);
  void failure_happened(TerminationContext& context, Rank failed);
  void try_engage_grandchild(TerminationContext& context, const HeldQuery& held);
  void settle(TerminationContext& context);

  Adoption adoption_;
};

}  // namespace faultline::termination
