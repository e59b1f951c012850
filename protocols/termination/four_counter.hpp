// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/component.hpp"

namespace faultline::termination {

struct FourCounterOptions {
  std::string restart = "immediate";
  std::uint64_t control_bytes = 24;
};

/// The four-counter wave algorithm (4C) of termination-2022 section 3.2: waves of STOP up the
/// control tree add up how many messages were sent and received. All work is over when these two
/// sums are equal, and equal to those of the wave before.
class FourCounter final : public TerminationDetector {
 public:
  using Options = FourCounterOptions;
  FourCounter(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override;
  void on_message(TerminationContext& context, const Message& message) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  enum class State : std::uint8_t { up, down };

  void digest_state(Digest& into) const override;
  void try_stop(TerminationContext& context);
  void decide(TerminationContext& context);
  void repeat(TerminationContext& context);
  void announce(TerminationContext& context) const;

  std::shared_ptr<const Options> options_;
  ControlTree tree_;
  Rank self_;
  State state_ = State::up;
  bool idle_ = false;
  bool repeat_waits_ = false;      ///< idle-paced: a REPEAT has come while active
  std::uint32_t stops_ = 0;        ///< children whose STOP this wave has
  std::int64_t sent_ = 0;          ///< s_p
  std::int64_t received_ = 0;      ///< r_p
  std::int64_t subtree_sent_ = 0;  ///< of the children, this wave
  std::int64_t subtree_received_ = 0;
  std::int64_t previous_sent_ = -1;  ///< root: the last wave's sums; -1 before the first
  std::int64_t previous_received_ = -1;
  std::uint64_t waves_ = 0;  ///< root
};

}  // namespace faultline::termination
