// SPDX-License-Identifier: Apache-2.0

// What layers of message logging do below a termination detector: its messages are no part of the
// program, so they do not stop when the program waits for a checkpoint.

#include <utility>

#include "protocols/message_logging/checkpointed_layer.hpp"

namespace faultline {

// ---- what goes down ---------------------------------------------------------------------------

void CheckpointedLayer::on_sends(Context& context, std::span<Message* const> batch, bool) {
  for (Message* message : batch) {
    if (!goes_down(context, *message)) continue;
    stamp(context, *message);
    context.forward(*message);
  }
}

bool CheckpointedLayer::goes_down(Context& context, const Message& message) {
  if (!keeps_back(message)) {
    ++rare_->sent;
    return true;
  }
  rare_->unsent.push_back(message);
  if (!begun_ && !waits()) context.set_timer(kBegin, 0.0);
  return false;
}

/// Before the first checkpoint, too: a rank that dies then begins anew, and no other rank may stand
/// on anything that it has sent.
bool CheckpointedLayer::keeps_back(const Message& message) const {
  return message.channel != Family::workload && (!begun_ || quiet_ || !up_);
}

/// The program goes on, or the checkpoint that all were quiet for does not come about.
void CheckpointedLayer::end_quiet(Context& context) {
  quiet_ = false;
  if (begun_ || resumes_) send_unsent(context);
}

void CheckpointedLayer::send_unsent(Context& context) {
  begun_ = true;
  for (Message& message : std::exchange(rare_->unsent, {})) {
    ++rare_->sent;
    stamp(context, message);
    context.release(message);
  }
}

// ---- what comes up ----------------------------------------------------------------------------

/// The message is still to be handled: an image cannot be taken before that.
void CheckpointedLayer::received(Context& context) {
  ++rare_->received;
  if (!rare_->round.counts() || rare_->wave.joined() != level()) return;
  if (rare_->round.received(context) != CheckpointRound::Due::take) return;
  rare_->take_due = true;
  context.set_timer(kTryAgain, kTryAgain_s);
}

void CheckpointedLayer::hand_up(Context& context, const Message& message) {
  if (has_detector_) received(context);
  context.deliver(message);
}

void CheckpointedLayer::hold_again(std::vector<Message> messages) {
  messages.insert(messages.end(), held_.begin(), held_.end());
  held_ = std::move(messages);
}

/// Offers what was held again until one is handed up.
bool CheckpointedLayer::release_one_held(Context& context) {
  bool any = false;
  for (Message& message : std::exchange(held_, {})) {
    const Verdict verdict = any ? Verdict::hold : admit(context, message);
    if (verdict == Verdict::deliver) context.deliver(message);
    if (verdict == Verdict::discard) context.discard(message);
    if (verdict == Verdict::hold) held_.push_back(std::move(message));
    any = any || verdict == Verdict::deliver;
  }
  return any;
}

}  // namespace faultline
