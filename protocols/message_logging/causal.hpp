// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "protocols/message_logging/checkpointed_program.hpp"
#include "protocols/message_logging/determinants.hpp"
#include "protocols/message_logging/logging_time.hpp"
#include "protocols/message_logging/repeated_sends.hpp"
#include "protocols/message_logging/replay.hpp"
#include "protocols/message_logging/sender_log.hpp"

namespace faultline {

struct CausalOptions : DeterminantOptions {
  std::string transport = "companion";
  double piggyback_s = kPiggyback_s;
};

/// Simple causal message logging as Charm++ has it: a receiver gives each delivery a ticket. Before
/// it sends to another rank, it sends that rank all its determinants that nobody is known to store.
/// The first acknowledgement of any of them releases it and those before.
class Causal : public Layer, public OrdersLocalEvents, protected ProtocolSteps {
 public:
  using Options = CausalOptions;
  Causal(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Causal>(*this);
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

 protected:
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
  void digest_state(Digest& into) const override {
    into.add(program_, log_, determinants_, replay_);
  }

  // The parts.
  Rank self_;
  CheckpointedProgram program_;
  SenderLog log_;
  RepeatedSends repeats_;
  Determinants determinants_;
  Replay replay_;

 private:
  std::uint32_t send_determinants(Context& context, Message& message, bool is_first);
  std::uint32_t send_companion(Context& context, Rank to);
  [[nodiscard]] Attachments unstored() const {
    return determinants_.attached(determinants_.own.unstored(), program_.epoch());
  }
  void store(Context& context, Incarnation from, const Carried& carried);
  Admission take(Context& context, const Message& message);
  void give_ticket(Context& context, const Delivery& delivery);
  [[nodiscard]] bool must_wait(const Message& message);
  void replay(Context& context);
  void end_replay(Context& context);
  [[nodiscard]] bool is_recovering() const {
    return !program_.is_up() || determinants_.own.must_replay();
  }
  /// Has it sent again all that anybody has from its old incarnation?
  void try_recovered(Context& context) {
    if (!is_recovering()) repeats_.try_end(context, log_, program_);
  }

  LoggingTime time_;
  double determinant_s_;
  double piggyback_s_;
  bool sends_companions_;
  std::optional<Attachments> shared_;  ///< by the companions of the sends of one handler
  std::uint64_t piggybacked_ = 0;
  std::uint64_t remote_messages_ = 0;
};

}  // namespace faultline
