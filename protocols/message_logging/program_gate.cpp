// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/program_gate.hpp"

#include <utility>

namespace faultline::message_logging {

// ---- what comes up ----------------------------------------------------------------------------

/// A program that never asks for a checkpoint gets no answer after which what is held could come.
void ProgramGate::start_anew(RecoveryContext& context) {
  up_ = true;
  starts_ = !held_.empty();
  if (starts_) context.set_timer(ProgramTimer::started, 0.0);
}

Passage ProgramGate::pass(RecoveryContext& context, Message& message, Admission admission,
                          std::vector<Message>& held) {
  if (admission == Admission::deliver) return Passage::deliver;
  if (admission == Admission::discard) context.discard(message);
  if (admission == Admission::hold) held.push_back(message);
  return Passage::hold;
}

Passage ProgramGate::on_receive(RecoveryContext& context, Message& message, MessageSteps& steps) {
  const bool is_next = held_.empty() || !singly_;
  if (is_open() && is_next) return pass(context, message, steps.admit(context, message), held_);
  if (!is_next) hand_up_later(context);
  return pass(context, message, Admission::hold, held_);
}

void ProgramGate::release_held(RecoveryContext& context, MessageSteps& steps) {
  if (held_.empty()) return;
  if (singly_) return hand_up_later(context);
  for (Message& message : std::exchange(held_, {})) {
    const Admission admission = is_open() ? steps.admit(context, message) : Admission::hold;
    if (pass(context, message, admission, held_) == Passage::deliver) context.deliver(message);
  }
}

bool ProgramGate::release_one_held(RecoveryContext& context, MessageSteps& steps) {
  bool any = false;
  for (Message& message : std::exchange(held_, {})) {
    const Admission admission = any ? Admission::hold : steps.admit(context, message);
    if (pass(context, message, admission, held_) != Passage::deliver) continue;
    context.deliver(message);
    any = true;
  }
  return any;
}

void ProgramGate::hold_again(std::vector<Message> messages) {
  messages.insert(messages.end(), held_.begin(), held_.end());
  held_ = std::move(messages);
}

// ---- what goes down ---------------------------------------------------------------------------

bool ProgramGate::lets_down(RecoveryContext& context, const Message& message, bool waits) {
  if (!keeps_back(message)) {
    ++sent_;
    return true;
  }
  unsent_.push_back(message);
  if (!begun_ && !waits) context.set_timer(ProgramTimer::begin, 0.0);
  return false;
}

/// Before the first checkpoint, too: a rank that dies then begins anew, and no other rank may stand
/// on anything that it has sent.
bool ProgramGate::keeps_back(const Message& message) const {
  return message.channel != Family::workload && (!begun_ || quiet_ || !up_);
}

void ProgramGate::end_quiet(RecoveryContext& context, MessageSteps& steps) {
  quiet_ = false;
  if (begun_ || resumes_) send_unsent(context, steps);
}

void ProgramGate::send_unsent(RecoveryContext& context, MessageSteps& steps) {
  begun_ = true;
  for (Message& message : std::exchange(unsent_, {})) {
    ++sent_;
    steps.stamp(context, message);
    context.release(message);
  }
}

void ProgramGate::put_back(const std::vector<Message>& unsent) {
  unsent_ = unsent;
  quiet_ = false;
  begun_ = true;
  reset_counts();
}

}  // namespace faultline::message_logging
