// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "protocols/termination/rel_state.hpp"

namespace faultline {

/// RELLAZY (adoption-2013 section 6.2): as INDEP, but a failed potential grandchild that was
/// exterior is written off. Survives all failures, except of a process and an interior child of it,
/// and of an adopted child that has not disengaged yet: its children do not know their new
/// grandparent.
class RelLazy final : public Layer {
 public:
  using Options = RelOptions;
  RelLazy(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : state_(job, self, *options), strict_(options->adopted_child_fails == "strict") {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<RelLazy>(*this);
  }

  void start(Context& context) override { state_.adoption.start(context); }
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  Passage on_receive(Context& context, Message& message) override;
  void on_idle(Context& context) override { state_.try_disengage(context); }
  void on_message(Context& context, const Message& message) override;
  void on_peer_failed(Context& context, Incarnation peer) override;
  void on_flushed(Context& context, Incarnation peer) override;
  [[nodiscard]] Rank parent() const override { return state_.adoption.parent; }
  void report(MetricTotals& totals) const override { state_.adoption.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return state_.adoption.waiting_for(); }

 private:
  void digest_state(Digest& into) const override { into.add(state_); }
  void failure_happened(Context& context, Rank failed);
  void try_engage_grandchild(Context& context, const HeldQuery& held);
  void reply_to_grandparent(const Context& context, const Message& message);

  RelState state_;
  bool strict_;
};

}  // namespace faultline
