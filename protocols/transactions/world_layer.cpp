// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/world_layer.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

constexpr MetricSpec kCheckpointTime{"checkpoint_time_s", Merge::mean,
                                     "time for which a checkpoint keeps a program waiting"};
constexpr MetricSpec kRespawned{"ranks_respawned", Merge::sum,
                                "processes that have taken the place of a dead one in a world"};
constexpr MetricSpec kMoved{"ranks_moved", Merge::sum,
                            "survivors that have another rank after a recovery"};
constexpr MetricSpec kNewRank{"respawned_rank", Merge::maximum,
                              "the highest rank of a new process in the first world that it "
                              "enters"};

/// The layer asks itself to go on when the program has handled its answer.
struct ReleaseHeld {
  static constexpr std::uint16_t kRequest = 40;
  std::uint64_t unused = 0;
};

}  // namespace

std::vector<std::string> world_kinds(const std::vector<std::string>& own) {
  std::vector<std::string> kinds{"ready",       "leader",  "world",  "copy",
                                 "copy-stored", "restore", "stored", "committed"};
  kinds.insert(kinds.end(), own.begin(), own.end());
  return kinds;
}

MetricSpecs world_metrics(const MetricSpecs& own) {
  MetricSpecs metrics{&kCheckpointTime, &kRespawned, &kMoved, &kNewRank};
  metrics.insert(metrics.end(), own.begin(), own.end());
  return metrics;
}

Marks world_marks(const Marks& own) {
  Marks marks{&kRegroupMark, &kSpawnMark, &kJoinMark, &kRestoreMark, &kResumeMark, &kSavedMark};
  marks.insert(marks.end(), own.begin(), own.end());
  return marks;
}

WorldLayer::WorldLayer(std::shared_ptr<const WorldOptions> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      mtbf_s_(job.mtbf_s),
      processes_(job.processes),
      processes_per_node_(job.processes_per_node),
      self_(self),
      data_rank_(self),
      world_(job.processes) {}

void WorldLayer::start(Context& context) {
  if (context.incarnation() == 0) return;
  phase_ = Phase::spawned;
  data_rank_ = kNobody;
  if (options_->checkpoint == "local") find_written(context, UINT64_MAX, 0);
}

// ---- messages of the program ------------------------------------------------------------------

void WorldLayer::on_sends(Context& context, std::span<Message* const> batch, bool) {
  for (Message* message : batch) {
    message->transactions.put(epoch_);
    context.forward(*message);
  }
}

Passage WorldLayer::on_receive(Context& context, Message& message) {
  const auto of = message.transactions.get<WorldEpoch>();
  const bool is_void = phase_ != Phase::spawned && is_stale(of);
  if (phase_ == Phase::running && of <= epoch_ && !is_void) return Passage::deliver;
  if (is_void)
    context.discard(message);
  else
    regrouping_.change().held.push_back(message);
  return Passage::hold;
}

/// Passes on the messages that came while the program could not take them.
void WorldLayer::release_held(Context& context) {
  for (Message& message : take(&Regrouping::held)) {
    const auto of = message.transactions.get<WorldEpoch>();
    if (of > epoch_)
      regrouping_.change().held.push_back(std::move(message));
    else if (is_stale(of))
      context.discard(message);
    else
      context.deliver(message);
  }
}

// ---- requests of the program ------------------------------------------------------------------

void WorldLayer::on_request(Context& context, const StackRequest& request) {
  if (request.is<ReleaseHeld>()) {
    if (phase_ != Phase::resuming) return;
    phase_ = Phase::running;
    release_held(context);
    if (regrouping_->is_over()) regrouping_.reset();
    return;
  }
  if (request.is<SaveCheckpoint>()) return save(context, request);
  if (request.is<EnterWorld>() || request.is<RecoverWorld>()) enter_request_ = request;
  if (request.is<EnterWorld>()) {
    state_bytes_ = request.get<EnterWorld>().state_bytes;
    if (phase_ == Phase::running) answer_program(context, *checkpoints_->data.saved().find(0));
    return;
  }
  on_block_request(context, request);
}

void WorldLayer::answer_program(Context& context, const SavedPoint& from) {
  if (!enter_request_) return;
  if (!world_.is_first(processes_))
    world_.for_each_run([&](ActorId actor, std::uint32_t count) {
      context.answer(*enter_request_, WorldPart{actor, count});
    });
  for (const Incarnation& life : replacements().replaced)
    if (life.actor != self_) context.answer(*enter_request_, MemberLife{life});
  if (options_->checkpoint != "none") checkpoints_.change().data.begin_work(context.now_s());
  context.answer(*enter_request_,
                 WorldEntered{epoch_, from.iteration, from.state, from.is_elsewhere ? 1U : 0U});
}

/// The program gets its answer first, and then the held messages.
void WorldLayer::resume(Context& context) {
  phase_ = Phase::resuming;
  context.mark(kResumeMark, epoch_.number);
  const std::optional<SavedPoint> from = data();
  invariant(from.has_value(), "a rank goes on from a checkpoint that it does not have");
  settle(*from);
  answer_program(context, *from);
  renew_copy(context);
  for (const Incarnation& peer : take(&Regrouping::unheeded)) heed(context, peer);
  context.ask(Family::transactions, ReleaseHeld{});
}

void WorldLayer::stop_program(Context& context) const {
  if (enter_request_) context.answer(*enter_request_, JobEnded{});
}

void WorldLayer::roll_back(Context& context) {
  answer_program(context, *checkpoints_->data.saved().find(checkpoints_->data.saved().newest()));
}

void WorldLayer::answer_query(Context& context, const StackRequest& request,
                              const std::vector<Rank>& failed) const {
  const std::uint64_t index = request.get<QueryBlock>().index;
  FailedGroup group{.count = failed.size(), .failed = {}};
  if (index < failed.size()) {
    const ActorId actor = world_.actor_of(failed[index]);
    group.failed = {actor, incarnation_in_world(actor)};
  }
  context.answer(request, group);
}

// ---- messages of its own ----------------------------------------------------------------------

bool WorldLayer::belongs_elsewhere(const Message& message, const WorldEpoch& of) {
  if (phase_ != Phase::spawned && phase_ != Phase::entering && of == epoch_) return false;
  if (phase_ == Phase::spawned || of >= epoch_) regrouping_.change().early.push_back(message);
  return true;
}

void WorldLayer::on_message(Context& context, const Message& message) {
  switch (message.kind) {
    case kReady: {
      const auto words = message.payload.get<ReadyWords>();
      const auto* held = context.attached<std::vector<HeldPoints>>(message);
      return on_ready(context, {.from = {message.from, message.from_incarnation},
                                .epoch = words.epoch,
                                .saved = words.saved,
                                .oldest = words.oldest,
                                .is_spawned = words.is_spawned != 0,
                                .data_rank = words.data_rank,
                                .held = held ? *held : std::vector<HeldPoints>()});
    }
    case kLeader:
      if (phase_ == Phase::spawned)
        follow(context, message.payload.get<Incarnation>(), message.from);
      return;
    case kWorld:
      return on_world_message(context, message);
    case kCopy:
      return keep_copy(context, message);
    case kCopyStored:
      if (const auto& taking = checkpoints_->data.taking();
          taking && message.payload.get<WorldWords>() == WorldWords{epoch_, taking->iteration}) {
        checkpoints_.change().data.kept_by = {message.from, message.from_incarnation};
        own_part_is_safe(context);
      }
      return;
    case kRestore:
      return take_back(context, message);
    case kStored:
    case kCommitted: {
      const auto words = message.payload.get<WorldWords>();
      if (belongs_elsewhere(message, words.epoch)) return;
      return message.kind == kStored
                 ? on_stored(context, words.point)
                 : on_committed(context, words.point, *context.attached<std::uint64_t>(message));
    }
    default:
      return on_own_message(context, message);
  }
}

void WorldLayer::on_timer(Context& context, std::uint64_t key) {
  if (key == kSpawnTimer) return spawn(context);
  if (key == kStorageTimer) return on_storage(context);
  on_own_timer(context, key);
}

// ---- seen from outside ------------------------------------------------------------------------

void WorldLayer::report(MetricTotals& totals) const {
  checkpoints_->data.report(kCheckpointTime, totals);
  totals.put(kRespawned, respawned_);
  totals.put(kMoved, moved_);
  if (new_rank_ != kNobody) totals.put(kNewRank, new_rank_);
}

std::string WorldLayer::waiting_for() const {
  switch (phase_) {
    case Phase::spawned:
      return "a leader";
    case Phase::regrouping:
      return leader() == self_ ? "all ranks to be ready" : "a new world";
    case Phase::entering:
      return "news of replaced processes";
    case Phase::restoring:
      return "its data";
    default:
      return checkpoints_->data.taking()
                 ? "checkpoint " + std::to_string(checkpoints_->data.taking()->iteration)
                 : std::string();
  }
}

void WorldLayer::digest_state(Digest& into) const {
  into.add(phase_, epoch_, point_, replacements(), dead_, regrouping_, enter_request_, world_);
  into.add(data_rank_, told_, checkpoints_);
}

}  // namespace faultline
