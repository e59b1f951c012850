// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "protocols/message_logging/determinants.hpp"
#include "protocols/message_logging/logging_time.hpp"
#include "protocols/message_logging/program_layer.hpp"
#include "protocols/message_logging/repeated_sends.hpp"
#include "protocols/message_logging/replay.hpp"
#include "protocols/message_logging/seen_numbers.hpp"
#include "protocols/message_logging/sender_log.hpp"

namespace faultline::message_logging {

/// Pessimistic message logging: a message is delivered when its determinant is stored by a logger,
/// a rank on another node. Nothing is ever sent that depends on a delivery that nobody else knows.
class Pessimistic final : public ProgramLayer, public OrdersLocalEvents {
 public:
  using Options = DeterminantOptions;
  Pessimistic(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Pessimistic>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void start(RecoveryContext& context) override { program_.start(context, *this, true); }
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

  // ---- below a termination detector -----------------------------------------------------------
  Passage on_local_event(RecoveryContext& context, const LocalEvent& event) override;
  [[nodiscard]] std::optional<LocalEvent> next_event() const override;
  void leave_out_next(RecoveryContext& context) override;

 private:
  Admission admit(RecoveryContext& context, Message& message) override;
  void stamp(RecoveryContext& context, Message& message) override;
  bool hand_up_next(RecoveryContext& context) override;
  /// What a termination detector sent after its program had asked for a checkpoint is sent again in
  /// the replay. Others have it, so it cannot be kept back for the image.
  [[nodiscard]] bool is_ready() const override {
    const ProgramGate& gate = program_.gate();
    return !gate.counts() || (!determinants_.own.must_replay() && repeats_.can_be_quiet(gate));
  }
  [[nodiscard]] bool is_settled() const override { return waiting_.empty(); }
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
    into.add(program_, log_, determinants_, replay_, logger_, stored_ahead_, waiting_);
  }

  Admission take(RecoveryContext& context, const Message& message);
  Passage take_local(RecoveryContext& context, const Delivery& event);
  void choose_logger(const RecoveryContext& context);
  void wait(RecoveryContext& context, const Message& message);
  void end_wait();
  [[nodiscard]] bool is_next_stored() const {
    return !waiting_.empty() && stored_ahead_.contains(determinants_.own.stored() + 1);
  }
  void on_stored(RecoveryContext& context, const StoredWords& words);
  void hand_up_all(RecoveryContext& context);
  void leave_replay(RecoveryContext& context);
  void end_replay(RecoveryContext& context);

  JobShape job_;
  SenderLog log_;
  RepeatedSends repeats_;
  Determinants determinants_;
  Replay replay_;
  LoggingTime time_;
  std::uint64_t remote_messages_ = 0;
  Rank logger_ = kNobody;
  SeenNumbers stored_ahead_;  ///< tickets that the logger has, beyond those that are `stored`
  /// What has a ticket that is not known to be stored, in the order of tickets. A message of nobody
  /// stands for something that has happened here.
  std::deque<Message> waiting_;
};

}  // namespace faultline::message_logging
