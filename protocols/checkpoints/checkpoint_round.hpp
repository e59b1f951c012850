// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/checkpoints/checkpoint_message.hpp"
#include "protocols/checkpoints/gathering.hpp"
#include "protocols/checkpoints/rank_tree.hpp"
#include "sim/core/recovery_context.hpp"

namespace faultline::checkpoints {

/// What all messages about a checkpoint begin with.
struct RoundStep {
  std::uint64_t number = 0;  ///< of the synchronisation point
  std::uint64_t level = 0;   ///< how many restarts the sender has taken in (RestartWave)
};

/// What the messages of a round say.
struct RoundWords {
  RoundStep step;
  std::int64_t in_flight = 0;  ///< `ready`: sent in the subtree less received there, since the last
  std::uint64_t again = 0;     ///< `ready`: 1: not the first of this round
};

/// The agreement of all ranks on one checkpoint, over the control tree: when all have asked for it,
/// all take an image, and when all images are stored, all commit. Before images are taken, all
/// messages between ranks must have come: each rank says how many it has sent and not received, and
/// then of each that comes. Where more than the program sends, nobody may stop that before all have
/// asked, because the program of a rank that has not may need it: then all are told to be quiet,
/// and messages are counted after that. A restart of any rank begins the round anew, on a new
/// level; what belongs to an earlier level is void.
class CheckpointRound {
 public:
  enum class Due : std::uint8_t { nothing, be_quiet, take, commit };

  CheckpointRound(std::uint32_t processes, Rank self, std::uint64_t bytes)
      : tree_{.processes = processes, .root = 0}, self_(self), bytes_(bytes) {}

  /// The program of this rank has asked for the checkpoint. It sends nothing until that is
  /// committed. `in_flight`: messages that this rank has sent less those that it has received.
  Due ask(RecoveryContext& context, std::int64_t in_flight);
  /// Asks for a checkpoint where not only the program sends. When all have asked, `be_quiet` is
  /// due.
  Due ask(RecoveryContext& context);
  /// From now on this rank sends nothing.
  Due is_quiet(RecoveryContext& context, std::int64_t in_flight);
  /// Has this rank told how many messages it has sent less those that it has received?
  [[nodiscard]] bool counts() const { return counts_; }
  /// A message has come since.
  Due received(RecoveryContext& context);
  /// The image of this rank is safe.
  Due stored(RecoveryContext& context);
  /// A message of this level and of the number of this round.
  Due on_message(RecoveryContext& context, const Message& message);
  /// The next round begins, of that number, or the same one on another level.
  void begin(RoundStep round);
  [[nodiscard]] const RoundStep& round() const { return round_; }
  /// Has this rank asked in this round?
  [[nodiscard]] bool asked() const { return asked_; }

  void digest(Digest& into) const {
    into.add(round_.number, round_.level, asked_, ready_, ready_below_, stored_);
    into.add(in_flight_, counts_, is_quiet_);
  }

 private:
  Due pass_on_ready(RecoveryContext& context);
  Due tell_to_be_quiet(RecoveryContext& context);
  Due pass_on_stored(RecoveryContext& context);
  Due tell_children(RecoveryContext& context, CheckpointMessage::Kind kind, Due due) const;
  void send(RecoveryContext& context, Rank to, CheckpointMessage::Kind kind) const;

  RankTree tree_;
  Rank self_;
  std::uint64_t bytes_;
  RoundStep round_;
  bool asked_ = false;
  bool ready_ = false;             ///< all ranks below have asked, and it has been told
  std::uint32_t ready_below_ = 0;  ///< children in whose subtree all have asked
  Gathering stored_;
  bool counts_ = false;
  bool is_quiet_ = true;        ///< nothing is sent any more; or it was never to be waited for
  std::int64_t in_flight_ = 0;  ///< of all below, as far as this rank knows and has not told
};

}  // namespace faultline::checkpoints
