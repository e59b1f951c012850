// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocols/termination/failed_ranks.hpp"
#include "protocols/termination/leader_view.hpp"
#include "protocols/termination/tally.hpp"
#include "sim/core/component.hpp"

namespace faultline::termination {

struct VenkatesanOptions {
  std::uint32_t leaders = 2;
  std::uint64_t control_bytes = 16;
  std::uint64_t entry_bytes = 8;
};

/// A cost model of Venkatesan's detector as adoption-2013 section 3 describes it: to tolerate k
/// deaths, k + 1 leaders each receive signals of all processes and simulate the states of all of
/// them. Here a process signals when it becomes idle and something is new since its last signal:
/// what it has sent and received on each channel, or that it has been flushed after a death.
class Venkatesan final : public TerminationDetector {
 public:
  /// Asks a process to signal when all that a dead process has sent to it has arrived.
  struct Question {
    Rank failed = kNobody;
    std::uint32_t unused = 0;
    double noticed_s = 0.0;  ///< for the report: when the leader was told
  };

  using Options = VenkatesanOptions;
  Venkatesan(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(TerminationContext& context) override;
  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override;
  void on_message(TerminationContext& context, const Message& message) override;
  void on_peer_failed(TerminationContext& context, Incarnation peer) override;
  void on_flushed(TerminationContext& context, Incarnation peer) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  void digest_state(Digest& into) const override;
  [[nodiscard]] bool is_leader() const { return self_ < leaders_; }
  [[nodiscard]] bool is_first_leader() const;
  void signal(TerminationContext& context);
  void ask_all(TerminationContext& context, const Question& question);
  void asked(TerminationContext& context, const Question& question);
  void succeed(TerminationContext& context);
  void try_announce(TerminationContext& context);
  void tell_all(TerminationContext& context, std::uint32_t phase) const;

  std::shared_ptr<const Options> options_;
  Rank self_;
  std::uint32_t processes_;
  std::uint32_t leaders_;
  Tally tally_;
  bool told_;  ///< the leaders know that this process has been idle
  FailedRanks failed_;
  std::vector<Question> deaths_;  ///< leader: the deaths that it knows of
  std::vector<Question> asked_;   ///< each dead rank once
  LeaderView view_;               ///< empty except at leaders
  bool started_ = false;
  bool announced_ = false;
  std::uint64_t recovery_messages_ = 0;
  double recovery_s_ = 0.0;
  std::size_t state_bytes_ = 0;
};

}  // namespace faultline::termination
