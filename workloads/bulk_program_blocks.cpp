// SPDX-License-Identifier: Apache-2.0

// What a program asks the family `transactions`: its TryBlocks, and the worlds in which it goes on.

#include <algorithm>
#include <utility>

#include "sim/core/block_presumed.hpp"
#include "sim/core/checkpoint_request.hpp"
#include "workloads/bulk_program.hpp"

namespace faultline::workloads {

// ---- TryBlocks --------------------------------------------------------------------------------

void BulkProgram::begin_block(WorkloadContext& context) {
  const bool begins = step().local || program_->begins_block(iteration_);
  if (!has_blocks_ || !begins) return next_step();
  if (step().local) {
    open_.push_back({step_, false});
    return next_step();
  }
  operations_.enter_epoch(context, ++attempt_);
  tag_ = errors_ = cancelled_ = 0;
  waits_ = Waits::start;
  context.ask(Family::transactions, StartBlock{attempt_}, attempt_);
}

void BulkProgram::raise_error() {
  raises_next_ = open_.empty();
  if (raises_next_) return;
  open_.back().failed = true;
  ++errors_;
}

bool BulkProgram::has_failed() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const OpenBlock& block) { return block.failed; });
}

/// A failure in an inner TryBlock is a failure in the one around it, which is then given up.
void BulkProgram::finish_block(WorkloadContext& context) {
  if (open_.empty()) return next_step();
  const OpenBlock block = open_.back();
  const bool is_local = program_->steps[block.begin].local;
  if (!is_local && !block.failed && !program_->ends_block(iteration_)) return next_step();
  open_.pop_back();
  if (!is_local) {
    const FinishBlock finish{attempt_, errors_, cancelled_};
    context.ask(Family::transactions, finish, attempt_);
    return ask_for_outcome(context);
  }
  if (!block.failed || open_.empty()) return next_step();
  open_.back().failed = true;
  step_ = program_->finish_of(open_.back().begin);
  finish_block(context);
}

void BulkProgram::give_block_up(WorkloadContext& context) {
  const std::uint32_t late = operations_.count(OperationState::timed_out);
  const std::uint32_t pending = operations_.count(OperationState::pending);
  errors_ += operations_.count(OperationState::failed) + late;
  cancelled_ += pending;
  timed_out_ += late;
  all_cancelled_ += pending;
  operations_.cancel_all(context);
  operations_.forget_ended();
  operations_.shrink();
  open_.back().failed = true;
  step_ = program_->finish_of(open_.back().begin);
  finish_block(context);
}

void BulkProgram::ask_for_outcome(WorkloadContext& context) {
  waits_ = Waits::outcome;
  timeout_s_ = kNever;
  context.ask(Family::transactions, WaitBlock{attempt_}, attempt_);
}

/// If a commit takes too long, the rank asks for it again: it is the same commit.
void BulkProgram::on_outcome(WorkloadContext& context, BlockVerdict verdict) {
  if (verdict == BlockVerdict::accepted) return next_step();
  if (verdict == BlockVerdict::timed_out) {
    context.ask(Family::transactions, FinishBlock{attempt_, errors_, cancelled_}, attempt_);
    return ask_for_outcome(context);
  }
  waits_ = Waits::world;
  context.ask(Family::transactions, QueryBlock{.attempt = attempt_}, attempt_);
  context.ask(Family::transactions, RecoverWorld{});
}

/// A rank that has come to its end only waits to be released.
void BulkProgram::stop(WorkloadContext& context) {
  if (waits_ == Waits::leave || waits_ == Waits::end) return;
  abandon(context);
  waits_ = Waits::world;
}

/// Ends the requests and computations that are under way.
void BulkProgram::abandon(WorkloadContext& context) {
  operations_.cancel_all(context);
  if (waits_ == Waits::compute) context.cancel_computations();
  open_.clear();
}

/// Goes on from here, whatever the program was doing.
void BulkProgram::enter(WorkloadContext& context, const WorldEntered& entered) {
  abandon(context);
  if (entered.epoch == epoch_ && attempt_ > 0) {
    operations_.enter_epoch(context, ++attempt_);
    operations_.forget_ended();
  } else {
    operations_.begin_again(context);
    attempt_ = 0;
  }
  epoch_ = entered.epoch;
  tag_ = 0;
  timeout_s_ = kNever;
  iteration_ = entered.iteration;
  take_rank();
  state_ = entered.finds_state_itself != 0
               ? states().state_after(*program_, data_rank(), iteration_, others_->shrunk)
               : entered.state;
  step_ = 0;
  waits_ = Waits::nothing;
  if (iteration_ >= reached_ && !redoes_) return;
  redoes_ = iteration_ < reached_;
  context.mark(redoes_ ? kRedoMark : kRedoneMark, static_cast<std::int64_t>(iteration_));
}

/// Takes its rank of the world that it has been told of. The program will repeat, in this world,
/// the later iterations that it had done.
void BulkProgram::take_rank() {
  world_ = others_->next.size() > 0 ? std::exchange(others_.change().next, World(0))
                                    : World(program_->processes);
  const Rank now = *world_.rank_of(self_);
  if (now != rank_) program_ = (*programs_)(now);
  rank_ = now;
  if (OtherWorlds* others = others_.changed())
    std::erase_if(others->shrunk,
                  [this](const WorldSince& since) { return since.iteration >= iteration_; });
  if (world_.size() < program_->processes)
    others_.change().shrunk.push_back({iteration_, world_.size()});
}

/// The rank whose data the process has: its own, unless the program goes on without the data of
/// others.
Rank BulkProgram::data_rank() const { return others_->shrunk.empty() ? rank_ : self_; }

void BulkProgram::on_started(const BlockStarted& started) {
  if (started.released != 0) {
    if (!open_.empty()) open_.front().failed = true;
  } else if (waits_ == Waits::start) {
    timeout_s_ = started.request_timeout_s;
    open_.push_back({step_, false});
    next_step();
    if (raises_next_) raise_error();
  }
}

void BulkProgram::on_answer(WorkloadContext& context, const StackRequest& answer) {
  if (answer.is<WorldPart>()) {
    const auto part = answer.get<WorldPart>();
    return others_.change().next.append(part.actor, part.count);
  }
  if (answer.is<MemberLife>()) {
    operations_.on_peer_restarted(context, answer.get<MemberLife>().life);
    return;  // entering the world abandons what this is about
  }
  if (answer.is<WorldEntered>()) {
    enter(context, answer.get<WorldEntered>());
  } else if (answer.is<JobEnded>()) {
    stop(context);
  } else if (answer.is<LeaveWorld>()) {
    if (waits_ == Waits::leave) end_program(context);
  } else if (answer.is<BlockStarted>()) {
    const auto started = answer.get<BlockStarted>();
    if (started.attempt == 0 && waits_ == Waits::start) next_step();
    if (started.attempt == attempt_) on_started(started);
  } else if (answer.is<BlockOutcome>()) {
    const auto outcome = answer.get<BlockOutcome>();
    if (waits_ == Waits::outcome && outcome.attempt == attempt_)
      on_outcome(context, outcome.verdict);
  } else if (answer.is<BlockPresumed>()) {
    if (waits_ == Waits::outcome && answer.get<BlockPresumed>().attempt == attempt_) next_step();
  } else if (answer.is<CheckpointRequest>()) {
    on_image(context, answer.get<CheckpointRequest>().number);
  } else if (answer.is<CheckpointSaved>()) {
    if (waits_ == Waits::saved && answer.get<CheckpointSaved>().iteration == iteration_ + 1)
      next_step();
  }
  walk(context);
}

}  // namespace faultline::workloads
