// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/relaunch.hpp"

#include "protocols/termination/control_tree.hpp"
#include "protocols/transactions/world_options.hpp"

namespace faultline {

namespace {

OptionSet<RelaunchOptions> options() {
  using Options = RelaunchOptions;
  const auto spawn_s = [](double WorldOptions::*of) -> double Options::* { return of; };
  return world_options<Options>().option(
      "relaunch_s", spawn_s(&WorldOptions::spawn_s),
      {.doc = "time from the end of the job until its processes start again",
       .unit = "s",
       .source = "assumed",
       .minimum = 0.0,
       .maximum = 1e9});
}

Registration relaunch() {
  Registration made = registration<Relaunch>(
      {.family = Family::transactions,
       .name = "relaunch",
       .summary = "a death ends the job, which starts again from its last checkpoint",
       .source = "fampi-2015 section 1: checkpoint and restart, to which FA-MPI is compared",
       .traits = {.tolerates_faults = true, .needs_detection = true, .needs_logging_off = true},
       .message_kinds = world_kinds({"at-end", "end"}),
       .metrics = world_metrics(),
       .marks = world_marks()},
      options());
  made.check = world_problems;
  made.check_under_deaths = death_problems;
  return made;
}

const Registered registered{relaunch()};

}  // namespace

Relaunch::Relaunch(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
    : WorldLayer(options, job, self) {}

/// The launcher ends all other processes. If the job has come to its end, the processes that do not
/// know it yet wait for the leader.
void Relaunch::on_death(Context& context, ActorId) {
  if (!ended_) {
    stop_program(context);
    return regroup(context);
  }
  if (leader() != self()) tell_end(context, leader());
}

/// Another process has died meanwhile.
void Relaunch::on_world(Context& context) {
  leave_request_.reset();
  knows_end_ = ended_ = false;
  ends_below_ = 0;
  if (!dead().empty()) regroup(context);
}

void Relaunch::on_block_request(Context& context, const StackRequest& request) {
  if (request.is<LeaveWorld>()) {
    leave_request_ = request;
    return pass_on_end(context);
  }
  if (request.is<StartBlock>()) context.answer(request, BlockStarted{});
}

// ---- the end of the job -----------------------------------------------------------------------

void Relaunch::pass_on_end(Context& context) {
  if (phase() != Phase::running || !leave_request_ ||
      ends_below_ < ControlTree{processes()}.child_count(self()))
    return;
  if (self() == 0) return on_end(context, epoch(), 0);
  context.send(ControlTree::parent(self()), kAtEnd, world_options().control_bytes)
      .payload.put(epoch());
}

/// Each rank tells the ranks below it, and those that wait for a new world.
void Relaunch::end(Context& context) {
  ended_ = true;
  set_phase(Phase::running);
  ControlTree{processes()}.for_each_child(self(), [&](Rank child) { tell_end(context, child); });
  for (const Rank rank : waiting_ranks()) tell_end(context, rank);
  if (leave_request_) context.answer(*leave_request_, LeaveWorld{});
}

void Relaunch::tell_end(Context& context, Rank to) const {
  context.send(to, kEnd, world_options().control_bytes).payload.put(epoch());
}

void Relaunch::on_own_message(Context& context, const Message& message) {
  const auto of = message.payload.get<WorldEpoch>();
  if (message.kind == kEnd) return on_end(context, of, message.from);
  if (belongs_elsewhere(message, of) || phase() == Phase::regrouping) return;
  ++ends_below_;
  pass_on_end(context);
}

/// A rank that has reported that it waits for a new world leaves it to the leader whether there
/// will be one.
void Relaunch::on_end(Context& context, const WorldEpoch& of, Rank from) {
  if (phase() == Phase::spawned) {
    ended_ = true;
    return context.finish();
  }
  if (ended_ || of != epoch()) return;
  if (phase() != Phase::regrouping || leader() == self() || leader() == from) return end(context);
  knows_end_ = true;
  tell_end(context, leader());
}

void Relaunch::on_leader_told(Context& context) {
  if (knows_end_ && leader() == self())
    end(context);
  else if (knows_end_)
    tell_end(context, leader());
}

void Relaunch::on_late_ready(Context& context, Rank rank) {
  if (ended_) tell_end(context, rank);
}

void Relaunch::digest_state(Digest& into) const {
  WorldLayer::digest_state(into);
  into.add(leave_request_, ends_below_, knows_end_, ended_);
}

}  // namespace faultline
