// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/ulfm_recovery.hpp"

#include <algorithm>
#include <utility>

#include "protocols/transactions/agreement_messages.hpp"
#include "protocols/transactions/revoke_graph.hpp"
#include "protocols/transactions/world_options.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

OptionSet<UlfmRecoveryOptions> options() {
  using Options = UlfmRecoveryOptions;
  const auto spawn_s = [](double WorldOptions::*of) -> double Options::* { return of; };
  const auto recovery = [](std::string WorldOptions::*of) -> std::string Options::* { return of; };
  return world_options<Options>()
      .option("recovery", recovery(&WorldOptions::recovery), recovery_notes())
      .option("spawn_s", spawn_s(&WorldOptions::spawn_s), spawn_time_notes());
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
       .traits = {.tolerates_faults = true,
                  .needs_detection = true,
                  .needs_logging_off = true,
                  .commits_blocks = true},
       .message_kinds = world_kinds({"up", "down", "result-request", "revoke"}),
       .metrics = world_metrics({&kShrinks, &kCommitTime, &kBlockTime, &kBlocksCommitted,
                                 &kBlocksRejected, &kAgreementMessages}),
       .marks = world_marks({&kContributedMark, &kDecidedMark, &kRevokeMark, &kShrinkMark})},
      options());
  made.check = world_problems;
  made.check_with_workload = [](const OptionValues& own, const Registration& workload,
                                const OptionValues& workload_options) {
    if (!workload.try_blocks) return std::vector<OptionProblem>();
    return block_problems(own, workload, workload.try_blocks(workload_options));
  };
  made.check_under_deaths = death_problems;
  return made;
}

const Registered registered{ulfm()};

std::uint64_t rebuild_agreements(const WorldOptions& options) {
  if (options.recovery == "shrink") return 0;
  return options.recovery == "merge" ? UlfmRecovery::kMergeAgreements
                                     : UlfmRecovery::kRebuildAgreements;
}

}  // namespace

UlfmRecovery::UlfmRecovery(const std::shared_ptr<const Options>& options, const JobShape& job,
                           Rank self)
    : WorldLayer(options, job, self),
      rebuild_agreements_(rebuild_agreements(*options)),
      agreement_(AgreementAlgorithm::era, self, job.processes) {}

// ---- the world --------------------------------------------------------------------------------

/// A process that died while the world was put together has been replaced, too. That attempt counts
/// as failed: the next one begins with a shrink, which finds nobody dead.
bool UlfmRecovery::replaces_only_the_shrunk() const {
  return !shrunk_ || std::all_of(fresh().begin(), fresh().end(), [this](ActorId actor) {
    return std::find(shrunk_->begin(), shrunk_->end(), actor) != shrunk_->end();
  });
}

void UlfmRecovery::on_world(Context& context) {
  agreement_ = Agreement(AgreementAlgorithm::era, rank(), world().size());
  stage_ = Stage::rebuild;
  number_ = attempt_ = 0;
  has_decided_ = revoked_ = false;
  outcome_.reset();
  start_request_.reset();
  wait_request_.reset();
  AgreementOutput output;
  for (const Incarnation& life : dead())
    agreement_.on_peer_failed(*world().rank_of(life.actor), output);
  carry_out(context, output);
  if (rebuild_agreements_ == 0) return await_data(context);
  contribute(context, replaces_only_the_shrunk());
}

/// The world is complete; a rank that knows of a death does not wait for data.
void UlfmRecovery::await_data(Context& context) {
  stage_ = Stage::restore;
  number_ = rebuild_agreements_;
  contributed_ = false;
  if (dead().empty())
    restore_world(context);
  else
    contribute(context, false);
}

void UlfmRecovery::on_data(Context& context) { contribute(context, true); }

void UlfmRecovery::on_death(Context& context, ActorId actor) {
  if (phase() == Phase::entering) return;
  const Rank rank = *world().rank_of(actor);
  AgreementOutput output;
  agreement_.on_peer_failed(rank, output);
  carry_out(context, output);
  if (revoked_) mend_revocation(context, rank);
  if (phase() != Phase::restoring) return;
  set_phase(Phase::committing);
  contribute(context, false);
}

// ---- TryBlocks --------------------------------------------------------------------------------

void UlfmRecovery::on_block_request(Context& context, const StackRequest& request) {
  if (request.is<StartBlock>()) return start_block(context, request);
  if (request.is<FinishBlock>()) return finish_block(context, request.get<FinishBlock>());
  if (request.is<RecoverWorld>()) return begin_shrink(context);
  if (request.is<LeaveWorld>()) return context.answer(request, LeaveWorld{});
  if (request.is<QueryBlock>())
    return answer_query(context, request, outcome_ ? outcome_->failed : std::vector<Rank>());
  invariant(request.is<WaitBlock>(), "a program asks for something other than TryBlocks");
  wait_request_ = request;
  if (outcome_) answer_outcome(context);
}

void UlfmRecovery::start_block(Context& context, const StackRequest& request) {
  stage_ = Stage::block;
  attempt_ = request.get<StartBlock>().attempt;
  number_ = rebuild_agreements_ + attempt_;
  contributed_ = false;
  outcome_.reset();
  start_request_ = request;
  statistics_.start_s = context.now_s();
  context.answer(request, BlockStarted{attempt_, kNever, 0});
  if (revoked_) release(context);
}

void UlfmRecovery::finish_block(Context& context, const FinishBlock& finish) {
  if (contributed_ || finish.attempt != attempt_) return;
  if (finish.errors > 0 && !revoked_) revoke(context);
  contribute(context, finish.errors == 0 && !revoked_);
}

void UlfmRecovery::answer_outcome(Context& context) {
  const bool is_accepted = outcome_->success && outcome_->failed.empty();
  context.answer(
      *std::exchange(wait_request_, std::nullopt),
      BlockOutcome{attempt_, is_accepted ? BlockVerdict::accepted : BlockVerdict::rejected});
}

// ---- agreement --------------------------------------------------------------------------------

void UlfmRecovery::contribute_to_next(Context& context, bool success) {
  ++number_;
  contribute(context, success);
}

void UlfmRecovery::contribute(Context& context, bool success) {
  contributed_ = true;
  statistics_.contributed_s = context.now_s();
  context.mark(kContributedMark, stage_ == Stage::block ? static_cast<std::int64_t>(attempt_) : 0);
  AgreementValue value;
  value.success = success && dead().empty();
  AgreementOutput output;
  agreement_.contribute(number_, value, output);
  carry_out(context, output);
}

void UlfmRecovery::carry_out(Context& context, const AgreementOutput& output) {
  const bool decides = std::any_of(
      output.decisions.begin(), output.decisions.end(),
      [this](const AgreementOutput::Decision& decision) { return decision.number == number_; });
  if (decides)
    context.mark(kDecidedMark, stage_ == Stage::block ? static_cast<std::int64_t>(attempt_) : 0);
  statistics_.agreement_messages += output.sends.size();
  send_agreement(context, output, kUp, epoch(), world());
  for (const AgreementOutput::Decision& decision : output.decisions)
    if (decision.number == number_) return on_decision(context, decision.value);
}

void UlfmRecovery::on_decision(Context& context, const AgreementValue& value) {
  has_decided_ = true;
  for (const ActorId actor : actors_of(value.failed)) add_dead(actor);
  const bool is_accepted = value.success && value.failed.empty();
  switch (stage_) {
    case Stage::rebuild:
      if (!is_accepted) return begin_shrink(context);
      if (number_ + 1 == rebuild_agreements_) return await_data(context);
      return contribute_to_next(context, true);
    case Stage::restore:
      if (!is_accepted) return begin_shrink(context);
      return resume(context);
    case Stage::block:
      outcome_ = value;
      statistics_.on_decision(is_accepted, context.now_s());
      if (wait_request_) answer_outcome(context);
      return;
    case Stage::shrink:
      return on_shrunk(context, value);
  }
}

// ---- shrinking --------------------------------------------------------------------------------

void UlfmRecovery::begin_shrink(Context& context) {
  stage_ = Stage::shrink;
  shrink_step_ = 0;
  ++shrinks_;
  context.mark(kShrinkMark, epoch().number);
  contribute_to_next(context, true);
}

/// The first agreement determines which ranks have failed. If a later one finds others, all begin
/// again.
void UlfmRecovery::on_shrunk(Context& context, const AgreementValue& value) {
  std::vector<ActorId> lost = actors_of(value.failed);
  const bool begins_again = shrink_step_ > 0 && lost != shrunk_;
  shrunk_ = std::move(lost);
  if (begins_again) ++shrinks_;
  shrink_step_ = begins_again ? 0 : shrink_step_ + 1;
  if (shrink_step_ < kShrinkAgreements) return contribute_to_next(context, true);
  regroup(context);
}

// ---- revoking ---------------------------------------------------------------------------------

void UlfmRecovery::on_own_message(Context& context, const Message& message) {
  if (belongs_elsewhere(message, message.payload.get<AgreementWords>().epoch)) return;
  if (message.kind == kRevoke) {
    if (revoked_) return;
    revoke(context);
    return release(context);
  }
  AgreementOutput output;
  agreement_.on_message(*world().rank_of(message.from), received_agreement(context, message, kUp),
                        output);
  carry_out(context, output);
}

void UlfmRecovery::revoke(Context& context) {
  revoked_ = true;
  context.mark(kRevokeMark, epoch().number);
  const auto dead = [this](Rank of) { return is_dead(world().actor_of(of)); };
  for (const Rank to : revoke_targets(rank(), world().size(), dead)) send_revoke(context, to);
}

void UlfmRecovery::send_revoke(Context& context, Rank to) const {
  context.send(world().actor_of(to), kRevoke, world_options().control_bytes)
      .payload.put(AgreementWords{epoch()});
}

void UlfmRecovery::mend_revocation(Context& context, Rank dead) const {
  const auto is_gone = [this](Rank of) { return is_dead(world().actor_of(of)); };
  for (const Rank to : mended_targets(rank(), world().size(), dead, is_gone))
    send_revoke(context, to);
}

/// The requests of the TryBlock end with an error.
void UlfmRecovery::release(Context& context) {
  if (contributed_ || stage_ != Stage::block || !start_request_) return;
  context.answer(*start_request_, BlockStarted{attempt_, kNever, 1});
}

// ---- seen from outside ------------------------------------------------------------------------

void UlfmRecovery::report(MetricTotals& totals) const {
  WorldLayer::report(totals);
  totals.put(kShrinks, shrinks_);
  statistics_.report(totals);
}

std::string UlfmRecovery::waiting_for() const {
  std::string mine = WorldLayer::waiting_for();
  return mine.empty() ? agreement_.waiting_for() : mine;
}

void UlfmRecovery::digest_state(Digest& into) const {
  WorldLayer::digest_state(into);
  into.add(agreement_, stage_, number_, contributed_, has_decided_, attempt_, outcome_);
  into.add(start_request_, wait_request_, revoked_, shrink_step_, shrunk_);
}

}  // namespace faultline
