// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/checkpoint_restart.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

namespace {

OptionSet<CheckpointOptions> options() {
  OptionSet<CheckpointOptions> set;
  add_checkpoint_options(set);
  return set;
}

const Registered registered{registration<CheckpointRestart>(
    {.family = Family::message_logging,
     .name = "checkpoint-restart",
     .summary = "coordinated checkpoints, kept at a rank of another node; after a death all ranks "
                "go back to the last one",
     .source = "fast-message-logging section 2; in-memory checkpoints with a buddy as in Charm++",
     .traits = {.tolerates_faults = true, .needs_detection = true, .takes_images = true},
     .message_kinds = checkpoint_kinds(),
     .metrics = checkpoint_metrics(),
     .marks = checkpoint_marks()},
    options())};

}  // namespace

void CheckpointRestart::stamp(Context&, Message& message) {
  message.logging.put(
      LoggingStamp{static_cast<std::uint32_t>(epoch()), static_cast<std::uint32_t>(history_), 0});
}

/// What belongs to an earlier history is undone. What belongs to a later one, or to a later epoch,
/// waits until this rank has got there, too.
CheckpointedLayer::Verdict CheckpointRestart::admit(Context& context, Message& message) {
  const auto stamp = message.logging.get<LoggingStamp>();
  if (stamp.level < history_) return Verdict::discard;
  if (stamp.level > history_ || stamp.epoch > epoch()) return Verdict::hold;
  ++delivered_;
  received(context);
  note_progress(context);
  return Verdict::deliver;
}

void CheckpointRestart::on_joined(Context&, Rank, RestartReport&) {
  death_s_ = std::min(death_s_, wave().death_s());
}

void CheckpointRestart::on_agreed(Context& context) {
  goal_ = std::max(goal_, delivered_);
  recovers_ = true;
  death_s_ = std::min(death_s_, wave().death_s());
  roll_back(context);
  if (epoch() == 0) on_up(context);
}

void CheckpointRestart::on_up(Context& context) {
  history_ = level();
  delivered_ = 0;
  if (!recovers_) death_s_ = kNever;  // of this rank itself
  note_progress(context);
}

void CheckpointRestart::note_progress(Context& context) {
  if (!recovers_ || delivered_ < goal_) return;
  recovers_ = false;
  goal_ = 0;
  recovered(context, std::exchange(death_s_, kNever));
}

/// Who is further than it was is also where it was, even if it has got fewer messages: those of a
/// termination detector need not be the same again.
void CheckpointRestart::on_committed(Context& context) {
  goal_ = 0;
  note_progress(context);
  delivered_ = 0;
  death_s_ = kNever;
}

void CheckpointRestart::digest_state(Digest& into) const {
  CheckpointedLayer::digest_state(into);
  into.add(history_);
}

}  // namespace faultline
