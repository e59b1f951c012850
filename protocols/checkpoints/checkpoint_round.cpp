// SPDX-License-Identifier: Apache-2.0
#include "protocols/checkpoints/checkpoint_round.hpp"

#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline::checkpoints {

void CheckpointRound::begin(RoundStep round) {
  round_ = round;
  asked_ = ready_ = counts_ = false;
  is_quiet_ = true;
  ready_below_ = 0;
  stored_.reset();
  in_flight_ = 0;
}

CheckpointRound::Due CheckpointRound::ask(RecoveryContext& context, std::int64_t in_flight) {
  asked_ = counts_ = true;
  in_flight_ += in_flight;
  return pass_on_ready(context);
}

CheckpointRound::Due CheckpointRound::ask(RecoveryContext& context) {
  asked_ = true;
  is_quiet_ = false;
  return pass_on_ready(context);
}

/// The first `take` of two. The second `ready` of the children follows it.
CheckpointRound::Due CheckpointRound::tell_to_be_quiet(RecoveryContext& context) {
  is_quiet_ = true;
  ready_ = false;
  ready_below_ = 0;
  return tell_children(context, CheckpointMessage::take, Due::be_quiet);
}

CheckpointRound::Due CheckpointRound::is_quiet(RecoveryContext& context, std::int64_t in_flight) {
  counts_ = true;
  in_flight_ += in_flight;
  return pass_on_ready(context);
}

CheckpointRound::Due CheckpointRound::received(RecoveryContext& context) {
  --in_flight_;
  return pass_on_ready(context);
}

CheckpointRound::Due CheckpointRound::stored(RecoveryContext& context) {
  stored_.add_own();
  return pass_on_stored(context);
}

CheckpointRound::Due CheckpointRound::on_message(RecoveryContext& context, const Message& message) {
  switch (message.kind) {
    case CheckpointMessage::ready:
      in_flight_ += message.payload.get<RoundWords>().in_flight;
      if (message.payload.get<RoundWords>().again == 0) ++ready_below_;
      return pass_on_ready(context);
    case CheckpointMessage::stored:
      stored_.add_child();
      return pass_on_stored(context);
    case CheckpointMessage::take:
      if (!is_quiet_) return tell_to_be_quiet(context);
      return tell_children(context, CheckpointMessage::take, Due::take);
    default:
      invariant(message.kind == CheckpointMessage::commit,
                "a message of another kind in a checkpoint round");
      return tell_children(context, CheckpointMessage::commit, Due::commit);
  }
}

/// A child that has told once tells again when a message has come.
CheckpointRound::Due CheckpointRound::pass_on_ready(RecoveryContext& context) {
  invariant(ready_below_ <= tree_.child_count(self_), "a child is ready twice");
  if (!asked_ || (is_quiet_ && !counts_) || ready_below_ < tree_.child_count(self_))
    return Due::nothing;
  if (self_ == tree_.root) {
    if (!is_quiet_) return tell_to_be_quiet(context);
    if (ready_ || in_flight_ != 0) return Due::nothing;
    ready_ = true;
    return tell_children(context, CheckpointMessage::take, Due::take);
  }
  if (ready_ && in_flight_ == 0) return Due::nothing;
  context.send(tree_.parent(self_), CheckpointMessage::ready, bytes_)
      .payload.put(RoundWords{round_, std::exchange(in_flight_, 0), ready_ ? 1U : 0U});
  ready_ = true;
  return Due::nothing;
}

CheckpointRound::Due CheckpointRound::pass_on_stored(RecoveryContext& context) {
  invariant(!stored_.exceeds(tree_.child_count(self_)), "a child has stored twice");
  if (!stored_.is_complete(tree_.child_count(self_))) return Due::nothing;
  if (self_ == tree_.root) return tell_children(context, CheckpointMessage::commit, Due::commit);
  send(context, tree_.parent(self_), CheckpointMessage::stored);
  return Due::nothing;
}

CheckpointRound::Due CheckpointRound::tell_children(RecoveryContext& context,
                                                    CheckpointMessage::Kind kind, Due due) const {
  tree_.for_each_child(self_, [&](Rank child) { send(context, child, kind); });
  return due;
}

void CheckpointRound::send(RecoveryContext& context, Rank to, CheckpointMessage::Kind kind) const {
  context.send(to, kind, bytes_).payload.put(RoundWords{.step = round_});
}

}  // namespace faultline::checkpoints
