// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocols/checkpoints/image_checkpoints.hpp"
#include "protocols/message_logging/program_gate.hpp"
#include "protocols/message_logging/protocol_steps.hpp"
#include "protocols/message_logging/restart_wave.hpp"

namespace faultline::message_logging {

/// What the ranks do that have not died, when a restart is agreed on.
enum class Survivors : std::uint8_t { go_on, go_back };

/// The program above a layer of message logging, with coordinated checkpoints (ImageCheckpoints). A
/// dead rank is restarted, all agree on the checkpoint that is valid (RestartWave), and the keeper
/// sends the new incarnation its image. The protocol holds it, hands its handlers' events over, and
/// is told of the steps in which it has a part (ProtocolSteps).
///
/// Checkpoints come when the program asks for them, or by time. In the first case it must ask for
/// CheckpointRequest{0} before it sends anything.
class CheckpointedProgram {
 public:
  static constexpr double kTryAgain_s = 1e-6;

  CheckpointedProgram(const checkpoints::CheckpointOptions& options, const JobShape& job, Rank self,
                      Survivors survivors);

  // ---- handlers of the layer ------------------------------------------------------------------
  /// `singly`: see ProgramGate::set_up.
  void start(RecoveryContext& context, ProtocolSteps& steps, bool singly);
  /// Stamps messages of the components above and passes them down, or keeps them back.
  void on_sends(RecoveryContext& context, std::span<Message* const> batch, ProtocolSteps& steps);
  Passage on_receive(RecoveryContext& context, Message& message, ProtocolSteps& steps) {
    begin(context, steps);
    return gate_.on_receive(context, message, steps);
  }
  /// All components have started. If the program has not asked for a checkpoint then, it never
  /// does, and what has been kept back goes down: before anything else happens at this rank, so
  /// that it has the same place among what is sent when the program begins again.
  void begin(RecoveryContext& context, MessageSteps& steps) {
    if (!gate_.has_begun() && !images_.program_waits() && !gate_.is_quiet() && is_up())
      gate_.send_unsent(context, steps);
  }
  void on_message(RecoveryContext& context, const Message& message, ProtocolSteps& steps);
  void on_request(RecoveryContext& context, const StackRequest& request, ProtocolSteps& steps);
  /// The program has been put back. The protocol calls `resume`, now or later.
  void on_restored() {
    gate_.set_up_again();
    gate_.begin_to_resume();
  }
  void on_timer(RecoveryContext& context, std::uint64_t key, ProtocolSteps& steps);
  void on_peer_failed(RecoveryContext& context, Incarnation peer) const;
  void on_peer_restarted(RecoveryContext& context, ProtocolSteps& steps);
  void on_restart_refused(RecoveryContext& context, Incarnation peer);

  // ---- asked for by the protocol --------------------------------------------------------------
  /// Decides on a message that belongs to a state before the last checkpoint, or to one that this
  /// rank has not reached; empty for other messages. For protocols that log messages.
  [[nodiscard]] std::optional<Admission> turn_away(const RecoveryContext& context,
                                                   const Message& message) const;
  /// Counts one that is about to be handed up.
  void count_received(RecoveryContext& context);
  /// Hands up a message that the protocol has kept.
  void hand_up(RecoveryContext& context, const Message& message);
  /// Takes part in the next checkpoint, if the program has asked for it and the protocol is ready.
  void ask_if_ready(RecoveryContext& context, ProtocolSteps& steps);
  /// Puts the program back to the last checkpoint, or to its start if it has none. A program that
  /// waits for its first has done nothing as yet.
  void roll_back(RecoveryContext& context);
  /// Lets the program go on from its last checkpoint. It gets its answer first, and what has been
  /// held then: its state when it goes on must not depend on what came early.
  void resume(RecoveryContext& context, MessageSteps& steps);
  /// Gives up, because that rank has died while this one recovers, and others cannot help both.
  void give_up(RecoveryContext& context, Rank other) const;
  /// Notes that this rank is where it was when a rank died at that time.
  void note_recovered(RecoveryContext& context, double death_s);

  // ---- how it stands --------------------------------------------------------------------------
  [[nodiscard]] std::uint64_t epoch() const { return images_.epoch(); }
  /// How many restarts this rank has taken in.
  [[nodiscard]] std::uint64_t level() const { return wave_.agreement().level; }
  [[nodiscard]] bool is_up() const { return gate_.is_up(); }
  /// Can messages come twice? Only what goes back to an earlier state sends again, and it does so
  /// after all have joined its restart. So none can before this rank has joined one.
  [[nodiscard]] bool may_repeat() const { return may_repeat_; }
  [[nodiscard]] ProgramGate& gate() { return gate_; }
  [[nodiscard]] const ProgramGate& gate() const { return gate_; }
  [[nodiscard]] checkpoints::ImageCheckpoints& images() { return images_; }
  [[nodiscard]] const checkpoints::ImageCheckpoints& images() const { return images_; }
  /// Deliveries with a ticket before the last checkpoint.
  [[nodiscard]] std::uint64_t deliveries_before() const {
    return images_.has_last() ? images_.last().deliveries : 0;
  }
  [[nodiscard]] const RestartWave& wave() const { return wave_; }
  /// The stamp of a message of this epoch, without its identity.
  [[nodiscard]] LoggingStamp stamp(std::uint32_t level = 0) const {
    return {.epoch = static_cast<std::uint32_t>(epoch()), .level = level, .id = 0};
  }
  /// Size of a control message.
  [[nodiscard]] std::uint64_t control_bytes() const { return control_bytes_; }

  // ---- seen from outside ----------------------------------------------------------------------
  /// Returns how many iterations the program has done, for the first incarnation that has finished,
  /// and 0 for others.
  double report(MetricTotals& totals) const;
  [[nodiscard]] std::string waiting_for() const;
  void digest(Digest& into) const;

 private:
  void go_on(RecoveryContext& context, checkpoints::CheckpointRound::Due due, ProtocolSteps& steps);
  void go_on(RecoveryContext& context, RestartWave::Due due, ProtocolSteps& steps);
  void handle_step(RecoveryContext& context, const Message& message, ProtocolSteps& steps);
  void set_checkpoint_timer(RecoveryContext& context) const;
  void go_on_after_commit(RecoveryContext& context, ProtocolSteps& steps);
  void go_on_resumed(RecoveryContext& context, ProtocolSteps& steps);
  void take_image(RecoveryContext& context, ProtocolSteps& steps);
  void commit(RecoveryContext& context, ProtocolSteps& steps);
  void join(RecoveryContext& context, ProtocolSteps& steps);
  void agree(RecoveryContext& context, ProtocolSteps& steps);
  void agree_as_restarted(RecoveryContext& context, ProtocolSteps& steps);
  void agree_as_survivor(RecoveryContext& context, ProtocolSteps& steps);
  void await_image(RecoveryContext& context);
  void put_back(RecoveryContext& context);

  std::uint32_t processes_;
  Rank self_;
  std::uint64_t control_bytes_;
  std::optional<double> checkpoint_interval_s_;
  Survivors survivors_;
  bool awaits_image_ = false;
  bool may_repeat_ = false;
  ProgramGate gate_;
  checkpoints::ImageCheckpoints images_;
  RestartWave wave_;
  std::vector<Message> early_;  ///< about checkpoints, of later levels than this rank's
  std::vector<Incarnation> for_spare_nodes_;  ///< the dead whose own nodes are gone
  std::optional<double> recovery_time_s_;     ///< the longest
  std::uint64_t iterations_ = 0;
};

/// The metrics that all protocols with such a program have, and behind them those of one of them.
MetricSpecs program_metrics(const MetricSpecs& own = {});
/// Their marks.
Marks program_marks();

}  // namespace faultline::message_logging
