// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/recovered_world.hpp"

#include "sim/core/transaction_requests.hpp"

namespace faultline::transactions {

namespace {

constexpr MetricSpec kRespawned{"ranks_respawned", Merge::sum,
                                "processes that have taken the place of a dead one in a world"};
constexpr MetricSpec kNewRank{"respawned_rank", Merge::maximum,
                              "the highest rank of a new process in the first world that it "
                              "enters"};

/// The layer asks itself to go on when the program has handled its answer.
struct ReleaseHeld {
  static constexpr std::uint16_t kRequest = 40;
  std::uint64_t unused = 0;
};

}  // namespace

MetricSpecs world_metrics(const MetricSpecs& own) {
  MetricSpecs metrics{&kSaveTime, &kRespawned, &kMoved, &kNewRank};
  metrics.insert(metrics.end(), own.begin(), own.end());
  return metrics;
}

Marks world_marks(const Marks& own) {
  Marks marks{&kRegroupMark, &kSpawnMark, &kJoinMark, &kRestoreMark, &kResumeMark, &kSavedMark};
  marks.insert(marks.end(), own.begin(), own.end());
  return marks;
}

void RecoveredWorld::start(RecoveryContext& context) {
  if (context.incarnation() == 0) return;
  phase_ = WorldPhase::spawned;
  checkpoints_.begin_life(context, members_);
}

// ---- requests of the program ------------------------------------------------------------------

bool RecoveredWorld::on_request(RecoveryContext& context, const StackRequest& request,
                                WorldSteps& steps) {
  if (request.is<ReleaseHeld>()) {
    if (phase_ != WorldPhase::resuming) return true;
    phase_ = WorldPhase::running;
    gate_.release(context, members_.epoch());
    if (gate_.is_empty() && regrouping_->is_over()) regrouping_.reset();
    return true;
  }
  if (request.is<SaveCheckpoint>()) {
    const bool would_be_lost = checkpoints_.is_collective() && is_broken(steps);
    checkpoints_.save(context, request, members_, phase_ == WorldPhase::running && !would_be_lost);
    return true;
  }
  if (request.is<EnterWorld>() || request.is<RecoverWorld>()) enter_request_ = request;
  if (!request.is<EnterWorld>()) return false;
  checkpoints_.set_state_bytes(request.get<EnterWorld>().state_bytes);
  if (phase_ == WorldPhase::running) answer_program(context, {.is_elsewhere = true});
  return true;
}

void RecoveredWorld::answer_program(RecoveryContext& context, const checkpoints::SavedPoint& from) {
  if (!enter_request_) return;
  if (!members_.world().is_first(members_.processes()))
    members_.world().for_each_run([&](ActorId actor, std::uint32_t count) {
      context.answer(*enter_request_, WorldPart{actor, count});
    });
  for (const Incarnation& life : members_.replacements().replaced)
    if (life.actor != members_.self()) context.answer(*enter_request_, MemberLife{life});
  checkpoints_.begin_work(context.now_s());
  context.answer(*enter_request_, WorldEntered{members_.epoch(), from.iteration, from.state,
                                               from.is_elsewhere ? 1U : 0U});
}

/// The program gets its answer first, and then the held messages.
void RecoveredWorld::resume(RecoveryContext& context, WorldSteps& steps) {
  phase_ = WorldPhase::resuming;
  context.mark(kResumeMark, members_.epoch().number);
  answer_program(context, checkpoints_.settle(members_));
  checkpoints_.renew_copy(context, members_);
  for (const Incarnation& peer : take(&Regrouping::unheeded)) heed(context, peer, steps);
  context.ask(Family::transactions, ReleaseHeld{});
}

void RecoveredWorld::stop_program(RecoveryContext& context) const {
  if (enter_request_) context.answer(*enter_request_, JobEnded{});
}

// ---- messages and timers ----------------------------------------------------------------------

bool RecoveredWorld::belongs_elsewhere(const Message& message, const WorldEpoch& of) {
  const bool is_between = phase_ == WorldPhase::spawned || phase_ == WorldPhase::entering;
  if (!is_between && of == members_.epoch()) return false;
  if (phase_ == WorldPhase::spawned || of >= members_.epoch())
    regrouping_.change().early.push_back(message);
  return true;
}

void RecoveredWorld::on_message(RecoveryContext& context, const Message& message,
                                WorldSteps& steps) {
  switch (message.kind) {
    case WorldMessage::ready: {
      const auto* held = context.attached<std::vector<checkpoints::HeldPoints>>(message);
      return on_ready(context,
                      {.from = {message.from, message.from_incarnation},
                       .words = message.payload.get<ReadyWords>(),
                       .held = held ? *held : std::vector<checkpoints::HeldPoints>()},
                      steps);
    }
    case WorldMessage::leader:
      if (phase_ == WorldPhase::spawned)
        follow(context, message.payload.get<Incarnation>(), message.from);
      return;
    case WorldMessage::world:
      return on_news(context, message, steps);
    case WorldMessage::copy_stored:
      return checkpoints_.on_copy_stored(context, message, members_);
    default:
      break;
  }
  if (belongs_elsewhere(message, message.payload.get<WorldWords>().epoch)) return;
  if (message.kind == WorldMessage::copy) return checkpoints_.keep_copy(context, message, members_);
  if (message.kind != WorldMessage::restore)
    return checkpoints_.on_step(context, message, members_);
  checkpoints_.take_data(context, message, members_);
  if (phase_ == WorldPhase::restoring) data_are_there(context, steps);
}

bool RecoveredWorld::on_timer(RecoveryContext& context, std::uint64_t key, WorldSteps& steps) {
  if (key >= WorldTimer::keys) return false;
  if (key == WorldTimer::spawn) {
    spawn(context);
  } else if (phase_ == WorldPhase::restoring) {
    checkpoints_.read_back(context, members_);
    data_are_there(context, steps);
  } else {
    checkpoints_.on_written(context, members_);
  }
  return true;
}

// ---- seen from outside ------------------------------------------------------------------------

void RecoveredWorld::report(MetricTotals& totals) const {
  checkpoints_.report(totals);
  totals.put(kRespawned, respawned_);
  if (new_rank_ != kNobody) totals.put(kNewRank, new_rank_);
}

std::string RecoveredWorld::waiting_for() const {
  switch (phase_) {
    case WorldPhase::spawned:
      return "a leader";
    case WorldPhase::regrouping:
      return leads() ? "all ranks to be ready" : "a new world";
    case WorldPhase::entering:
      return "news of replaced processes";
    case WorldPhase::restoring:
      return "its data";
    default:
      return checkpoints_.taking()
                 ? "checkpoint " + std::to_string(checkpoints_.taking()->iteration)
                 : std::string();
  }
}

}  // namespace faultline::transactions
