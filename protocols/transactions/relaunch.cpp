// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/relaunch.hpp"

#include <utility>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/transaction_requests.hpp"

namespace faultline::transactions {

namespace {

OptionSet<RelaunchOptions> options() {
  using Options = RelaunchOptions;
  return world_options<Options>().option(
      "relaunch_s", world_option<Options>(&WorldOptions::spawn_s),
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
       .traits =
           RecoveryTraits{
               .needs_detection = true, .needs_logging_off = true, .takes_all_back = true},
       .message_kinds = world_kinds({"at-end", "end"}),
       .metrics = world_metrics(),
       .marks = world_marks()},
      options());
  made.check = world_problems;
  made.declare<RecoveryTraits>().check_under_deaths = death_problems;
  return made;
}

const Registered registered{relaunch()};

}  // namespace

Relaunch::Relaunch(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : WorldLayer(*options, job, self, false), options_(std::move(options)) {}

/// The launcher ends all other processes. If the job has come to its end, the processes that do not
/// know it yet wait for the leader.
void Relaunch::on_death(RecoveryContext& context, ActorId) {
  if (!ended_) {
    world_.stop_program(context);
    return world_.regroup(context, *this);
  }
  if (!leads()) tell_end(context, leader());
}

/// Another process may have died meanwhile.
void Relaunch::on_world(RecoveryContext& context) {
  world_.give_back(context);
  leave_request_.reset();
  knows_end_ = ended_ = false;
  ends_below_ = 0;
  if (world_.members().dead().empty())
    world_.restore(context, *this);
  else
    world_.regroup(context, *this);
}

void Relaunch::on_request(RecoveryContext& context, const StackRequest& request) {
  if (world_.on_request(context, request, *this)) return;
  if (request.is<LeaveWorld>()) {
    leave_request_ = request;
    return pass_on_end(context);
  }
  if (request.is<StartBlock>()) context.answer(request, BlockStarted{});
}

// ---- the end of the job -----------------------------------------------------------------------

void Relaunch::pass_on_end(RecoveryContext& context) {
  const WorldMembers& members = world_.members();
  if (world_.phase() != WorldPhase::running || !leave_request_ ||
      ends_below_ < termination::ControlTree{members.processes()}.child_count(members.self()))
    return;
  if (members.self() == 0) return on_end(context, members.epoch(), 0);
  context.send(termination::ControlTree::parent(members.self()), kAtEnd, options_->control_bytes)
      .payload.put(members.epoch());
}

/// Each rank tells the ranks below it, and those that wait for a new world.
void Relaunch::end(RecoveryContext& context) {
  ended_ = true;
  world_.end_regrouping();
  termination::ControlTree{world_.members().processes()}.for_each_child(
      world_.members().self(), [&](Rank child) { tell_end(context, child); });
  for (const Ready& ready : world_.waiting_ranks()) tell_end(context, ready.from.actor);
  if (leave_request_) context.answer(*leave_request_, LeaveWorld{});
}

void Relaunch::tell_end(RecoveryContext& context, ActorId to) const {
  context.send(to, kEnd, options_->control_bytes).payload.put(world_.members().epoch());
}

void Relaunch::on_message(RecoveryContext& context, const Message& message) {
  if (message.kind < WorldMessage::kinds) return world_.on_message(context, message, *this);
  const auto of = message.payload.get<WorldEpoch>();
  if (message.kind == kEnd) return on_end(context, of, message.from);
  if (world_.belongs_elsewhere(message, of) || world_.phase() == WorldPhase::regrouping) return;
  ++ends_below_;
  pass_on_end(context);
}

/// A rank that has reported that it waits for a new world leaves it to the leader whether there
/// will be one.
void Relaunch::on_end(RecoveryContext& context, const WorldEpoch& of, ActorId from) {
  if (world_.phase() == WorldPhase::spawned) {
    ended_ = true;
    return context.finish();
  }
  if (ended_ || of != world_.members().epoch()) return;
  if (world_.phase() != WorldPhase::regrouping || leads() || leader() == from) return end(context);
  knows_end_ = true;
  tell_end(context, leader());
}

void Relaunch::on_leader_told(RecoveryContext& context) {
  if (knows_end_ && leads())
    end(context);
  else if (knows_end_)
    tell_end(context, leader());
}

void Relaunch::on_late_ready(RecoveryContext& context, ActorId from) {
  if (ended_) tell_end(context, from);
}

void Relaunch::digest_state(Digest& into) const {
  into.add(world_, leave_request_, ends_below_, knows_end_, ended_);
}

}  // namespace faultline::transactions
