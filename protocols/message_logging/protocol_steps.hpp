// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "protocols/message_logging/restart_wave.hpp"
#include "sim/core/component.hpp"

namespace faultline::message_logging {

/// What a protocol adds to each message of the program.
struct LoggingStamp {
  std::uint32_t epoch = 0;  ///< how many checkpoints its sender had committed
  std::uint32_t level = 0;  ///< which history of a rolled back program it belongs to, if any
  std::uint64_t id = 0;     ///< on its channel; its meaning is the protocol's
};

/// Was it sent by an incarnation that has a successor, as far as this rank knows?
inline bool is_of_old_incarnation(const RecoveryContext& context, const Message& message) {
  return message.from_incarnation < context.known(message.from).number;
}

/// What becomes of a message of the program that has arrived.
enum class Admission : std::uint8_t {
  deliver,
  discard,
  hold,  ///< offered again when something has changed: ProgramGate::release_held
  kept,  ///< the protocol has a copy of it, and will deliver or discard that
};

/// What a protocol does with messages that pass between the components above it and the network.
class MessageSteps {
 public:
  /// A message has come from another rank, or from this one, and the program can take it in.
  virtual Admission admit(RecoveryContext& context, Message& message) = 0;
  /// A message of the components above is about to go down for the first time.
  virtual void stamp(RecoveryContext& context, Message& message) = 0;
  /// Hands up the next message of those that the protocol has. False if there is none as yet.
  virtual bool hand_up_next(RecoveryContext&) { return false; }

 protected:
  ~MessageSteps() = default;
};

/// What a protocol does when its rank checkpoints, and when any rank restarts.
class RecoverySteps {
 public:
  /// Is everything at this rank that its image must have? If not, the protocol calls
  /// CheckpointedProgram::ask_if_ready when it is.
  [[nodiscard]] virtual bool is_ready() const { return true; }
  /// Has all that has a ticket been delivered? Else an image would have it neither done nor to be
  /// replayed.
  [[nodiscard]] virtual bool is_settled() const { return true; }
  /// Deliveries with a ticket since the last checkpoint. Those that are made again after a restart
  /// count once.
  [[nodiscard]] virtual std::uint64_t deliveries() const { return 0; }
  /// A checkpoint is committed: nothing from before will be needed.
  virtual void on_committed(RecoveryContext& context) = 0;
  /// This rank knows of all restarts up to that of `root`, and says what it knows of that rank.
  virtual void on_joined(RecoveryContext& context, Rank root, RestartReport& report) = 0;
  /// This new incarnation, whose restart has been agreed on, knows what all have reported.
  virtual void on_reports(RecoveryContext&, const RestartReport&) {}
  /// All have agreed on a restart. The program of this rank runs, as before.
  virtual void on_agreed(RecoveryContext& context) = 0;
  /// The program of this rank is about to begin from its start.
  virtual void on_begun_anew(RecoveryContext&) {}
  /// A checkpoint is committed, or the program was put back to one. It has had its answer, if it
  /// has asked, and will get what is held.
  virtual void on_resumed(RecoveryContext&) {}
  /// Something has happened after which this rank may be where it was before it died.
  virtual void try_recovered(RecoveryContext&) {}

 protected:
  ~RecoverySteps() = default;
};

/// What a protocol of message logging does at each step of its program.
class ProtocolSteps : public MessageSteps, public RecoverySteps {
 public:
  /// A message of a kind of the protocol's own has come, from the latest incarnation of its sender.
  virtual void on_own_message(RecoveryContext&, const Message&) {}

 protected:
  ~ProtocolSteps() = default;
};

}  // namespace faultline::message_logging
