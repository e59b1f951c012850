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

void ProgramGate::begin_again(RecoveryContext& context) {
  close();
  drop_unsent(context);
  begun_ = quiet_ = false;
  reset_counts();
  start_anew(context);
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
  if (message.channel == Family::workload) return keeps_program_ && quiet_;
  return !begun_ || quiet_ || !up_;
}

/// What has been held meanwhile, of messages and of local events, is offered again then.
void ProgramGate::end_quiet(RecoveryContext& context, MessageSteps& steps) {
  if (holds_local_events()) hand_up_later(context);
  quiet_ = false;
  if (begun_ || resumes_ || keeps_program_) send_unsent(context, steps);
}

/// What an image has brought back, its program has sent in another life.
void ProgramGate::send_unsent(RecoveryContext& context, MessageSteps& steps) {
  begun_ = true;
  std::size_t brought_back = std::exchange(brought_back_, 0);
  for (Message& message : std::exchange(unsent_, {})) {
    ++sent_;
    steps.stamp(context, message);
    const bool is_again = brought_back > 0 && message.channel == Family::workload;
    if (brought_back > 0) --brought_back;
    if (is_again)
      context.resend(message);
    else
      context.release(message);
  }
}

/// What the program has sent since is undone.
void ProgramGate::drop_unsent(RecoveryContext& context) {
  for (std::size_t i = brought_back_; i < unsent_.size(); ++i)
    if (unsent_[i].channel == Family::workload) context.discard(unsent_[i]);
  unsent_.clear();
  brought_back_ = 0;
}

void ProgramGate::put_back(RecoveryContext& context, const std::vector<Message>& unsent) {
  drop_unsent(context);
  unsent_ = unsent;
  brought_back_ = unsent.size();
  quiet_ = false;
  begun_ = true;
  reset_counts();
}

}  // namespace faultline::message_logging
