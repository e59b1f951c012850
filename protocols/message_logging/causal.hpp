// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "protocols/message_logging/determinants.hpp"
#include "protocols/message_logging/logging_time.hpp"
#include "protocols/message_logging/program_layer.hpp"
#include "protocols/message_logging/repeated_sends.hpp"
#include "protocols/message_logging/replay.hpp"
#include "protocols/message_logging/sender_log.hpp"

namespace faultline::message_logging {

struct CausalOptions : DeterminantOptions {
  std::string transport = "companion";
  double piggyback_s = kPiggyback_s;
};

/// Simple causal message logging as Charm++ has it: a receiver gives each delivery a ticket. Before
/// it sends to another rank, it sends that rank all its determinants that nobody is known to store.
/// The first acknowledgement of any of them releases it and those before.
class Causal : public ProgramLayer, public OrdersLocalEvents {
 public:
  using Options = CausalOptions;
  Causal(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Causal>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void start(RecoveryContext& context) override { program_.start(context, *this, true); }
  void on_sends(RecoveryContext& context, std::span<Message* const> batch,
                bool still_active) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

  // ---- below a termination detector -----------------------------------------------------------
  Passage on_local_event(RecoveryContext& context, const LocalEvent& event) override;
  [[nodiscard]] std::optional<LocalEvent> next_event() const override;
  void leave_out_next(RecoveryContext& context) override;

 protected:
  Admission admit(RecoveryContext& context, Message& message) override;
  void stamp(RecoveryContext& context, Message& message) override;
  bool hand_up_next(RecoveryContext& context) override;
  /// What a termination detector sent after its program had asked for a checkpoint is sent again in
  /// the replay. Others have it, so it cannot be kept back for the image.
  [[nodiscard]] bool is_ready() const override {
    const ProgramGate& gate = program_.gate();
    return !gate.counts() || (!determinants_.own.must_replay() && repeats_.can_be_quiet(gate));
  }
  [[nodiscard]] std::uint64_t deliveries() const override { return determinants_.own.tickets(); }
  void on_committed(RecoveryContext& context) override;
  void on_joined(RecoveryContext& context, Rank root, RestartReport& report) override;
  void on_reports(RecoveryContext& context, const RestartReport& reports) override;
  void on_agreed(RecoveryContext& context) override;
  void on_resumed(RecoveryContext& context) override {
    determinants_.store_early(context, program_.epoch());
  }
  void try_recovered(RecoveryContext& context) override {
    repeats_.try_end(context, log_, determinants_.own.must_replay(), program_);
  }
  void on_own_message(RecoveryContext& context, const Message& message) override;
  void digest_state(Digest& into) const override {
    into.add(program_, log_, determinants_, replay_);
  }

  // The parts.
  SenderLog log_;
  RepeatedSends repeats_;
  Determinants determinants_;
  Replay replay_;

 private:
  std::uint32_t send_determinants(RecoveryContext& context, Message& message, bool is_first);
  std::uint32_t send_companion(RecoveryContext& context, Rank to);
  [[nodiscard]] Attachments unstored() const {
    return determinants_.attached(determinants_.own.unstored(), program_.epoch());
  }
  Admission take(RecoveryContext& context, const Message& message);
  [[nodiscard]] bool must_wait(const Message& message);
  void replay(RecoveryContext& context);
  void end_replay(RecoveryContext& context);

  LoggingTime time_;
  double piggyback_s_;
  bool sends_companions_;
  std::optional<Attachments> shared_;  ///< by the companions of the sends of one handler
  std::uint64_t piggybacked_ = 0;
  std::uint64_t remote_messages_ = 0;
};

}  // namespace faultline::message_logging
