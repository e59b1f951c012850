// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "protocols/termination/rel_state.hpp"

namespace faultline::termination {

/// RELLAZY (adoption-2013 section 6.2): as INDEP, but a failed potential grandchild that was
/// exterior is written off. Survives all failures, except of a process and an interior child of it,
/// and of an adopted child that has not disengaged yet: its children do not know their new
/// grandparent.
class RelLazy final : public TerminationDetector {
 public:
  using Options = RelOptions;
  RelLazy(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : state_(job, self, *options), strict_(options->adopted_child_fails == "strict") {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<RelLazy>(*this);
  }

  void start(TerminationContext& context) override { state_.adoption.start(context); }
  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override { state_.try_disengage(context); }
  void on_message(TerminationContext& context, const Message& message) override;
  void on_peer_failed(TerminationContext& context, Incarnation peer) override;
  void on_flushed(TerminationContext& context, Incarnation peer) override;
  [[nodiscard]] Rank parent() const override { return state_.adoption.parent; }
  void report(MetricTotals& totals) const override { state_.adoption.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return state_.adoption.waiting_for(); }

 private:
  void digest_state(Digest& into) const override { into.add(state_); }
  void failure_happened(TerminationContext& context, Rank failed);
  void try_engage_grandchild(TerminationContext& context, const HeldQuery& held);
  void reply_to_grandparent(const TerminationContext& context, const Message& message);

  RelState state_;
  bool strict_;
};

}  // namespace faultline::termination
