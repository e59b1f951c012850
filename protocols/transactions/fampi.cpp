// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/fampi.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocols/transactions/revoke_graph.hpp"
#include "sim/core/block_presumed.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::transactions {

OptionSet<FampiOptions> fampi_options() {
  constexpr double kLongest_s = 1e9;
  using Options = FampiOptions;
  const auto world = [](auto of) { return world_option<Options>(of); };
  return world_options<Options>()
      .option(
          "agreement", &Options::agreement,
          {.doc = "how ranks agree. `era`: early returning over a binary heap, 2 (P - 1) messages; "
                  "a process that dies may have decided otherwise. `two-phase`: nobody decides "
                  "before all can know, 4 (P - 1) messages. `star`: all tell one rank, which "
                  "stands for a head node",
           .source = "fampi-2015 section 3.1: \"a consensus algorithm\"; era: Open MPI's "
                     "coll/ftagree",
           .choices = {"era", "two-phase", "star"}})
      .option(
          "scope", &Options::scope,
          {.doc = "which ranks decide on a TryBlock. `global`: all ranks together. "
                  "`with-collective`: a rank accepts its own if the collective in it has ended; "
                  "all agree when a request has failed, and at the end. `local`: every rank "
                  "decides on its own alone, and nobody recovers from a death",
           .source = "fampi-2015 section 3.1",
           .choices = {"global", "with-collective", "local"}})
      .option("recovery", world(&WorldOptions::recovery), recovery_notes())
      .option("protect_recovery", world(&WorldOptions::protect_recovery),
              {.doc = "true: a TryBlock ends the recovery, so that another death during it makes "
                      "all regroup once more. false: the calls of the recovery lie outside of "
                      "TryBlocks and block, and another death leaves their callers waiting",
               .source = "false: fampi-2015 section 4, Algorithm 1; true: section 3.3, \"users "
                         "might need to call shrink inside a TryBlock\""})
      .option(
          "release", &Options::release,
          {.doc = "how ranks give up requests that will not end because their peer has given up "
                  "the TryBlock. `timeout`: the requests time out. `invite`: a rank that gives up "
                  "tells the others, by a flood",
           .source = "`timeout`: fampi-2015 section 4",
           .choices = {"timeout", "invite"}})
      .option("request_timeout_s", &Options::request_timeout_s,
              {.doc = "time after which a request in a TryBlock has failed",
               .unit = "s",
               .source = "the authors' MiniFE",
               .minimum = 0.0,
               .maximum = kLongest_s,
               .above_minimum = true,
               .awaits_message = true})
      .option("wait_timeout_s", &Options::wait_timeout_s,
              {.doc = "time after which a rank asks again for the outcome of a TryBlock",
               .unit = "s",
               .source = "the authors' MiniFE",
               .minimum = 0.0,
               .maximum = kLongest_s,
               .above_minimum = true,
               .awaits_message = true})
      .option("retries", &Options::retries,
              {.doc = "how often a rank asks again for an outcome, and how often ranks repeat a "
                      "TryBlock in which nobody has died, before the job gives up",
               .source = "the authors' MiniFE"})
      .option("spawn_s", world(&WorldOptions::spawn_s), spawn_time_notes())
      .option("cancel_s", &Options::cancel_s,
              {.doc = "processor time to cancel a request",
               .unit = "s",
               .source = "fampi-2015 section 5: \"expensive\"; the default leaves it out",
               .minimum = 0.0,
               .maximum = kLongest_s});
}

namespace {

constexpr MetricSpec kRevoked{"presumptions_revoked", Merge::sum,
                              "TryBlocks that a rank had accepted and that were rejected later"};
constexpr MetricSpec kWaitTimeouts{"wait_timeouts", Merge::sum,
                                   "waits for an outcome that have timed out"};

/// Refuses protocols that rely on contents that the TryBlocks lack, or that cannot handle their
/// contents.
std::vector<OptionProblem> check_with_workload(const OptionValues& own,
                                               const Registration& workload,
                                               const OptionValues& workload_options) {
  if (!workload.as<WorkloadTraits>().try_blocks) return {};
  const BlockContents blocks = workload.as<WorkloadTraits>().try_blocks(workload_options);
  std::vector<OptionProblem> problems = block_problems(own, workload, blocks);
  const auto& scope = std::get<std::string>(own.at("scope"));
  if (scope == "with-collective" && !blocks.has_collective)
    problems.push_back(
        {"scope",
         "expected \"global\": the TryBlocks of the workload contain no collective, which "
         "\"with-collective\" relies on"});
  if (scope == "local" && blocks.has_messages)
    problems.push_back({"",
                        "with scope \"local\" repeats a TryBlock at one rank alone, and the "
                        "workload's TryBlocks need messages of other ranks; expected scope "
                        "\"global\""});
  return problems;
}

Registration fampi() {
  Registration made = registration<Fampi>(
      {.family = Family::transactions,
       .name = "fampi",
       .summary = "FA-MPI: ranks agree at the end of each TryBlock, replace the dead, and redo it",
       .source = "fampi-2015 sections 3 and 4",
       .traits = RecoveryTraits{.needs_detection = true,
                                .needs_logging_off = true,
                                .commits_blocks = true,
                                .takes_all_back = true},
       .message_kinds = world_kinds({"up", "down", "result-request", "invite"}),
       .metrics = world_metrics({&kCommitTime, &kBlockTime, &kBlocksCommitted, &kBlocksRejected,
                                 &kAgreementMessages, &kWaitTimeouts, &kRevoked}),
       .marks = world_marks({&kContributedMark, &kDecidedMark, &kShrinkMark})},
      fampi_options());
  made.check = world_problems;
  made.declare<RecoveryTraits>().check_with_workload = check_with_workload;
  made.declare<RecoveryTraits>().check_under_deaths = [](const OptionValues& own,
                                                         const Deaths& deaths) {
    std::vector<OptionProblem> problems = death_problems(own, deaths);
    if (std::get<std::string>(own.at("scope")) == "local")
      problems.push_back({.option = "scope",
                          .message = "\"local\" recovers from no death, which ends the job",
                          .is_note = true});
    if (deaths.several && !std::get<bool>(own.at("protect_recovery")))
      problems.push_back({.option = "protect_recovery",
                          .message = "false: a rank that waits in a recovery for a rank that dies "
                                     "then waits for ever",
                          .is_note = true});
    return problems;
  };
  // Requests can time out although nobody has died.
  made.declare<RecoveryTraits>().may_give_up = [](const OptionValues&, const JobShape&,
                                                  const std::vector<ActorId>&) { return true; };
  return made;
}

const Registered registered{fampi()};

AgreementAlgorithm algorithm_of(const FampiOptions& options) {
  if (options.agreement == "two-phase") return AgreementAlgorithm::two_phase;
  if (options.agreement == "star") return AgreementAlgorithm::star;
  return AgreementAlgorithm::era;
}

}  // namespace

Fampi::Fampi(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : WorldLayer(*options, job, self, true),
      options_(std::move(options)),
      agreement_(algorithm_of(*options_), self, job.processes),
      block_(options_->request_timeout_s) {}

// ---- the world --------------------------------------------------------------------------------

void Fampi::on_world(RecoveryContext& context) {
  world_.give_back(context);
  block_.reset();
  finished_ = released_ = invited_ = 0;
  if (!presumes()) rejections_ = 0;
  contributed_ = called_ = false;
  if (Presumption* own = presumption_.changed()) {
    own->block = 0;
    own->leave_request.reset();
  }
  agreement_.enter(context, members(), *this);
  if (members().dead().empty()) return world_.restore(context, *this);
  contribute(context, false);
}

void Fampi::on_data(RecoveryContext& context) {
  if (!options_->protect_recovery) return world_.resume(context, *this);
  contribute(context, true);
}

/// Nobody puts the world together again if each rank commits its TryBlocks alone.
void Fampi::on_death(RecoveryContext& context, ActorId dead) {
  if (decides_alone())
    return context.fatal("a local TryBlock does not recover from the death of a process");
  if (world_.phase() == WorldPhase::entering) return;
  const Rank rank = *members().world().rank_of(dead);
  mend_invitation(context, rank);
  agreement_.on_death(context, rank, *this);
  if (world_.give_up_data()) contribute(context, false);
}

void Fampi::on_message(RecoveryContext& context, const Message& message) {
  if (message.kind < WorldMessage::kinds) return world_.on_message(context, message, *this);
  if (world_.belongs_elsewhere(message, message.payload.get<AgreementWords>().epoch)) return;
  if (message.kind == kInvite) return on_invite(context, message);
  if (presumes() && message.kind == AgreementKind::up &&
      calls(WorldAgreement::received(context, message))) {
    const WorldEpoch before = members().epoch();
    call(context);
    if (members().epoch() != before) return;
  }
  agreement_.on_message(context, message, members(), *this);
}

void Fampi::on_timer(RecoveryContext& context, std::uint64_t key) {
  if (world_.on_timer(context, key, *this) || !block_.is_awaited()) return;
  ++wait_timeouts_;
  if (++waits_ > options_->retries) return context.fatal("the commit of a TryBlock has timed out");
  block_.answer(context, BlockVerdict::timed_out);
}

// ---- TryBlocks --------------------------------------------------------------------------------

void Fampi::on_request(RecoveryContext& context, const StackRequest& request) {
  if (world_.on_request(context, request, *this)) return;
  if (request.is<StartBlock>()) return start_block(context, request);
  if (request.is<FinishBlock>()) return finish_block(context, request.get<FinishBlock>());
  if (request.is<WaitBlock>()) return wait_for_block(context, request);
  if (request.is<RecoverWorld>()) return recover(context);
  if (request.is<LeaveWorld>()) return leave(context, request);
  invariant(request.is<QueryBlock>(), "a program asks for something other than TryBlocks");
  block_.answer_query(context, request, members());
}

void Fampi::start_block(RecoveryContext& context, const StackRequest& request) {
  if (!presumes()) {
    contributed_ = false;
    block_.forget_outcome();
  }
  waits_ = 0;
  block_.start(context, request);
  if (presumes() && (called_ || contributed_)) release(context);
  if (presumes() || invited_ < attempt()) return;
  invite(context);
  release(context);
}

/// A contribution stands. A rank that finishes again only goes on waiting.
void Fampi::finish_block(RecoveryContext& context, const FinishBlock& finish) {
  if (finished_ == attempt() || finish.attempt != attempt()) return;
  finished_ = attempt();
  context.spend(options_->cancel_s * static_cast<double>(finish.cancelled));
  if (presumes()) return finish_presuming(context, finish.errors == 0 && released_ != attempt());
  if (decides_alone()) {
    block_.statistics.contributed_s = context.now_s();
    return on_decision(context, {attempt(), {.success = finish.errors == 0}});
  }
  if (finish.errors > 0 && options_->release == "invite" && invited_ < attempt()) invite(context);
  contribute(context, finish.errors == 0);
}

void Fampi::wait_for_block(RecoveryContext& context, const StackRequest& request) {
  if (presumption_->block == attempt()) {
    presumption_.change().wait = request;
    return context.answer(request, BlockPresumed{attempt()});
  }
  block_.wait(request);
  if (block_.outcome()) return answer_outcome(context);
  context.set_timer(kWaitTimer, options_->wait_timeout_s);
}

void Fampi::answer_outcome(RecoveryContext& context) {
  context.cancel_timer(kWaitTimer);
  block_.answer_outcome(context, decides_alone());
}

void Fampi::recover(RecoveryContext& context) {
  invariant(block_.outcome().has_value(), "a program recovers from a TryBlock without an outcome");
  const std::vector<Rank>& failed = block_.outcome()->failed;
  if (!failed.empty()) {
    if (!options_->protect_recovery) world_.leave_others_out(failed);
    return world_.regroup(context, *this);
  }
  if (++rejections_ > options_->retries)
    return context.fatal("a TryBlock has been rejected too often although nobody has died");
  // Some ranks may have begun the next TryBlock, and have another checkpoint.
  if (presumes()) return world_.regroup(context, *this);
  world_.roll_back(context);
}

// ---- agreement --------------------------------------------------------------------------------

void Fampi::contribute(RecoveryContext& context, bool success) {
  contributed_ = true;
  block_.statistics.contributed_s = context.now_s();
  context.mark(kContributedMark, static_cast<std::int64_t>(attempt()));
  AgreementValue value{.success = success};
  if (presumes() && !success) value.codes = code_of(attempt());
  agreement_.contribute(context, agreement_number(), std::move(value), members(), *this);
}

void Fampi::carry_out(RecoveryContext& context, const AgreementOutput& output) {
  for (const AgreementOutput::Decision& decision : output.decisions)
    context.mark(kDecidedMark, static_cast<std::int64_t>(decision.number));
  agreement_.send(context, output, members());
  for (const AgreementOutput::Decision& decision : output.decisions) on_decision(context, decision);
}

void Fampi::on_decision(RecoveryContext& context, const AgreementOutput::Decision& decision) {
  if (decision.number != agreement_number()) return;
  const AgreementValue& value = decision.value;
  block_.set_outcome(value);
  world_.add_dead(value.failed);
  world_.end_lost_save(context, *this);
  if (attempt() == 0) return end_recovery(context, value);
  if (presumes()) {
    if (presumption_->block != attempt()) block_.statistics.on_decision(false, context.now_s());
    settle_presumed(context, (value.codes & code_of(presumption_->block)) == 0);
    if (block_.is_awaited()) return answer_outcome(context);
    return try_to_leave(context);
  }
  block_.statistics.on_decision(value.accepts(), context.now_s());
  if (value.accepts()) rejections_ = 0;
  if (block_.is_awaited()) answer_outcome(context);
}

/// TryBlock 0 of a world has been decided.
void Fampi::end_recovery(RecoveryContext& context, const AgreementValue& value) {
  contributed_ = false;
  if (value.accepts()) {
    block_.forget_outcome();
    return world_.resume(context, *this);
  }
  invariant(!value.failed.empty(), "a recovery is rejected although nobody has died");
  world_.regroup(context, *this);
}

// ---- how others are released ------------------------------------------------------------------

/// Sends the invitation to the ranks at a distance of a power of two, once to each.
void Fampi::invite(RecoveryContext& context) {
  invited_ = attempt();
  const std::vector<Rank> targets = revoke_targets(members());
  for (auto target = targets.begin(); target != targets.end(); ++target)
    if (std::find(targets.begin(), target, *target) == target) send_invite(context, *target);
}

void Fampi::send_invite(RecoveryContext& context, Rank to) const {
  context.send(members().world().actor_of(to), kInvite, options_->control_bytes)
      .payload.put(InviteWords{members().epoch(), attempt()});
}

/// The dead rank may have been the only one that would have told those behind it.
void Fampi::mend_invitation(RecoveryContext& context, Rank dead) const {
  const bool has_invited = presumes() ? called_ : attempt() > 0 && invited_ == attempt();
  if (!has_invited) return;
  for (const Rank to : mended_targets(members(), dead)) send_invite(context, to);
}

void Fampi::on_invite(RecoveryContext& context, const Message& message) {
  if (presumes()) return call(context);
  const std::uint32_t invited = message.payload.get<InviteWords>().attempt;
  if (invited <= invited_ || invited < attempt()) return;
  if (invited > attempt()) {
    invited_ = invited;  // passed on when it begins
    return;
  }
  invite(context);
  release(context);
}

void Fampi::release(RecoveryContext& context) {
  if (finished_ == attempt() || !block_.has_started()) return;
  released_ = attempt();
  block_.release(context);
}

// ---- seen from outside ------------------------------------------------------------------------

void Fampi::report(MetricTotals& totals) const {
  world_.report(totals);
  block_.statistics.report(totals);
  agreement_.report(totals);
  totals.put(kWaitTimeouts, wait_timeouts_);
  totals.put(kRevoked, presumption_->revoked);
}

std::string Fampi::waiting_for() const {
  std::string mine = world_.waiting_for();
  return mine.empty() ? agreement_.waiting_for() : mine;
}

void Fampi::digest_state(Digest& into) const {
  into.add(world_, agreement_, block_, contributed_, invited_, waits_, rejections_, finished_,
           released_, called_, presumption_);
}

}  // namespace faultline::transactions
