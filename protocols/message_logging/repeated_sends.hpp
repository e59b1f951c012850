// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/message_logging/checkpointed_program.hpp"
#include "protocols/message_logging/sender_log.hpp"

namespace faultline::message_logging {

/// How far a rank that has restarted is with what its earlier incarnation had sent since the last
/// checkpoint. It has recovered when it has sent again all that anybody has of that.
class RepeatedSends {
 public:
  [[nodiscard]] bool has_recovered() const { return recovered_; }
  /// Can this rank take part in a checkpoint for which its program is kept back? What others have
  /// of an earlier incarnation must be sent again before, or they have received more than was sent,
  /// and the checkpoint waits for ever. A program that has asked itself has sent it all.
  [[nodiscard]] bool can_be_quiet(const ProgramGate& gate) const {
    return recovered_ || !gate.keeps_program_back();
  }
  /// This rank knows of the restart of `root`, and tells whether it has a log for that one. If it
  /// is this rank that has restarted, it has not recovered from now on. Gives up if this rank still
  /// recovers from an earlier death. `replays`: see try_end.
  void join(RecoveryContext& context, Rank root, const CheckpointedProgram& program, bool replays,
            SenderLog& log, RestartReport& report);
  /// So many ranks have exchanged messages with the dead one, and will send their logs.
  void await_logs(std::uint64_t partners, const RestartWave& wave);
  [[nodiscard]] std::uint64_t partners() const { return partners_; }
  /// The log of that peer has come, which has so many messages of the earlier incarnation.
  void log_ended(const RecoveryContext& context, Rank from, std::uint64_t received, SenderLog& log);
  /// One more was sent to that peer. False if an earlier incarnation has sent it already, as far as
  /// this one knows.
  bool count(const LogPeer& to);
  [[nodiscard]] bool sends_first(const LogPeer& to) const {
    return recovered_ || (has_ended(to) && to.sent > goal_of(to));
  }
  /// Notes that this rank has recovered, if it had not before.
  void end(RecoveryContext& context, CheckpointedProgram& program);
  /// Notes it if it has sent again all that it had sent, and lets a checkpoint that has waited for
  /// that go on. `replays`: it has still to deliver again what it had delivered.
  void try_end(RecoveryContext& context, const SenderLog& log, bool replays,
               CheckpointedProgram& program) {
    if (recovered_ || replays || !program.is_up() || !has_repeated_all(context, log)) return;
    end(context, program);
    if (program.gate().keeps_program_back()) ProgramGate::hand_up_later(context);
  }

 private:
  static constexpr std::uint64_t kNoGoal = UINT64_MAX;

  [[nodiscard]] std::uint64_t goal_of(const LogPeer& peer) const {
    return has_ended(peer) ? goals_[peer.number] : 0;
  }
  /// Has the end of its log come?
  [[nodiscard]] bool has_ended(const LogPeer& peer) const {
    return peer.number < goals_.size() && goals_[peer.number] != kNoGoal;
  }
  [[nodiscard]] bool has_repeated_all(const RecoveryContext& context, const SenderLog& log) const;
  [[nodiscard]] std::uint64_t lost_log_ends(const RecoveryContext& context,
                                            const checkpoints::RankTable<LogPeer>& peers) const;

  bool recovered_ = true;
  std::uint64_t partners_ = 0;    ///< ranks whose log is to come
  std::uint64_t log_ends_ = 0;    ///< ranks whose log has come
  std::uint64_t goals_open_ = 0;  ///< peers that have more from the old incarnation
  /// By number of the peer, until this rank has recovered: how much it has from the old
  /// incarnation, or kNoGoal until the end of its log has come.
  std::vector<std::uint64_t> goals_;
  std::vector<Incarnation> earlier_restarts_;  ///< that there had been when this rank restarted
};

}  // namespace faultline::message_logging
