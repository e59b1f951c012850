// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/ulfm_recovery.hpp"

#include <algorithm>
#include <utility>

#include "protocols/transactions/revoke_graph.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::transactions {

namespace {

OptionSet<WorldOptions> options() {
  return world_options<WorldOptions>()
      .option("recovery", &WorldOptions::recovery, recovery_notes())
      .option("spawn_s", &WorldOptions::spawn_s, spawn_time_notes());
}

constexpr MetricSpec kShrinks{"shrinks", Merge::maximum,
                              "how often a rank began to shrink a world, or began again because of "
                              "a further death; the rank with the most"};

constexpr Mark kRevokeMark{"revoke", "a rank revokes its world: the number of the epoch"};

Registration ulfm() {
  Registration made = registration<UlfmRecovery>(
      {.family = Family::transactions,
       .name = "ulfm",
       .summary = "ULFM: a rank that meets an error revokes the world; the ranks shrink it, "
                  "replace the dead, and redo the TryBlock",
       .source = "Bland et al., Post-failure recovery of MPI communication capability, IJHPCA "
                 "27(3), 2013; Open MPI's communicator/ft and coll/ftagree",
       .traits = RecoveryTraits{.needs_detection = true,
                                .needs_logging_off = true,
                                .commits_blocks = true,
                                .takes_all_back = true},
       .message_kinds = world_kinds({"up", "down", "result-request", "revoke"}),
       .metrics = world_metrics({&kShrinks, &kCommitTime, &kBlockTime, &kBlocksCommitted,
                                 &kBlocksRejected, &kAgreementMessages}),
       .marks = world_marks({&kContributedMark, &kDecidedMark, &kRevokeMark, &kShrinkMark})},
      options());
  made.check = world_problems;
  made.declare<RecoveryTraits>().check_with_workload = [](const OptionValues& own,
                                                          const Registration& workload,
                                                          const OptionValues& workload_options) {
    if (!workload.as<WorkloadTraits>().try_blocks) return std::vector<OptionProblem>();
    return block_problems(own, workload,
                          workload.as<WorkloadTraits>().try_blocks(workload_options));
  };
  made.declare<RecoveryTraits>().check_under_deaths = death_problems;
  return made;
}

const Registered registered{ulfm()};

std::uint64_t rebuild_agreements(const WorldOptions& options) {
  if (options.recovery == "shrink") return 0;
  return options.recovery == "merge" ? UlfmRecovery::kMergeAgreements
                                     : UlfmRecovery::kRebuildAgreements;
}

}  // namespace

UlfmRecovery::UlfmRecovery(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : WorldLayer(*options, job, self, true),
      options_(std::move(options)),
      rebuild_agreements_(rebuild_agreements(*options_)),
      agreement_(AgreementAlgorithm::era, self, job.processes) {}

// ---- the world --------------------------------------------------------------------------------

/// A process that died while the world was put together has been replaced, too. That attempt counts
/// as failed: the next one begins with a shrink, which finds nobody dead.
bool UlfmRecovery::replaces_only_the_shrunk() const {
  const std::vector<ActorId>& fresh = members().replacements().fresh;
  return !shrunk_ || std::all_of(fresh.begin(), fresh.end(), [this](ActorId actor) {
    return std::find(shrunk_->begin(), shrunk_->end(), actor) != shrunk_->end();
  });
}

void UlfmRecovery::on_world(RecoveryContext& context) {
  stage_ = Stage::rebuild;
  number_ = 0;
  has_decided_ = revoked_ = false;
  block_.reset();
  block_.forget_requests();
  agreement_.enter(context, members(), *this);
  if (rebuild_agreements_ == 0) return await_data(context);
  contribute(context, replaces_only_the_shrunk());
}

/// The world is complete; a rank that knows of a death does not wait for data.
void UlfmRecovery::await_data(RecoveryContext& context) {
  stage_ = Stage::restore;
  number_ = rebuild_agreements_;
  contributed_ = false;
  if (!members().dead().empty()) return contribute(context, false);
  world_.give_back(context);
  world_.restore(context, *this);
}

void UlfmRecovery::on_death(RecoveryContext& context, ActorId dead) {
  if (world_.phase() == WorldPhase::entering) return;
  const Rank rank = *members().world().rank_of(dead);
  agreement_.on_death(context, rank, *this);
  if (revoked_)
    for (const Rank to : mended_targets(members(), rank)) send_revoke(context, to);
  if (world_.give_up_data()) contribute(context, false);
}

void UlfmRecovery::on_message(RecoveryContext& context, const Message& message) {
  if (message.kind < WorldMessage::kinds) return world_.on_message(context, message, *this);
  if (world_.belongs_elsewhere(message, message.payload.get<AgreementWords>().epoch)) return;
  if (message.kind != kRevoke) return agreement_.on_message(context, message, members(), *this);
  if (revoked_) return;
  revoke(context);
  release(context);
}

// ---- TryBlocks --------------------------------------------------------------------------------

void UlfmRecovery::on_request(RecoveryContext& context, const StackRequest& request) {
  if (world_.on_request(context, request, *this)) return;
  if (request.is<StartBlock>()) return start_block(context, request);
  if (request.is<FinishBlock>()) return finish_block(context, request.get<FinishBlock>());
  if (request.is<RecoverWorld>()) return begin_shrink(context);
  if (request.is<LeaveWorld>()) return context.answer(request, LeaveWorld{});
  if (request.is<QueryBlock>()) return block_.answer_query(context, request, members());
  invariant(request.is<WaitBlock>(), "a program asks for something other than TryBlocks");
  block_.wait(request);
  if (block_.outcome()) block_.answer_outcome(context);
}

void UlfmRecovery::start_block(RecoveryContext& context, const StackRequest& request) {
  stage_ = Stage::block;
  contributed_ = false;
  block_.forget_outcome();
  block_.start(context, request);
  number_ = rebuild_agreements_ + block_.attempt();
  if (revoked_) release(context);
}

void UlfmRecovery::finish_block(RecoveryContext& context, const FinishBlock& finish) {
  if (contributed_ || finish.attempt != block_.attempt()) return;
  if (finish.errors > 0 && !revoked_) revoke(context);
  contribute(context, finish.errors == 0 && !revoked_);
}

// ---- agreement --------------------------------------------------------------------------------

void UlfmRecovery::contribute_to_next(RecoveryContext& context, bool success) {
  ++number_;
  contribute(context, success);
}

void UlfmRecovery::contribute(RecoveryContext& context, bool success) {
  contributed_ = true;
  block_.statistics.contributed_s = context.now_s();
  context.mark(kContributedMark, marked_attempt());
  agreement_.contribute(context, number_, {.success = success}, members(), *this);
}

void UlfmRecovery::carry_out(RecoveryContext& context, const AgreementOutput& output) {
  const auto decision = std::find_if(
      output.decisions.begin(), output.decisions.end(),
      [this](const AgreementOutput::Decision& made) { return made.number == number_; });
  const bool decides = decision != output.decisions.end();
  if (decides) context.mark(kDecidedMark, marked_attempt());
  agreement_.send(context, output, members());
  if (decides) on_decision(context, decision->value);
}

void UlfmRecovery::on_decision(RecoveryContext& context, const AgreementValue& value) {
  has_decided_ = true;
  world_.add_dead(value.failed);
  switch (stage_) {
    case Stage::rebuild:
      if (!value.accepts()) return begin_shrink(context);
      if (number_ + 1 == rebuild_agreements_) return await_data(context);
      return contribute_to_next(context, true);
    case Stage::restore:
      if (!value.accepts()) return begin_shrink(context);
      return world_.resume(context, *this);
    case Stage::block:
      block_.set_outcome(value);
      block_.statistics.on_decision(value.accepts(), context.now_s());
      if (block_.is_awaited()) block_.answer_outcome(context);
      return;
    case Stage::shrink:
      return on_shrunk(context, value);
  }
}

// ---- shrinking --------------------------------------------------------------------------------

void UlfmRecovery::begin_shrink(RecoveryContext& context) {
  stage_ = Stage::shrink;
  shrink_step_ = 0;
  ++shrinks_;
  context.mark(kShrinkMark, members().epoch().number);
  contribute_to_next(context, true);
}

/// The first agreement determines which ranks have failed. If a later one finds others, all begin
/// again.
void UlfmRecovery::on_shrunk(RecoveryContext& context, const AgreementValue& value) {
  std::vector<ActorId> lost = members().actors_of(value.failed);
  const bool begins_again = shrink_step_ > 0 && lost != shrunk_;
  shrunk_ = std::move(lost);
  if (begins_again) ++shrinks_;
  shrink_step_ = begins_again ? 0 : shrink_step_ + 1;
  if (shrink_step_ < kShrinkAgreements) return contribute_to_next(context, true);
  world_.regroup(context, *this);
}

// ---- revoking ---------------------------------------------------------------------------------

void UlfmRecovery::revoke(RecoveryContext& context) {
  revoked_ = true;
  context.mark(kRevokeMark, members().epoch().number);
  for (const Rank to : revoke_targets(members())) send_revoke(context, to);
}

void UlfmRecovery::send_revoke(RecoveryContext& context, Rank to) const {
  context.send(members().world().actor_of(to), kRevoke, options_->control_bytes)
      .payload.put(AgreementWords{members().epoch()});
}

/// The requests of the TryBlock end with an error.
void UlfmRecovery::release(RecoveryContext& context) {
  if (!contributed_ && stage_ == Stage::block && block_.has_started()) block_.release(context);
}

// ---- seen from outside ------------------------------------------------------------------------

void UlfmRecovery::report(MetricTotals& totals) const {
  world_.report(totals);
  agreement_.report(totals);
  block_.statistics.report(totals);
  totals.put(kShrinks, shrinks_);
}

std::string UlfmRecovery::waiting_for() const {
  std::string mine = world_.waiting_for();
  return mine.empty() ? agreement_.waiting_for() : mine;
}

void UlfmRecovery::digest_state(Digest& into) const {
  into.add(world_, agreement_, block_, stage_, number_, contributed_, has_decided_, revoked_,
           shrink_step_, shrunk_);
}

}  // namespace faultline::transactions
