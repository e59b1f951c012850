// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/component.hpp"

namespace faultline::termination {

struct SafraOptions {
  std::uint64_t control_bytes = 16;
};

/// Safra's detector as told in EWD998 (Dijkstra, 1987): a token goes round the ring of processes
/// and sums up how many messages each has sent and not received; a process that has received
/// something since its last visit blackens it, and with that visit nothing is proved.
class Safra final : public TerminationDetector {
 public:
  using Options = SafraOptions;
  Safra(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override;
  void on_message(TerminationContext& context, const Message& message) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

  /// The invariant of EWD998.
  static bool is_sound(const WholeState& whole);

 private:
  struct Token {
    std::int64_t q = 0;      ///< sent less received, of the processes that it has visited
    std::int64_t black = 0;  ///< 1: proves nothing
  };

  void digest_state(Digest& into) const override;
  void hand_on(TerminationContext& context);
  void begin_probe(TerminationContext& context);
  void send_token(TerminationContext& context, Rank to);
  [[nodiscard]] bool is_root() const { return self_ == 0; }

  std::uint64_t control_bytes_;
  ControlTree tree_;
  Rank self_;
  std::int64_t c_ = 0;  ///< sent less received, of this process
  bool black_ = false;  ///< has received since the token's last visit
  bool has_token_ = false;
  Token token_;
  std::uint64_t waves_ = 0;
};

}  // namespace faultline::termination
