// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/checkpoint_restart.hpp"

#include <algorithm>
#include <utility>

#include "protocols/message_logging/logging_options.hpp"

namespace faultline::message_logging {

namespace {

OptionSet<checkpoints::CheckpointOptions> options() {
  OptionSet<checkpoints::CheckpointOptions> set;
  add_checkpoint_options(set);
  add_interval_option(set);
  return set;
}

const Registered registered{registration<CheckpointRestart>(
    {.family = Family::message_logging,
     .name = "checkpoint-restart",
     .summary = "coordinated checkpoints, kept at a rank of another node; after a death all ranks "
                "go back to the last one",
     .source = "fast-message-logging section 2; in-memory checkpoints with a buddy as in Charm++",
     .traits = RecoveryTraits{.needs_detection = true,
                              .takes_images = true,
                              .takes_all_back = true,
                              .check_with_workload = check_interval,
                              .times_checkpoints = times_checkpoints},
     .message_kinds = checkpoints::checkpoint_kinds(),
     .metrics = program_metrics(),
     .marks = program_marks()},
    options())};

}  // namespace

// ---- messages ---------------------------------------------------------------------------------

void CheckpointRestart::stamp(RecoveryContext&, Message& message) {
  message.logging.put(program_.stamp(static_cast<std::uint32_t>(history_)));
}

/// What belongs to an earlier history is undone. What belongs to a later one, or to a later epoch,
/// waits until this rank has got there, too.
Admission CheckpointRestart::admit(RecoveryContext& context, Message& message) {
  const auto stamp = message.logging.get<LoggingStamp>();
  if (stamp.level < history_) return Admission::discard;
  if (stamp.level > history_ || stamp.epoch > program_.epoch()) return Admission::hold;
  ++delivered_;
  program_.count_received(context);
  note_progress(context);
  return Admission::deliver;
}

// ---- a restart --------------------------------------------------------------------------------

void CheckpointRestart::on_joined(RecoveryContext&, Rank, RestartReport&) {
  death_s_ = std::min(death_s_, program_.wave().death_s());
}

void CheckpointRestart::on_agreed(RecoveryContext& context) {
  goal_ = std::max(goal_, delivered_);
  recovers_ = true;
  death_s_ = std::min(death_s_, program_.wave().death_s());
  program_.roll_back(context);
  if (program_.epoch() == 0) on_begun_anew(context);
}

void CheckpointRestart::on_restored(RecoveryContext& context) {
  program_.on_restored();
  on_begun_anew(context);
  program_.resume(context, *this);
}

/// A new history, from the start of the program or from an image.
void CheckpointRestart::on_begun_anew(RecoveryContext& context) {
  history_ = program_.level();
  delivered_ = 0;
  if (!recovers_) death_s_ = kNever;  // of this rank itself
  note_progress(context);
}

void CheckpointRestart::note_progress(RecoveryContext& context) {
  if (!recovers_ || delivered_ < goal_) return;
  recovers_ = false;
  goal_ = 0;
  program_.note_recovered(context, std::exchange(death_s_, kNever));
}

/// A rank that is further than it was has also reached its old state, even if it has got fewer
/// messages: those of a termination detector need not be the same again.
void CheckpointRestart::on_committed(RecoveryContext& context) {
  goal_ = 0;
  note_progress(context);
  delivered_ = 0;
  death_s_ = kNever;
}

}  // namespace faultline::message_logging
