// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/fampi.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "protocols/transactions/agreement_messages.hpp"
#include "protocols/transactions/revoke_graph.hpp"
#include "protocols/transactions/world_options.hpp"
#include "sim/core/block_presumed.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

OptionSet<FampiOptions> fampi_options() {
  constexpr double kLongest_s = 1e9;
  using Options = FampiOptions;
  const auto spawn_s = [](double WorldOptions::*of) -> double Options::* { return of; };
  const auto protect = [](bool WorldOptions::*of) -> bool Options::* { return of; };
  const auto recovery = [](std::string WorldOptions::*of) -> std::string Options::* { return of; };
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
      .option("recovery", recovery(&WorldOptions::recovery), recovery_notes())
      .option("protect_recovery", protect(&WorldOptions::protect_recovery),
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
      .option("spawn_s", spawn_s(&WorldOptions::spawn_s), spawn_time_notes())
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
  if (!workload.try_blocks) return {};
  const BlockContents blocks = workload.try_blocks(workload_options);
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
       .traits = {.tolerates_faults = true,
                  .needs_detection = true,
                  .needs_logging_off = true,
                  .commits_blocks = true},
       .message_kinds = world_kinds({"up", "down", "result-request", "invite"}),
       .metrics = world_metrics({&kCommitTime, &kBlockTime, &kBlocksCommitted, &kBlocksRejected,
                                 &kAgreementMessages, &kWaitTimeouts, &kRevoked}),
       .marks = world_marks({&kContributedMark, &kDecidedMark, &kShrinkMark})},
      fampi_options());
  made.check = world_problems;
  made.check_with_workload = check_with_workload;
  made.check_under_deaths = [](const OptionValues& own, const Deaths& deaths) {
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
  made.may_give_up = [](const OptionValues&, const JobShape&, const std::vector<ActorId>&) {
    return true;
  };
  return made;
}

const Registered registered{fampi()};

AgreementAlgorithm algorithm_of(const FampiOptions& options) {
  if (options.agreement == "two-phase") return AgreementAlgorithm::two_phase;
  if (options.agreement == "star") return AgreementAlgorithm::star;
  return AgreementAlgorithm::era;
}

}  // namespace

Fampi::Fampi(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
    : WorldLayer(options, job, self), agreement_(algorithm_of(*options), self, job.processes) {}

// ---- the world --------------------------------------------------------------------------------

void Fampi::on_world(Context& context) {
  agreement_ = Agreement(algorithm_of(options()), rank(), world().size());
  attempt_ = finished_ = released_ = invited_ = 0;
  if (!presumes()) rejections_ = 0;
  contributed_ = called_ = false;
  outcome_.reset();
  if (Presumption* own = presumption_.changed()) {
    own->block = 0;
    own->leave_request.reset();
  }
  AgreementOutput output;
  for (const Incarnation& life : dead())
    agreement_.on_peer_failed(*world().rank_of(life.actor), output);
  carry_out(context, output);
  if (dead().empty()) return;
  set_phase(Phase::committing);
  contribute(context, false);
}

void Fampi::on_data(Context& context) {
  if (!options().protect_recovery) return resume(context);
  contribute(context, true);
}

/// Nobody puts the world together again if each rank commits its TryBlocks alone.
void Fampi::on_death(Context& context, ActorId actor) {
  if (decides_alone())
    return context.fatal("a local TryBlock does not recover from the death of a process");
  if (phase() == Phase::entering) return;
  const Rank dead = *world().rank_of(actor);
  mend_invitation(context, dead);
  AgreementOutput output;
  agreement_.on_peer_failed(dead, output);
  carry_out(context, output);
  if (phase() != Phase::restoring) return;
  set_phase(Phase::committing);
  contribute(context, false);
}

// ---- TryBlocks --------------------------------------------------------------------------------

void Fampi::on_block_request(Context& context, const StackRequest& request) {
  if (request.is<StartBlock>()) return start_block(context, request);
  if (request.is<FinishBlock>()) return finish_block(context, request.get<FinishBlock>());
  if (request.is<WaitBlock>()) return wait_for_block(context, request);
  if (request.is<RecoverWorld>()) return recover(context);
  if (request.is<LeaveWorld>()) return leave(context, request);
  invariant(request.is<QueryBlock>(), "a program asks for something other than TryBlocks");
  answer_query(context, request, outcome_ ? outcome_->failed : std::vector<Rank>());
}

void Fampi::start_block(Context& context, const StackRequest& request) {
  attempt_ = static_cast<std::uint32_t>(request.get<StartBlock>().attempt);
  if (!presumes()) {
    contributed_ = false;
    outcome_.reset();
  }
  start_request_ = request;
  statistics_.start_s = context.now_s();
  waits_ = 0;
  context.answer(request, BlockStarted{attempt_, options().request_timeout_s, 0});
  if (presumes() && (called_ || contributed_)) release(context);
  if (presumes() || invited_ < attempt_) return;
  invite(context);
  release(context);
}

/// A contribution stands. A rank that finishes again only goes on waiting.
void Fampi::finish_block(Context& context, const FinishBlock& finish) {
  if (finished_ == attempt_ || finish.attempt != attempt_) return;
  finished_ = attempt_;
  context.spend(options().cancel_s * static_cast<double>(finish.cancelled));
  if (presumes()) return finish_presuming(context, finish.errors == 0 && released_ != attempt_);
  if (decides_alone()) {
    statistics_.contributed_s = context.now_s();
    return on_decision(context, {attempt_, {.success = finish.errors == 0}});
  }
  if (finish.errors > 0 && options().release == "invite" && invited_ < attempt_) invite(context);
  contribute(context, finish.errors == 0);
}

void Fampi::wait_for_block(Context& context, const StackRequest& request) {
  if (presumption_->block == attempt_) {
    presumption_.change().wait = request;
    return context.answer(request, BlockPresumed{attempt_});
  }
  wait_request_ = request;
  if (outcome_) return answer_outcome(context);
  context.set_timer(kWaitTimer, options().wait_timeout_s);
}

void Fampi::on_own_timer(Context& context, std::uint64_t) {
  if (!wait_request_) return;
  ++wait_timeouts_;
  if (++waits_ > options().retries) return context.fatal("the commit of a TryBlock has timed out");
  context.answer(*std::exchange(wait_request_, std::nullopt),
                 BlockOutcome{attempt_, BlockVerdict::timed_out});
}

void Fampi::answer_outcome(Context& context) {
  const bool is_accepted = outcome_->success && outcome_->failed.empty();
  context.cancel_timer(kWaitTimer);
  context.answer(
      *std::exchange(wait_request_, std::nullopt),
      BlockOutcome{attempt_, is_accepted ? BlockVerdict::accepted : BlockVerdict::rejected,
                   decides_alone() ? 1U : 0U});
}

void Fampi::recover(Context& context) {
  invariant(outcome_.has_value(), "a program recovers from a TryBlock without an outcome");
  if (!outcome_->failed.empty()) {
    if (!options().protect_recovery) leave_others_out(actors_of(outcome_->failed));
    return regroup(context);
  }
  if (++rejections_ > options().retries)
    return context.fatal("a TryBlock has been rejected too often although nobody has died");
  // Some ranks may have begun the next TryBlock, and have another checkpoint.
  if (presumes()) return regroup(context);
  roll_back(context);
}

// ---- agreement --------------------------------------------------------------------------------

void Fampi::contribute(Context& context, bool success) {
  contributed_ = true;
  statistics_.contributed_s = context.now_s();
  context.mark(kContributedMark, static_cast<std::int64_t>(attempt_));
  AgreementValue value;
  value.success = success && dead().empty();
  if (presumes() && !success) value.codes = code_of(attempt_);
  AgreementOutput output;
  agreement_.contribute(agreement_number(), value, output);
  carry_out(context, output);
}

void Fampi::on_own_message(Context& context, const Message& message) {
  if (belongs_elsewhere(message, message.payload.get<AgreementWords>().epoch)) return;
  if (message.kind == kInvite) return on_invite(context, message);
  const AgreementMessage received = received_agreement(context, message, kUp);
  if (presumes() && message.kind == kUp && calls(received)) {
    const WorldEpoch before = epoch();
    call(context);
    if (epoch() != before) return;
  }
  AgreementOutput output;
  agreement_.on_message(*world().rank_of(message.from), received, output);
  carry_out(context, output);
}

void Fampi::carry_out(Context& context, const AgreementOutput& output) {
  const WorldEpoch of = epoch();
  for (const AgreementOutput::Decision& decision : output.decisions)
    context.mark(kDecidedMark, static_cast<std::int64_t>(decision.number));
  statistics_.agreement_messages += output.sends.size();
  send_agreement(context, output, kUp, of, world());
  for (const AgreementOutput::Decision& decision : output.decisions) on_decision(context, decision);
}

void Fampi::on_decision(Context& context, const AgreementOutput::Decision& decision) {
  if (decision.number != agreement_number()) return;
  const bool is_accepted = decision.value.success && decision.value.failed.empty();
  outcome_ = decision.value;
  for (const ActorId actor : actors_of(decision.value.failed)) add_dead(actor);
  end_lost_save(context);
  if (attempt_ == 0) {
    contributed_ = false;
    if (is_accepted) {
      outcome_.reset();
      return resume(context);
    }
    invariant(!decision.value.failed.empty(), "a recovery is rejected although nobody has died");
    return regroup(context);
  }
  if (presumes()) {
    if (presumption_->block != attempt_) statistics_.on_decision(false, context.now_s());
    settle_presumed(context, (outcome_->codes & code_of(presumption_->block)) == 0);
    if (wait_request_) return answer_outcome(context);
    return try_to_leave(context);
  }
  statistics_.on_decision(is_accepted, context.now_s());
  if (is_accepted) rejections_ = 0;
  if (wait_request_) answer_outcome(context);
}

// ---- how others are released ------------------------------------------------------------------

/// Sends the invitation to the ranks at a distance of a power of two, once to each.
void Fampi::invite(Context& context) {
  invited_ = attempt_;
  const auto is_gone = [this](Rank of) { return is_dead(world().actor_of(of)); };
  std::vector<Rank> targets = revoke_targets(rank(), world().size(), is_gone);
  for (auto target = targets.begin(); target != targets.end();) {
    const bool is_told = std::find(targets.begin(), target, *target) != target;
    target = is_told ? targets.erase(target) : std::next(target);
  }
  for (const Rank to : targets) send_invite(context, to);
}

void Fampi::send_invite(Context& context, Rank to) const {
  context.send(world().actor_of(to), kInvite, world_options().control_bytes)
      .payload.put(InviteWords{epoch(), attempt_});
}

/// The dead rank may have been the only one that would have told those behind it.
void Fampi::mend_invitation(Context& context, Rank dead) {
  const bool has_invited = presumes() ? called_ : attempt_ > 0 && invited_ == attempt_;
  if (!has_invited) return;
  const auto is_gone = [this](Rank of) { return is_dead(world().actor_of(of)); };
  for (const Rank to : mended_targets(rank(), world().size(), dead, is_gone))
    send_invite(context, to);
}

void Fampi::on_invite(Context& context, const Message& message) {
  if (presumes()) return call(context);
  const std::uint32_t attempt = message.payload.get<InviteWords>().attempt;
  if (attempt <= invited_ || attempt < attempt_) return;
  if (attempt > attempt_) {
    invited_ = attempt;  // passed on when it begins
    return;
  }
  invite(context);
  release(context);
}

void Fampi::release(Context& context) {
  if (finished_ == attempt_ || !start_request_) return;
  released_ = attempt_;
  context.answer(*start_request_, BlockStarted{attempt_, options().request_timeout_s, 1});
}

// ---- seen from outside ------------------------------------------------------------------------

void Fampi::report(MetricTotals& totals) const {
  WorldLayer::report(totals);
  statistics_.report(totals);
  totals.put(kWaitTimeouts, wait_timeouts_);
  totals.put(kRevoked, presumption_->revoked);
}

std::string Fampi::waiting_for() const {
  std::string mine = WorldLayer::waiting_for();
  return mine.empty() ? agreement_.waiting_for() : mine;
}

void Fampi::digest_state(Digest& into) const {
  WorldLayer::digest_state(into);
  into.add(agreement_, attempt_, contributed_, invited_, outcome_, start_request_, wait_request_,
           waits_, rejections_);
  into.add(finished_, released_, called_, presumption_);
}

}  // namespace faultline
