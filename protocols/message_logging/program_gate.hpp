// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/message_logging/protocol_steps.hpp"

namespace faultline::message_logging {

/// The timers of a layer of message logging. Its own come behind them.
struct ProgramTimer {
  enum Key : std::uint64_t {
    try_again,   ///< there was no image
    begin,       ///< all components have started
    hand_up,     ///< the next message
    started,     ///< all components have started anew
    checkpoint,  ///< the next is due
    keys
  };
};

/// What stands between the components above a layer and the network: whether they can get messages,
/// and what waits for that; and below a termination detector, whose messages do not stop when the
/// program waits for a checkpoint, what must not go down before that has been taken.
class ProgramGate {
 public:
  /// `has_detector`: a termination detector is above. `singly`: each message, and each computation
  /// that ends, must be handled in a turn of its own, which ends with the news that the rank is
  /// idle.
  void set_up(bool has_detector, bool singly) {
    has_detector_ = has_detector;
    singly_ = singly;
  }
  /// Checkpoints are due by time, so the program is kept back, too, when all are to be quiet.
  void keep_program_back() { keeps_program_ = true; }
  [[nodiscard]] bool keeps_program_back() const { return keeps_program_; }
  /// Are all told to be quiet before a checkpoint? Then all messages since the last are counted.
  [[nodiscard]] bool counts() const { return has_detector_ || keeps_program_; }
  [[nodiscard]] bool hands_up_singly() const { return singly_; }

  // ---- what comes up --------------------------------------------------------------------------
  /// Has the program started, or gone on from an image?
  [[nodiscard]] bool is_up() const { return up_; }
  void set_up_again() { up_ = true; }
  /// The program is about to get its answer, and gets no messages before.
  [[nodiscard]] bool is_resuming() const { return resumes_; }
  void begin_to_resume() { resumes_ = true; }
  void end_resuming() { resumes_ = false; }
  /// The program starts anew, and gets what is held when it has done so.
  void start_anew(RecoveryContext& context);
  void end_start() { starts_ = false; }
  /// A program that had started starts anew, as if it had sent and got nothing.
  void begin_again(RecoveryContext& context);
  /// The program is about to be put back.
  void close() { up_ = resumes_ = false; }
  /// Can the program get messages?
  [[nodiscard]] bool is_open() const { return up_ && !resumes_ && !starts_; }

  /// A message has come. What came before and can be handed up goes first.
  Passage on_receive(RecoveryContext& context, Message& message, MessageSteps& steps);
  /// Offers what is held again.
  void release_held(RecoveryContext& context, MessageSteps& steps);
  /// Offers what is held again until one is handed up. False if none is.
  bool release_one_held(RecoveryContext& context, MessageSteps& steps);
  /// Holds messages again, before all others.
  void hold_again(std::vector<Message> messages);
  /// Hands up, in turns of their own, what can be handed up.
  static void hand_up_later(RecoveryContext& context) {
    context.set_timer(ProgramTimer::hand_up, 0.0);
  }

  // ---- what goes down -------------------------------------------------------------------------
  /// Counts a message that goes down now. Or keeps it back, and returns false. `waits`: the program
  /// does, for a checkpoint.
  bool lets_down(RecoveryContext& context, const Message& message, bool waits);
  /// From now on, what the program does not send itself is kept back, or all.
  void be_quiet() { quiet_ = true; }
  [[nodiscard]] bool is_quiet() const { return quiet_; }
  /// Must what happens at this rank by itself wait, because all are quiet for a checkpoint? What
  /// would get a ticket after the image has none that the checkpoint knows of.
  [[nodiscard]] bool holds_local_events() const { return keeps_program_ && quiet_; }
  /// The program goes on, or the checkpoint that all were quiet for does not come about.
  void end_quiet(RecoveryContext& context, MessageSteps& steps);
  /// Has the program had its first answer? Or it never asks.
  [[nodiscard]] bool has_begun() const { return begun_; }
  /// What has been kept back goes down.
  void send_unsent(RecoveryContext& context, MessageSteps& steps);
  [[nodiscard]] const std::vector<Message>& unsent() const { return unsent_; }
  /// The program is put back to where that had been kept back.
  void put_back(RecoveryContext& context, const std::vector<Message>& unsent);

  // ---- counts ---------------------------------------------------------------------------------
  void count_received() { ++received_; }
  /// Messages that this rank has sent less those that it has received, since the last checkpoint.
  [[nodiscard]] std::int64_t in_flight() const { return sent_ - received_; }
  void reset_counts() { sent_ = received_ = 0; }

  void digest(Digest& into) const {
    into.add(up_, resumes_, starts_, begun_, quiet_, held_, unsent_, brought_back_);
    into.add(sent_, received_);
  }

 private:
  void drop_unsent(RecoveryContext& context);
  static Passage pass(RecoveryContext& context, Message& message, Admission admission,
                      std::vector<Message>& held);
  [[nodiscard]] bool keeps_back(const Message& message) const;

  bool up_ = false;
  bool resumes_ = false;
  bool starts_ = false;  ///< the program is about to start anew, and to get what is held
  bool has_detector_ = false;
  bool singly_ = false;
  bool keeps_program_ = false;
  bool begun_ = false;
  bool quiet_ = false;
  std::vector<Message> held_;
  std::vector<Message> unsent_;   ///< kept back, of the layers above and the program
  std::size_t brought_back_ = 0;  ///< the first of these, which an image has brought back
  // Counted by checkpoint-restart, and by the others if all are told to be quiet:
  std::int64_t sent_ = 0;  ///< by the layers above and the program, since the last checkpoint
  std::int64_t received_ = 0;
};

}  // namespace faultline::message_logging
