// SPDX-License-Identifier: Apache-2.0
#include "workloads/bulk_program.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/block_presumed.hpp"
#include "sim/core/invariant.hpp"
#include "workloads/collectives.hpp"

namespace faultline::workloads {

namespace {

using Kind = ProgramStep::Kind;

constexpr OperationKeys kKeys{.message_kind = 0, .timer_key = 0};

/// The content of a message of an exchange.
struct Halo {
  std::uint64_t value = 0;
};

constexpr MetricSpec kSolution{"time_to_solution_s", Merge::maximum,
                               "time at which the last rank finished"};
constexpr MetricSpec kIterationTime{"iteration_time_s", Merge::maximum,
                                    "time until the last rank finished, divided by the iterations",
                                    Trend::may_fall};
constexpr MetricSpec kHaloMessages{"halo_messages", Merge::sum,
                                   "messages of exchanges, including those of redone iterations"};
constexpr MetricSpec kRedone{"redone_iterations", Merge::maximum,
                             "iterations that a process did again; the process with the most"};
constexpr MetricSpec kTimeouts{"timeouts", Merge::sum, "requests that have timed out"};
constexpr MetricSpec kCancelled{"requests_cancelled", Merge::sum,
                                "requests that were pending when their TryBlock was given up"};
constexpr MetricSpec kRaised{"errors_raised", Merge::sum,
                             "errors that programs have found in their data"};
constexpr MetricSpec kDigest{
    "state_digest", Merge::digest,
    "digest of the final states of all objects, or of all ranks that have finished. A state is a "
    "digest of all that the object or rank has consumed"};
constexpr MetricSpec kDifference{"state_difference", Merge::digest,
                                 "state_digest minus the digest of the right states, computed "
                                 "without an engine; if it is not 0, the run ends as "
                                 "`wrong-state`"};

constexpr Mark kRedoMark{
    "redo", "a program goes back to an iteration that it has done: its number, from 0"};
constexpr Mark kRedoneMark{
    "redone", "a program is at the first iteration that it has not done: its number, from 0"};

}  // namespace

Registration bulk_program_registration(std::string name, std::string summary, std::string source) {
  return {.family = Family::workload,
          .name = std::move(name),
          .summary = std::move(summary),
          .source = std::move(source),
          .traits = WorkloadTraits{.needs_detection = true,
                                   .finishes = true,
                                   .end_checks = {{&kDifference, "wrong-state"}}},
          .message_kinds = {"request"},
          .metrics = {&kSolution, &kIterationTime, &kHaloMessages, &kRedone, &kTimeouts,
                      &kCancelled, &kRaised, &kDigest, &kDifference},
          .marks = {&kRedoMark, &kRedoneMark}};
}

ComponentFactory bulk_program_factory(ProgramOfRank programs) {
  return [shared = std::make_shared<const ProgramOfRank>(std::move(programs))](ActorId self) {
    return std::make_unique<BulkProgram>(shared, self);
  };
}

BulkProgram::BulkProgram(std::shared_ptr<const ProgramOfRank> programs, ActorId self)
    : programs_(std::move(programs)),
      self_(self),
      rank_(self),
      program_((*programs_)(self)),
      world_(program_->processes),
      operations_(kKeys),
      state_(ProgramStates::initial(self)) {}

std::unique_ptr<Component> BulkProgram::clone() const {
  return std::make_unique<BulkProgram>(*this);
}

void BulkProgram::start(WorkloadContext& context) {
  has_blocks_ = context.ask(Family::transactions, EnterWorld{program_->state_bytes});
  if (has_blocks_)
    waits_ = Waits::world;
  else
    walk(context);
}

// ---- steps ------------------------------------------------------------------------------------

void BulkProgram::walk(WorkloadContext& context) {
  go_through_steps(context);
  hold_work(context);
}

/// When a send that the rank waits for has left, the rank goes on, although no message has come. If
/// the rank counted as idle meanwhile, it would begin work that no termination detector can know
/// of.
void BulkProgram::hold_work(WorkloadContext& context) {
  const bool waits_for_requests = waits_ == Waits::requests || waits_ == Waits::sum;
  const bool holds = waits_for_requests && operations_.waits_for_send();
  if (holds != std::exchange(holds_work_, holds)) context.declare_work(holds ? 1 : -1);
}

void BulkProgram::go_through_steps(WorkloadContext& context) {
  check_requests(context);
  while (waits_ == Waits::nothing) {
    if (step_ == program_->steps.size()) next_iteration(context);
    if (iteration_ == program_->iterations) return leave(context);
    if (has_failed())
      give_block_up(context);
    else
      do_step(context);
    check_requests(context);
  }
}

void BulkProgram::next_iteration(WorkloadContext& context) {
  step_ = 0;
  if (++iteration_ > reached_)
    reached_ = iteration_;
  else
    ++redone_;
  if (!redoes_ || iteration_ < reached_) return;
  redoes_ = false;
  context.mark(kRedoneMark, static_cast<std::int64_t>(iteration_));
}

void BulkProgram::do_step(WorkloadContext& context) {
  switch (step().kind) {
    case Kind::exchange:
      return begin_exchange(context);
    case Kind::allreduce:
      return begin_sum(context);
    case Kind::compute:
      if (step().duration_s == 0.0) return next_step();
      context.compute(step().duration_s);
      waits_ = Waits::compute;
      return;
    case Kind::begin_try:
      return begin_block(context);
    case Kind::finish:
      return finish_block(context);
    case Kind::checkpoint:
      return save(context);
  }
}

void BulkProgram::next_step() {
  ++step_;
  waits_ = Waits::nothing;
}

void BulkProgram::leave(WorkloadContext& context) {
  if (!has_blocks_) return end_program(context);
  waits_ = Waits::leave;
  context.ask(Family::transactions, LeaveWorld{});
}

void BulkProgram::end_program(WorkloadContext& context) {
  waits_ = Waits::end;
  finish_s_ = context.now_s();
  context.finish();
}

void BulkProgram::begin_exchange(WorkloadContext& context) {
  const HaloExchange& exchange = program_->exchanges[step().exchange];
  operations_.forget_ended();
  operations_.reserve(exchange.sends.size(), exchange.receives.size());
  waits_ = Waits::requests;
  const std::uint32_t tag = tag_++;
  first_operation_ = 0;
  for (const HaloNeighbour& from : exchange.receives) {
    const Operation posted =
        operations_.receive(context, world_.actor_of(from.rank), tag, timeout_s_);
    if (first_operation_ == 0) first_operation_ = posted;
  }
  OperationData data;
  data.put(Halo{ProgramStates::sent(rank_, iteration_, step_)});
  for (const HaloNeighbour& to : exchange.sends)
    operations_.send(context, world_.actor_of(to.rank), tag, to.bytes, timeout_s_, data);
  halo_messages_ += exchange.sends.size();
}

/// A rank that is not in the communicator counts its tags all the same, so that all ranks number
/// requests alike.
void BulkProgram::begin_sum(WorkloadContext& context) {
  const RankRange ranks = program_->summing(step(), world_.size());
  sum_tag_ = tag_;
  tag_ += doubling_stages(ranks.count);
  if (!ranks.contains(rank_)) return next_step();
  sum_ = SumRequest(rank_ - ranks.first, ranks.count,
                    ProgramStates::contributed(rank_, iteration_, step_));
  waits_ = Waits::sum;
  post_sum(context);
}

SumRequest::Means BulkProgram::sum_means(WorkloadContext& context) {
  return {.context = context,
          .operations = operations_,
          .world = world_,
          .first_rank = program_->summing(step(), world_.size()).first,
          .first_tag = sum_tag_,
          .bytes = step().bytes,
          .timeout_s = timeout_s_};
}

void BulkProgram::post_sum(WorkloadContext& context) {
  operations_.forget_ended();
  if (sum_.post_next(sum_means(context))) return;
  state_ = ProgramStates::next(state_, sum_.sum());
  next_step();
}

/// Checks whether the requests of the step have ended.
void BulkProgram::check_requests(WorkloadContext& context) {
  while (waits_ == Waits::requests || waits_ == Waits::sum) {
    if (operations_.any_failed() || has_failed()) {
      if (!open_.empty()) give_block_up(context);
      return;
    }
    if (!operations_.all_done()) return;
    if (waits_ == Waits::sum) {
      sum_.take(operations_);
      post_sum(context);
    } else {
      consume_exchange();
      next_step();
    }
  }
}

void BulkProgram::consume_exchange() {
  const std::size_t halos = program_->exchanges[step().exchange].receives.size();
  for (std::size_t halo = 0; halo < halos; ++halo)
    state_ =
        ProgramStates::next(state_, operations_.data(first_operation_ + halo).get<Halo>().value);
}

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

void BulkProgram::save(WorkloadContext& context) {
  if (!has_blocks_ || !program_->ends_block(iteration_)) return next_step();
  waits_ = Waits::saved;
  context.ask(Family::transactions, SaveCheckpoint{iteration_ + 1, state_, program_->state_bytes});
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
               ? ProgramStates::state_after(*program_, data_rank(), iteration_, others_->shrunk)
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
  } else if (answer.is<CheckpointSaved>()) {
    if (waits_ == Waits::saved && answer.get<CheckpointSaved>().iteration == iteration_ + 1)
      next_step();
  }
  walk(context);
}

// ---- events -----------------------------------------------------------------------------------

/// An error has been found. A computation ends before the TryBlock is given up.
void BulkProgram::on_request(WorkloadContext& context, const StackRequest& request) {
  invariant(request.is<RaiseError>(), "a program gets a request other than for an error");
  if (!has_blocks_ || waits_ == Waits::end) return;
  ++raised_;
  raise_error();
  walk(context);
}

void BulkProgram::on_message(WorkloadContext& context, const Message& message) {
  if (operations_.on_message(context, message)) walk(context);
}

void BulkProgram::on_sent(WorkloadContext& context, ActorId to, std::uint16_t kind) {
  if (operations_.on_sent(context, to, kind)) walk(context);
}

void BulkProgram::on_timer(WorkloadContext& context, std::uint64_t key) {
  if (operations_.on_timer(context, key)) walk(context);
}

void BulkProgram::on_compute_done(WorkloadContext& context, std::uint64_t) {
  invariant(waits_ == Waits::compute, "an abandoned computation has ended");
  next_step();
  walk(context);
}

/// A late notice does not concern the peer's next incarnation.
void BulkProgram::on_peer_failed(WorkloadContext& context, Incarnation peer) {
  if (peer.actor >= program_->processes || waits_ == Waits::end) return;
  if (!has_blocks_)
    return context.fatal("a process has died, which ends the job of an MPI without transactions");
  if (peer.number < context.known(peer.actor).number) return;
  if (operations_.on_peer_failed(context, peer)) walk(context);
}

void BulkProgram::on_peer_restarted(WorkloadContext& context, Incarnation peer) {
  if (operations_.on_peer_restarted(context, peer)) walk(context);
}

// ---- seen from outside ------------------------------------------------------------------------

/// A rank that finished twice counts once.
void BulkProgram::report(MetricTotals& totals) const {
  totals.put(kHaloMessages, halo_messages_);
  totals.put(kRedone, redone_);
  totals.put(kTimeouts, timed_out_);
  totals.put(kCancelled, all_cancelled_);
  totals.put(kRaised, raised_);
  if (waits_ != Waits::end) return;
  totals.put(kSolution, finish_s_);
  totals.put(kIterationTime, finish_s_ / static_cast<double>(program_->iterations));
  const Rank rank = data_rank();
  if (totals.numbers().add(rank, rank + 1) == 0) return;
  const std::uint64_t share = ProgramStates::share(rank, state_);
  totals.put(kDigest, share);
  const std::uint64_t right = ProgramStates::share(
      rank, ProgramStates::state_after(*program_, rank, iteration_, others_->shrunk));
  constexpr auto kModulus = static_cast<std::uint64_t>(kDigestModulus);
  totals.put(kDifference, (share + kModulus - right) % kModulus);
}

void BulkProgram::digest_state(Digest& into) const {
  into.add(rank_, world_, others_, epoch_, operations_, sum_, open_, waits_, has_blocks_,
           iteration_, step_, state_);
  into.add(attempt_, tag_, sum_tag_, first_operation_, errors_, cancelled_, timeout_s_);
  into.add(raises_next_, reached_, redoes_, holds_work_);
}

std::string BulkProgram::waiting_for() const {
  switch (waits_) {
    case Waits::world:
      return "a world to go on in";
    case Waits::requests:
    case Waits::sum: {
      std::string first = operations_.waiting_for();
      return first.empty() ? "a request outside of TryBlocks that has failed" : first;
    }
    case Waits::outcome:
      return "the outcome of TryBlock " + std::to_string(attempt_);
    case Waits::leave:
      return "the end of the job";
    case Waits::saved:
      return "checkpoint " + std::to_string(iteration_ + 1);
    default:
      return {};
  }
}

}  // namespace faultline::workloads
