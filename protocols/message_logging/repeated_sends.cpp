// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/repeated_sends.hpp"

#include <algorithm>
#include <utility>

namespace faultline::message_logging {

void RepeatedSends::join(RecoveryContext& context, Rank root, const CheckpointedProgram& program,
                         bool replays, SenderLog& log, RestartReport& report) {
  if (root == context.self())
    recovered_ = false;
  else if (replays || !program.is_up())
    program.give_up(context, root);
  if (log.is_partner(context, root)) report.partners = 1;
}

void RepeatedSends::await_logs(std::uint64_t partners, const RestartWave& wave) {
  partners_ = partners;
  log_ends_ = goals_open_ = 0;
  wave.for_each_restarted([this](Incarnation life) { earlier_restarts_.push_back(life); });
}

void RepeatedSends::log_ended(const RecoveryContext& context, Rank rank, std::uint64_t received,
                              SenderLog& log) {
  if (recovered_) return;
  ++log_ends_;
  const LogPeer& from = log.peer(context, rank);
  if (from.number >= goals_.size()) goals_.resize(from.number + std::size_t{1}, kNoGoal);
  goals_[from.number] = received;
  if (from.sent < received) ++goals_open_;
}

bool RepeatedSends::count(const LogPeer& to) {
  if (sends_first(to)) return true;
  if (to.sent == goal_of(to)) --goals_open_;
  return false;
}

/// A rank that has died before the end of its log came has nothing from the old incarnation any
/// more.
std::uint64_t RepeatedSends::lost_log_ends(const RecoveryContext& context,
                                           const checkpoints::RankTable<LogPeer>& peers) const {
  std::uint64_t lost = 0;
  for (const LogPeer& peer : peers) {
    const auto earlier = std::ranges::find(earlier_restarts_, peer.rank, &Incarnation::actor);
    const std::uint16_t number = earlier == earlier_restarts_.end() ? 0 : earlier->number;
    if (!has_ended(peer) && context.known(peer.rank).number > number) ++lost;
  }
  return lost;
}

void RepeatedSends::end(RecoveryContext& context, CheckpointedProgram& program) {
  goals_.clear();
  if (!std::exchange(recovered_, true)) program.note_recovered(context, context.death_s());
}

bool RepeatedSends::has_repeated_all(const RecoveryContext& context, const SenderLog& log) const {
  if (goals_open_ > 0) return false;
  return log_ends_ >= partners_ || log_ends_ + lost_log_ends(context, log.peers()) >= partners_;
}

}  // namespace faultline::message_logging
