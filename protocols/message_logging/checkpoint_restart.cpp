#include "protocols/message_logging/checkpoint_restart.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

namespace {

const Registered registered{registration<CheckpointRestart>(
    {.family = Family::message_logging,
     .name = "checkpoint-restart",
     .summary = "coordinated checkpoints, kept at a rank of another node; after a death all ranks "
                "go back to the last one",
     .source = "fast-message-logging section 2; in-memory checkpoints with a buddy as in Charm++",
     .traits = {.tolerates_faults = true, .needs_detection = true, .takes_images = true},
     .message_kinds = checkpoint_kinds(),
     .metrics = checkpoint_metrics()},
    checkpoint_options())};

constexpr std::uint64_t kBegin = 1;  ///< a timer; 0 is that of all layers with checkpoints

}  // namespace

void CheckpointRestart::on_sends(Context& context, std::span<Message* const> batch, bool) {
  for (Message* message : batch) {
    if (holds_back(*message)) {
      unsent_.push_back(*message);
      if (!begun_ && !waits()) context.set_timer(kBegin, 0.0);
      continue;
    }
    stamp(*message);
    context.forward(*message);
  }
}

/// Before the first checkpoint, too: a rank that dies then begins anew, and no other rank may stand
/// on anything that it has sent.
bool CheckpointRestart::holds_back(const Message& message) const {
  return message.channel != Family::workload && (!begun_ || waits() || !is_up());
}

void CheckpointRestart::stamp(Message& message) {
  message.logging.put(
      LoggingStamp{static_cast<std::uint32_t>(epoch()), static_cast<std::uint32_t>(history_), 0});
  ++sent_;
}

void CheckpointRestart::release_unsent(Context& context) {
  begun_ = true;
  for (Message& message : std::exchange(unsent_, {})) {
    stamp(message);
    context.release(message);
  }
}

/// All components have started, and the program has asked for nothing: it never does.
void CheckpointRestart::on_timer(Context& context, std::uint64_t key) {
  if (key != kBegin) return CheckpointedLayer::on_timer(context, key);
  if (!begun_ && !waits() && is_up()) release_unsent(context);
}

/// What belongs to an earlier history is undone. What belongs to a later one, or to a later epoch,
/// waits until this rank has got there, too.
CheckpointedLayer::Verdict CheckpointRestart::admit(Context& context, Message& message) {
  const auto stamp = message.logging.get<LoggingStamp>();
  if (stamp.level < history_) return Verdict::discard;
  if (stamp.level > history_ || stamp.epoch > epoch()) return Verdict::hold;
  ++delivered_;
  ++received_;
  received(context);
  note_progress(context);
  return Verdict::deliver;
}

void CheckpointRestart::on_agreed(Context& context) {
  goal_ = std::max(goal_, delivered_);
  death_s_ = wave().death_s();
  roll_back(context);
  if (epoch() == 0) on_up(context);
}

void CheckpointRestart::on_up(Context& context) {
  history_ = level();
  sent_ = received_ = 0;
  delivered_ = 0;
  death_s_ = wave().death_s();
  note_progress(context);
}

void CheckpointRestart::note_progress(Context& context) {
  if (delivered_ < goal_ || goal_ == 0) return;
  goal_ = 0;
  recovered(context, death_s_);
}

void CheckpointRestart::digest_state(Digest& into) const {
  CheckpointedLayer::digest_state(into);
  into.add(history_, begun_, unsent_, sent_, received_);
}

}  // namespace faultline
