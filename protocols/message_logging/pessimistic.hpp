// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "protocols/message_logging/checkpointed_program.hpp"
#include "protocols/message_logging/determinants.hpp"
#include "protocols/message_logging/logging_time.hpp"
#include "protocols/message_logging/packed_message.hpp"
#include "protocols/message_logging/repeated_sends.hpp"
#include "protocols/message_logging/replay.hpp"
#include "protocols/message_logging/sender_log.hpp"
#include "sim/core/boxed.hpp"

namespace faultline {

/// Pessimistic message logging: a message is delivered when its determinant is stored by a logger,
/// a rank on another node. Nothing is ever sent that depends on a delivery that nobody else knows.
class Pessimistic final : public Layer, public OrdersLocalEvents, private ProtocolSteps {
 public:
  using Options = DeterminantOptions;
  Pessimistic(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Pessimistic>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void start(Context& context) override { program_.start(context, *this, true); }
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  Passage on_receive(Context& context, Message& message) override {
    return program_.on_receive(context, message, *this);
  }
  void on_message(Context& context, const Message& message) override;
  void on_request(Context& context, const StackRequest& request) override;
  void on_restored(Context& context) override;
  void on_timer(Context& context, std::uint64_t key) override {
    program_.on_timer(context, key, *this);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    program_.on_peer_failed(context, peer);
  }
  void on_peer_restarted(Context& context, Incarnation) override {
    program_.on_peer_restarted(context, *this);
  }
  void on_restart_refused(Context& context, Incarnation peer) override {
    program_.on_restart_refused(context, peer);
  }
  [[nodiscard]] bool recovers(ActorId) const override { return true; }
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

  // ---- below a termination detector -----------------------------------------------------------
  Passage on_local_event(Context& context, const LocalEvent& event) override;
  [[nodiscard]] std::optional<LocalEvent> next_event() const override;
  void leave_out_next(Context& context) override;

 private:
  /// What has a ticket that is not known to be stored: a message, or something that has happened
  /// here.
  struct Waiting {
    explicit Waiting(const Delivery& event) : delivery(event) {}
    Waiting(const Delivery& of, const Message& message);
    [[nodiscard]] bool is_message() const { return from != kNobody; }
    /// As it came, but for what only the engine and this layer look at.
    [[nodiscard]] Message message(Rank receiver) const;

    Delivery delivery;
    PackedMessage packed;
    std::uint16_t from_incarnation = 0;
    ActorId from = kNobody;
    Boxed<Message> whole;  ///< if it cannot be packed
  };

  Admission admit(Context& context, Message& message) override;
  void stamp(Context& context, Message& message) override;
  bool hand_up_next(Context& context) override;
  /// What a termination detector sent after its program had asked for a checkpoint is sent again in
  /// the replay. Others have it, so it cannot be kept back for the image.
  [[nodiscard]] bool is_ready() const override {
    return !program_.gate().has_detector() || !determinants_.own.must_replay();
  }
  [[nodiscard]] std::uint64_t all_deliveries() const override {
    return determinants_.own.of_all_epochs();
  }
  void on_committed(Context& context) override;
  void on_joined(Context& context, Rank root, RestartReport& report) override;
  void on_reports(Context& context, const RestartReport& reports) override;
  void on_agreed(Context& context) override;
  void on_begun_anew(Context& context) override { try_recovered(context); }
  void digest_state(Digest& into) const override;

  Admission take(Context& context, const Message& message);
  void give_ticket(Context& context, const Delivery& delivery);
  Passage take_local(Context& context, const Delivery& event);
  void choose_logger(const Context& context);
  void wait(Context& context);
  void end_wait();
  [[nodiscard]] bool is_next_stored() const {
    return !waiting_.empty() && stored_ahead_.contains(determinants_.own.stored() + 1);
  }
  void store(Context& context, Incarnation from, const Carried& carried);
  void on_stored(Context& context, const StoredWords& words);
  void hand_up_all(Context& context);
  bool replay_next(Context& context);
  void leave_replay(Context& context);
  void end_replay(Context& context);
  [[nodiscard]] bool is_recovering() const {
    return !program_.is_up() || determinants_.own.must_replay();
  }
  /// Has it sent again all that anybody has from its old incarnation?
  void try_recovered(Context& context) {
    if (!is_recovering()) repeats_.try_end(context, log_, program_);
  }

  Rank self_;
  JobShape job_;
  CheckpointedProgram program_;
  SenderLog log_;
  RepeatedSends repeats_;
  Determinants determinants_;
  Replay replay_;
  LoggingTime time_;
  double determinant_s_;
  std::uint64_t remote_messages_ = 0;
  Rank logger_ = kNobody;
  SeenNumbers stored_ahead_;  ///< tickets that the logger has, beyond those that are `stored`
  /// In the order of their tickets, from the first one on that is not `stored`.
  std::deque<Waiting> waiting_;
};

}  // namespace faultline
