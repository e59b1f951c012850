// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/component.hpp"
#include "sim/core/options.hpp"

namespace faultline::termination {

struct DijkstraScholtenOptions {
  std::uint64_t control_bytes = 16;
  ChosenWords as_printed;
};

/// Parental responsibility (Dijkstra and Scholten 1980), as printed in adoption-2013 section 2:
/// every message is acknowledged. A process acknowledges the message that engaged it only when it
/// is idle and all its own messages have been acknowledged.
class DijkstraScholten : public TerminationDetector {
 public:
  using Options = DijkstraScholtenOptions;
  DijkstraScholten(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override;
  void on_message(TerminationContext& context, const Message& message) override;
  [[nodiscard]] Rank parent() const override { return parent_; }
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

  /// These check the properties of a whole run that the registration declares.
  static bool deficits_add_up(const WholeState& whole);
  static bool is_tree(const WholeState& whole);
  static bool all_engaged(const WholeState& whole);

 private:
  void digest_state(Digest& into) const override;
  void acknowledge(TerminationContext& context, Rank predecessor) const;
  void try_disengage(TerminationContext& context);
  void announce(TerminationContext& context) const;
  [[nodiscard]] bool is_root() const { return self_ == 0; }
  [[nodiscard]] bool is_engaged() const { return is_root() || parent_ != kNobody; }

  std::uint64_t control_bytes_;
  ControlTree tree_;
  Rank self_;
  bool printed_cornet_;       ///< see on_receive
  Rank parent_ = kNobody;     ///< the cornet's first entry; it leaves last
  std::int64_t D_ = 0;        ///< messages sent and not acknowledged
  std::uint64_t merged_ = 0;  ///< printed cornet: further messages in the parent's entry, C - 1
  std::uint64_t engagements_ = 0;
};

}  // namespace faultline::termination
