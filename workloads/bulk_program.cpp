// SPDX-License-Identifier: Apache-2.0
#include "workloads/bulk_program.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/checkpoint_request.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/iterations_done.hpp"
#include "workloads/collectives.hpp"
#include "workloads/program_metrics.hpp"

namespace faultline::workloads {

namespace {

using Kind = ProgramStep::Kind;

/// The content of a message of an exchange.
struct Halo {
  std::uint64_t value = 0;
};

constexpr MetricSpec kHaloMessages{"halo_messages", Merge::sum,
                                   "messages of exchanges, including those of redone iterations"};
constexpr MetricSpec kRedone{"redone_iterations", Merge::maximum,
                             "iterations that a process did again; the process with the most. "
                             "null if message logging takes checkpoints: an image does not know "
                             "of what came after it"};
constexpr MetricSpec kTimeouts{"timeouts", Merge::sum, "requests that have timed out"};
constexpr MetricSpec kCancelled{"requests_cancelled", Merge::sum,
                                "requests that were pending when their TryBlock was given up"};
constexpr MetricSpec kRaised{"errors_raised", Merge::sum,
                             "errors that programs have found in their data"};

bool asks_for_checkpoints(const OptionValues& values) {
  return !std::holds_alternative<std::monostate>(values.at("checkpoint_iterations"));
}

}  // namespace

OptionNotes checkpoint_notes() {
  return {.doc =
              "least number of iterations from one checkpoint to the next, each at the end of a "
              "TryBlock. With it the program asks message logging for checkpoints there, at the "
              "start and at the end. null: it asks for none",
          .minimum = 1};
}

Registration bulk_program_registration(std::string name, std::string summary, std::string source) {
  return {.family = Family::workload,
          .name = std::move(name),
          .summary = std::move(summary),
          .source = std::move(source),
          .traits = WorkloadTraits{.needs_detection = true,
                                   .finishes = true,
                                   .has_images = true,
                                   .driven_by_messages = true,
                                   .order_free = true,
                                   .asks_for_checkpoints = asks_for_checkpoints,
                                   .goes_on_when_sent = true,
                                   .end_checks = {{&kDifference, "wrong-state"}}},
          .message_kinds = {"request"},
          .metrics = {&kSolution, &kIterationTime, &kHaloMessages, &kRedone, &kTimeouts,
                      &kCancelled, &kRaised, &kDigest, &kDifference},
          .marks = {&kRedoMark, &kRedoneMark}};
}

ComponentFactory bulk_program_factory(ProgramOfRank programs, std::uint16_t request_kind) {
  return [shared = std::make_shared<const ProgramOfRank>(std::move(programs)), request_kind](
             ActorId self) { return std::make_unique<BulkProgram>(shared, self, request_kind); };
}

BulkProgram::BulkProgram(std::shared_ptr<const ProgramOfRank> programs, ActorId self,
                         std::uint16_t request_kind)
    : programs_(std::move(programs)),
      self_(self),
      rank_(self),
      program_((*programs_)(self)),
      world_(program_->processes),
      operations_({.message_kind = request_kind, .timer_key = 0}),
      state_(states().initial(self)) {}

std::unique_ptr<Component> BulkProgram::clone() const {
  return std::make_unique<BulkProgram>(*this);
}

void BulkProgram::start(WorkloadContext& context) {
  has_blocks_ = context.ask(Family::transactions, EnterWorld{program_->state_bytes});
  if (has_blocks_) {
    waits_ = Waits::world;
    return;
  }
  ask_for_image(context);
  walk(context);
}

// ---- steps ------------------------------------------------------------------------------------

void BulkProgram::walk(WorkloadContext& context) {
  go_through_steps(context);
  hold_work(context);
}

/// When a send that the rank waits for has left, or a checkpoint is complete, the rank goes on,
/// although no message has come. If the rank counted as idle meanwhile, it would begin work that no
/// termination detector can know of.
void BulkProgram::hold_work(WorkloadContext& context) {
  const bool waits_for_requests = waits_ == Waits::requests || waits_ == Waits::sum;
  const bool holds = waits_ == Waits::image || (waits_for_requests && operations_.waits_for_send());
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
  if (!has_blocks_) {
    if (!ask_for_image(context)) end_program(context);
    return;
  }
  waits_ = Waits::leave;
  context.ask(Family::transactions, LeaveWorld{});
}

void BulkProgram::end_program(WorkloadContext& context) {
  waits_ = Waits::end;
  finish_s_ = context.now_s();
  if (!has_blocks_) context.ask(Family::message_logging, IterationsDone{iteration_});
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
  data.put(Halo{states().sent(place(), state_)});
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
  sum_ = AllreduceRequest(rank_ - ranks.first, ranks.count, states().contributed(place(), state_));
  waits_ = Waits::sum;
  post_sum(context);
}

AllreduceRequest::Means BulkProgram::sum_means(WorkloadContext& context) {
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
  state_ = states().after_allreduce(state_, sum_.value());
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
      sum_.take(operations_, states());
      post_sum(context);
    } else {
      consume_exchange();
      next_step();
    }
  }
}

void BulkProgram::consume_exchange() {
  const std::size_t halos = program_->exchanges[step().exchange].receives.size();
  std::vector<std::uint64_t> values;
  values.reserve(halos);
  for (std::size_t halo = 0; halo < halos; ++halo)
    values.push_back(operations_.data(first_operation_ + halo).get<Halo>().value);
  state_ = states().after_exchange(state_, rank_, step().exchange, values);
}

// ---- checkpoints ------------------------------------------------------------------------------

void BulkProgram::save(WorkloadContext& context) {
  if (has_blocks_ && program_->ends_block(iteration_)) {
    waits_ = Waits::saved;
    const SaveCheckpoint point{iteration_ + 1, state_, program_->state_bytes};
    context.ask(Family::transactions, point);
  } else if (has_blocks_ || !program_->is_saved_after(iteration_) || !ask_for_image(context)) {
    next_step();
  }
}

/// Nothing of the program is under way here, and all ranks ask for the same. False if the stack has
/// no message logging, or the scenario no checkpoints.
bool BulkProgram::ask_for_image(WorkloadContext& context) {
  if (program_->checkpoint_iterations == 0) return false;
  const CheckpointRequest request{.number = checkpoint_, .bytes = program_->state_bytes};
  if (!context.ask(Family::message_logging, request)) return false;
  waits_ = Waits::image;
  return true;
}

/// The checkpoint is complete, or the rank goes on from it after a death.
void BulkProgram::on_image(WorkloadContext& context, std::uint64_t number) {
  if (waits_ != Waits::image || number != checkpoint_) return;
  ++checkpoint_;
  if (iteration_ == program_->iterations) return end_program(context);
  if (number > 0) return next_step();
  waits_ = Waits::nothing;
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
  totals.put_null(kRedone);
  if (has_blocks_ || program_->checkpoint_iterations == 0) totals.put(kRedone, redone_);
  totals.put(kTimeouts, timed_out_);
  totals.put(kCancelled, all_cancelled_);
  totals.put(kRaised, raised_);
  if (waits_ != Waits::end) return;
  totals.put(kSolution, finish_s_);
  totals.put(kIterationTime, finish_s_ / static_cast<double>(program_->iterations));
  const Rank rank = data_rank();
  if (totals.numbers().add(rank, rank + 1) == 0) return;
  const std::uint64_t share = states().share(rank, state_);
  totals.put(kDigest, share);
  const std::uint64_t right =
      states().share(rank, states().state_after(*program_, rank, iteration_, others_->shrunk));
  constexpr auto kModulus = static_cast<std::uint64_t>(kDigestModulus);
  totals.put(kDifference, (share + kModulus - right) % kModulus);
}

void BulkProgram::digest_state(Digest& into) const {
  into.add(rank_, world_, others_, epoch_, operations_, sum_, open_, waits_, has_blocks_,
           checkpoint_, iteration_, step_, state_);
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
    case Waits::image:
      return "checkpoint " + std::to_string(checkpoint_) + " of all ranks";
    default:
      return {};
  }
}

}  // namespace faultline::workloads
