// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/checkpointed_program.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/checkpoint_request.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/iterations_done.hpp"

namespace faultline::message_logging {

namespace {

constexpr MetricSpec kRecoveryTime{
    "rollback_recovery_time_max_s", Merge::maximum,
    "longest time from a death until all ranks are where they were, as far as others know",
    Trend::of_merge, families(Family::message_logging)};

constexpr Mark kRecoveryMark{"recovery",
                             "a restarted process begins to recover: its incarnation, from 1"};
constexpr Mark kRecoveredMark{
    "recovered", "a process, or an object, is where it was: how many restarts there have been"};

/// The layer asks itself to go on when the program has handled its answer.
struct Resume {
  static constexpr std::uint16_t kRequest = 2;
  std::uint64_t unused = 0;
};

/// The layer asks whether there is such a component. Nobody answers.
struct Presence {
  static constexpr std::uint16_t kRequest = 4;
  std::uint64_t unused = 0;
};

bool is_about_restart(const Message& message) {
  return message.kind >= checkpoints::CheckpointMessage::restarted &&
         message.kind <= checkpoints::CheckpointMessage::agreed;
}

bool is_committed_image(const Message& message) {
  return message.kind == checkpoints::CheckpointMessage::image &&
         message.payload.get<checkpoints::ImageWords>().committed == 1;
}

}  // namespace

MetricSpecs program_metrics(const MetricSpecs& own) {
  MetricSpecs metrics{&checkpoints::kCheckpointTime, &kRecoveryTime};
  metrics.insert(metrics.end(), own.begin(), own.end());
  return metrics;
}

Marks program_marks() { return {&checkpoints::kCheckpointMark, &kRecoveryMark, &kRecoveredMark}; }

CheckpointedProgram::CheckpointedProgram(const checkpoints::CheckpointOptions& options,
                                         const JobShape& job, Rank self, Survivors survivors)
    : processes_(job.processes),
      self_(self),
      control_bytes_(options.control_bytes),
      checkpoint_interval_s_(options.checkpoint_interval_s),
      survivors_(survivors),
      images_(options, job, self),
      wave_(job.processes, self, options.control_bytes) {}

void CheckpointedProgram::start(RecoveryContext& context, ProtocolSteps& steps, bool singly) {
  gate_.set_up(context.ask(Family::termination, Presence{}),
               singly && context.job().orders_local_events);
  if (checkpoint_interval_s_) gate_.keep_program_back();
  if (context.incarnation() == 0) {
    set_checkpoint_timer(context);
    return gate_.set_up_again();
  }
  context.mark(kRecoveryMark, context.incarnation());
  go_on(context, wave_.begin(context, context.death_s()), steps);
}

// ---- messages of the program ------------------------------------------------------------------

/// A rank that logs messages need not count them, except those of a detector.
void CheckpointedProgram::on_sends(RecoveryContext& context, std::span<Message* const> batch,
                                   ProtocolSteps& steps) {
  const bool counts = gate_.counts() || survivors_ == Survivors::go_back;
  for (Message* message : batch) {
    if (counts && !gate_.lets_down(context, *message, images_.program_waits())) continue;
    steps.stamp(context, *message);
    context.forward(*message);
  }
  steps.try_recovered(context);
}

std::optional<Admission> CheckpointedProgram::turn_away(const RecoveryContext& context,
                                                        const Message& message) const {
  if (message.from != self_ && is_of_old_incarnation(context, message)) return Admission::discard;
  const auto stamp = message.logging.get<LoggingStamp>();
  if (stamp.epoch < epoch()) return Admission::discard;
  if (stamp.epoch > epoch()) return Admission::hold;
  return std::nullopt;
}

/// The message is still to be handled: an image cannot be taken before that.
void CheckpointedProgram::count_received(RecoveryContext& context) {
  gate_.count_received();
  if (!images_.round().counts() || wave_.joined() != level()) return;
  if (images_.round().received(context) != checkpoints::CheckpointRound::Due::take) return;
  images_.take_later();
  context.set_timer(ProgramTimer::try_again, kTryAgain_s);
}

void CheckpointedProgram::hand_up(RecoveryContext& context, const Message& message) {
  if (gate_.counts()) count_received(context);
  context.deliver(message);
}

void CheckpointedProgram::resume(RecoveryContext& context, MessageSteps& steps) {
  gate_.begin_to_resume();
  gate_.end_quiet(context, steps);
  const checkpoints::Checkpoint& last = images_.last();
  if (last.request) context.answer(*last.request, CheckpointRequest{last.number});
  context.ask(Family::message_logging, Resume{});
}

// ---- checkpoints ------------------------------------------------------------------------------

void CheckpointedProgram::on_request(RecoveryContext& context, const StackRequest& request,
                                     ProtocolSteps& steps) {
  if (request.is<Resume>()) return go_on_resumed(context, steps);
  if (request.is<IterationsDone>()) {
    iterations_ = request.get<IterationsDone>().iterations;
  } else if (is_up()) {  // else of a program that is about to be put back
    images_.ask(request);
    ask_if_ready(context, steps);
  }
}

void CheckpointedProgram::go_on_resumed(RecoveryContext& context, ProtocolSteps& steps) {
  gate_.end_resuming();
  steps.on_resumed(context);
  gate_.release_held(context, steps);
  steps.try_recovered(context);
}

void CheckpointedProgram::ask_if_ready(RecoveryContext& context, ProtocolSteps& steps) {
  checkpoints::CheckpointRound& round = images_.round();
  if (!images_.is_asked() || round.asked() || wave_.joined() != level() || !steps.is_ready())
    return;
  go_on(context, gate_.counts() ? round.ask(context) : round.ask(context, gate_.in_flight()),
        steps);
}

void CheckpointedProgram::go_on(RecoveryContext& context, checkpoints::CheckpointRound::Due due,
                                ProtocolSteps& steps) {
  if (due == checkpoints::CheckpointRound::Due::be_quiet) {
    gate_.be_quiet();
    return go_on(context, images_.round().is_quiet(context, gate_.in_flight()), steps);
  }
  if (due == checkpoints::CheckpointRound::Due::take) take_image(context, steps);
  if (due != checkpoints::CheckpointRound::Due::commit) return;
  commit(context, steps);
  go_on_after_commit(context, steps);
}

/// A program that has asked gets its answer; another one goes on all the time, and only what it has
/// sent was kept back, and what has come of those that have committed before this rank.
void CheckpointedProgram::go_on_after_commit(RecoveryContext& context, ProtocolSteps& steps) {
  if (images_.last().request) return resume(context, steps);
  gate_.end_quiet(context, steps);
  steps.on_resumed(context);
  gate_.release_held(context, steps);
}

/// If something of the program is still under way, the image is taken later.
void CheckpointedProgram::take_image(RecoveryContext& context, ProtocolSteps& steps) {
  if (!steps.is_settled()) {
    images_.take_later();
    return context.set_timer(ProgramTimer::try_again, kTryAgain_s);
  }
  const checkpoints::CheckpointRound::Due due = images_.take(
      context, {.unsent = gate_.unsent(), .deliveries = deliveries_before() + steps.deliveries()});
  if (images_.is_still_to_take()) context.set_timer(ProgramTimer::try_again, kTryAgain_s);
  go_on(context, due, steps);
}

/// It keeps no run alive.
void CheckpointedProgram::set_checkpoint_timer(RecoveryContext& context) const {
  if (checkpoint_interval_s_)
    context.set_timer(ProgramTimer::checkpoint, *checkpoint_interval_s_, true);
}

void CheckpointedProgram::on_timer(RecoveryContext& context, std::uint64_t key,
                                   ProtocolSteps& steps) {
  if (key == ProgramTimer::try_again && images_.is_still_to_take() && wave_.joined() == level())
    take_image(context, steps);
  if (key == ProgramTimer::begin || key == ProgramTimer::hand_up) begin(context, steps);
  if (key == ProgramTimer::hand_up && gate_.is_open()) {
    if (steps.hand_up_next(context) || gate_.release_one_held(context, steps))
      ProgramGate::hand_up_later(context);
    else
      ask_if_ready(context, steps);  // what was handed up last has been handled
  }
  if (key == ProgramTimer::checkpoint && is_up()) {
    images_.ask_by_time();
    ask_if_ready(context, steps);
  }
  if (key == ProgramTimer::started) {
    gate_.end_start();
    gate_.release_held(context, steps);
  }
}

void CheckpointedProgram::commit(RecoveryContext& context, ProtocolSteps& steps) {
  images_.commit(context, level());
  set_checkpoint_timer(context);
  gate_.reset_counts();
  steps.on_committed(context);
}

// ---- messages of this layer -------------------------------------------------------------------

/// What an old incarnation has sent is about a state that is gone.
void CheckpointedProgram::on_message(RecoveryContext& context, const Message& message,
                                     ProtocolSteps& steps) {
  if (is_of_old_incarnation(context, message)) return;
  if (message.kind >= checkpoints::CheckpointMessage::kinds)
    return steps.on_own_message(context, message);
  if (is_about_restart(message)) return go_on(context, wave_.on_message(context, message), steps);
  if (is_committed_image(message)) return images_.keep_renewed(context, message);
  if (message.kind == checkpoints::CheckpointMessage::your_image) {
    if (is_up()) return;
    images_.on_your_image(context, message);
    if (awaits_image_ && images_.take_arrived(context)) put_back(context);
    return;
  }
  if (message.payload.get<checkpoints::RoundStep>().level > level())
    early_.push_back(message);
  else
    handle_step(context, message, steps);
}

/// While a restart is being agreed on, the round is void.
void CheckpointedProgram::handle_step(RecoveryContext& context, const Message& message,
                                      ProtocolSteps& steps) {
  if (message.payload.get<checkpoints::RoundStep>().level < level() || wave_.joined() > level())
    return;
  go_on(context, images_.on_message(context, message), steps);
}

// ---- restarts ---------------------------------------------------------------------------------

/// Every rank that hears of a death asks for the restart, so that it does not matter which one dies
/// next. The resource manager grants one request.
void CheckpointedProgram::on_peer_failed(RecoveryContext& context, Incarnation peer) const {
  if (peer.actor < processes_)  // a daemon comes back with its ranks
    context.restart(peer, RestartOn::same_node_now);
}

void CheckpointedProgram::on_restart_refused(RecoveryContext& context, Incarnation peer) {
  if (std::ranges::find(for_spare_nodes_, peer) != for_spare_nodes_.end())
    return context.fatal("no node is left for a rank that has died");
  for_spare_nodes_.push_back(peer);
  context.restart(peer, RestartOn::spare_node);
}

void CheckpointedProgram::on_peer_restarted(RecoveryContext& context, ProtocolSteps& steps) {
  go_on(context, wave_.on_peer_restarted(context), steps);
}

void CheckpointedProgram::go_on(RecoveryContext& context, RestartWave::Due due,
                                ProtocolSteps& steps) {
  if (due == RestartWave::Due::report) join(context, steps);
  if (due == RestartWave::Due::agreed) agree(context, steps);
}

void CheckpointedProgram::join(RecoveryContext& context, ProtocolSteps& steps) {
  checkpoints::ImageCheckpoints::Known known = images_.known(context);
  RestartReport own;
  own.epoch = known.epoch;
  own.images = std::move(known.images);
  steps.on_joined(context, wave_.root(), own);
  may_repeat_ = true;
  go_on(context, wave_.report(context, own), steps);
}

void CheckpointedProgram::agree(RecoveryContext& context, ProtocolSteps& steps) {
  if (is_up())
    agree_as_survivor(context, steps);
  else
    agree_as_restarted(context, steps);
  images_.serve_clients(context);
  for (const Message& message : std::exchange(early_, {})) on_message(context, message, steps);
}

void CheckpointedProgram::agree_as_restarted(RecoveryContext& context, ProtocolSteps& steps) {
  images_.set_epoch(wave_.agreement().epoch);
  images_.begin_round(level());
  if (wave_.root() == self_) steps.on_reports(context, wave_.reports());
  if (epoch() > 0) return await_image(context);
  context.start_above();
  gate_.start_anew(context);
  set_checkpoint_timer(context);
  steps.on_begun_anew(context);
  steps.try_recovered(context);
}

void CheckpointedProgram::agree_as_survivor(RecoveryContext& context, ProtocolSteps& steps) {
  const bool goes_on = survivors_ == Survivors::go_on;
  if (epoch() < wave_.agreement().epoch) {
    commit(context, steps);
    if (goes_on) go_on_after_commit(context, steps);
  }
  invariant(epoch() == wave_.agreement().epoch, "ranks have committed different checkpoints");
  images_.drop_round();
  images_.begin_round(level());
  if (goes_on) gate_.end_quiet(context, steps);
  images_.renew_copy(context);
  steps.on_agreed(context);
  if (goes_on) {
    gate_.release_held(context, steps);
    steps.try_recovered(context);
  }
  ask_if_ready(context, steps);
}

void CheckpointedProgram::await_image(RecoveryContext& context) {
  if (images_.take_arrived(context)) return put_back(context);
  const std::vector<Rank>& have = wave_.agreement().have_images;
  if (std::ranges::find(have, self_) == have.end())
    return context.fatal("a rank has died, and so has the keeper of its image");
  awaits_image_ = true;
}

void CheckpointedProgram::roll_back(RecoveryContext& context) {
  if (!images_.has_last()) {
    if (images_.program_waits()) return;
    images_.forget_request();
    context.start_above();
    set_checkpoint_timer(context);
    return gate_.begin_again(context);
  }
  images_.forget_request();
  gate_.close();
  put_back(context);
}

void CheckpointedProgram::put_back(RecoveryContext& context) {
  awaits_image_ = false;
  gate_.put_back(context, images_.last().unsent);
  set_checkpoint_timer(context);
  context.restore(images_.last().image);
}

/// The ranks of a node that has failed restart on one node, too.
void CheckpointedProgram::give_up(RecoveryContext& context, Rank other) const {
  if (context.placement().node_of(self_) == context.placement().node_of(other))
    return context.fatal(
        "a rank has died while another one of its node was recovering: this protocol brings back "
        "one rank at a time, and does not survive a node that fails with several");
  context.fatal(
      "a rank has died while another was recovering: this protocol brings back one rank at a time");
}

// ---- seen from outside ------------------------------------------------------------------------

void CheckpointedProgram::note_recovered(RecoveryContext& context, double death_s) {
  context.mark(kRecoveredMark, static_cast<std::int64_t>(level()));
  recovery_time_s_ = std::max(recovery_time_s_.value_or(0.0), context.now_s() - death_s);
}

/// A rank that dies after its end, and comes back, finishes twice.
double CheckpointedProgram::report(MetricTotals& totals) const {
  images_.report(totals);
  if (recovery_time_s_)
    totals.put(kRecoveryTime, *recovery_time_s_);
  else
    totals.put_null(kRecoveryTime);
  if (iterations_ == 0 || totals.numbers().add(self_, self_ + 1) == 0) return 0.0;
  return static_cast<double>(iterations_);
}

std::string CheckpointedProgram::waiting_for() const {
  if (wave_.joined() > level()) return "the other ranks to agree on a restart";
  if (awaits_image_) return "its image";
  if (!is_up()) return "its restart";
  if (images_.program_waits()) return "checkpoint " + std::to_string(epoch());
  return {};
}

void CheckpointedProgram::digest(Digest& into) const {
  into.add(gate_, images_, wave_, awaits_image_, early_, for_spare_nodes_);
}

}  // namespace faultline::message_logging
