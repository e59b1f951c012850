// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/world_checkpoints.hpp"

#include "protocols/checkpoints/keeper.hpp"
#include "protocols/termination/control_tree.hpp"
#include "sim/core/checkpoint_interval.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/transaction_requests.hpp"

namespace faultline::transactions {

namespace {

std::uint32_t children_of(const WorldMembers& members) {
  return termination::ControlTree{members.world().size()}.child_count(members.rank());
}

}  // namespace

WorldCheckpoints::WorldCheckpoints(const WorldOptions& options, const JobShape& job, Rank self,
                                   bool commits_blocks)
    : options_(&options),
      mtbf_s_(job.mtbf_s),
      processes_per_node_(job.processes_per_node),
      commits_blocks_(commits_blocks),
      data_rank_(self) {}

// ---- a process and its worlds -----------------------------------------------------------------

void WorldCheckpoints::begin_life(const RecoveryContext& context, const WorldMembers& members) {
  data_rank_ = kNobody;
  if (options_->checkpoint == "local") find_written(context, UINT64_MAX, 0, members);
}

void WorldCheckpoints::enter(std::uint64_t point, std::uint64_t every, bool is_new) {
  point_ = point;
  if (own_->data.every() != every) own_.change().data.set_every(every);
  Own* own = own_.changed();
  if (own == nullptr) return;
  own->data.forget_unfinished();
  if (is_new) own->data.saved().go_back_to(point);
}

void WorldCheckpoints::give_up() {
  if (Own* own = own_.changed()) own->data.give_up();
}

// ---- taking one -------------------------------------------------------------------------------

void WorldCheckpoints::begin_work(double now_s) {
  if (options_->takes_checkpoints()) own_.change().data.begin_work(now_s);
}

void WorldCheckpoints::save(RecoveryContext& context, const StackRequest& request,
                            const WorldMembers& members, bool is_possible) {
  const auto asked = request.get<SaveCheckpoint>();
  if (!is_due(asked.iteration) || !is_possible)
    return context.answer(request, CheckpointSaved{asked.iteration});
  Own& own = own_.change();
  own.request = request;
  own.data.begin({asked.iteration, asked.state, asked.bytes}, context.now_s());
  context.mark(kSavedMark, static_cast<std::int64_t>(asked.iteration));
  if (is_written())
    context.set_timer(WorldTimer::storage, storage_s(asked.bytes, members));
  else
    send_copy(context, *own.data.taking(), members);
}

bool WorldCheckpoints::is_due(std::uint64_t iteration) const {
  return options_->takes_checkpoints() &&
         iteration >= own_->data.saved().newest() +
                          options_->checkpoint_iterations.value_or(own_->data.every());
}

/// Scenarios with neither an interval nor an MTBF to compute one are refused.
bool WorldCheckpoints::counts_seconds() const {
  return !options_->checkpoint_iterations && (options_->checkpoint_interval_s || mtbf_s_ < kNever);
}

bool WorldCheckpoints::is_collective() const {
  return options_->checkpoint == "storage" || counts_seconds() || !commits_blocks_;
}

/// True if checkpoints are written to a storage, and not sent to a partner.
bool WorldCheckpoints::is_written() const {
  return options_->checkpoint == "storage" || options_->checkpoint == "local";
}

void WorldCheckpoints::own_part_is_safe(RecoveryContext& context, const WorldMembers& members) {
  if (!is_collective()) return end(context, true);
  if (own_.change().data.own_is_safe(children_of(members))) pass_on_stored(context, members);
}

/// The checkpoint is complete, or will never be because a rank has died.
void WorldCheckpoints::end(RecoveryContext& context, bool is_safe) {
  Own& own = own_.change();
  const checkpoints::SavedPoint point = own.data.end(is_safe, context.now_s());
  context.answer(own.request, CheckpointSaved{point.iteration});
}

void WorldCheckpoints::end_lost(RecoveryContext& context, const WorldMembers& members,
                                bool is_broken) {
  const ActorId keeper = own_->data.kept_by.actor;
  const bool has_lost_keeper = keeper != kNobody && members.is_dead(keeper);
  const bool never_ends = is_collective() ? commits_blocks_ && is_broken : has_lost_keeper;
  if (taking() && never_ends) end(context, false);
}

// ---- with a partner ---------------------------------------------------------------------------

/// Without a live keeper there is no copy. The next TryBlock will be rejected, as this rank knows
/// of a death; or the keeper was left out of a world that has shrunk, in which nobody needs the
/// copies of others.
void WorldCheckpoints::send_copy(RecoveryContext& context, const checkpoints::SavedPoint& point,
                                 const WorldMembers& members) {
  const Rank keeper = checkpoints::keeper_of(context.placement(), context.job(), members.self());
  if (keeper == kNobody || members.is_dead(keeper)) {
    own_.change().data.kept_by = {};
    if (taking()) own_part_is_safe(context, members);
    return;
  }
  own_.change().data.kept_by = members.process_of(keeper);
  Message& message =
      context.send(keeper, WorldMessage::copy, options_->control_bytes + point.bytes);
  message.payload.put(WorldWords{members.epoch(), point.iteration});
  context.attach(message, point);
}

/// If no TryBlocks are committed, a rank can send its next checkpoint but one while others do not
/// know yet that the last one is complete. They may all go back to the one before.
void WorldCheckpoints::keep_copy(RecoveryContext& context, const Message& message,
                                 const WorldMembers& members) {
  forget_moved(context);
  const std::uint64_t needed = commits_blocks_ ? UINT64_MAX : own_->data.saved().oldest();
  own_.change().data.keep(*members.world().rank_of(message.from),
                          {message.from, message.from_incarnation},
                          *context.attached<checkpoints::SavedPoint>(message), needed);
  context.send(message.from, WorldMessage::copy_stored, options_->control_bytes)
      .payload.put(message.payload.get<WorldWords>());
}

/// Forgets copies for ranks that have another keeper by now, because ranks or processes have moved.
/// No recovery goes back to before the last two checkpoints of this rank.
void WorldCheckpoints::forget_moved(const RecoveryContext& context) {
  own_.change().data.kept.erase_if([&](const checkpoints::KeptPoints& kept) {
    return kept.points.newest() < own_->data.saved().oldest() &&
           checkpoints::keeper_of(context.placement(), context.job(), kept.client.actor) !=
               context.self();
  });
}

void WorldCheckpoints::on_copy_stored(RecoveryContext& context, const Message& message,
                                      const WorldMembers& members) {
  const auto words = message.payload.get<WorldWords>();
  if (!taking() || words != WorldWords{members.epoch(), taking()->iteration}) return;
  own_.change().data.kept_by = {message.from, message.from_incarnation};
  own_part_is_safe(context, members);
}

void WorldCheckpoints::renew_copy(RecoveryContext& context, const WorldMembers& members) {
  const checkpoints::SavedPoints& saved = own_->data.saved();
  if (options_->checkpoint != "partner" || saved.newest() == 0) return;
  const Incarnation keeper = own_->data.kept_by;
  const bool is_kept = keeper.actor != kNobody && !members.is_dead(keeper.actor) &&
                       members.life_of(keeper.actor) == keeper.number;
  if (!is_kept) send_copy(context, *saved.find(saved.newest()), members);
}

// ---- into a storage ---------------------------------------------------------------------------

/// All ranks, or those of a node, write or read at the same time.
double WorldCheckpoints::storage_s(std::uint64_t bytes, const WorldMembers& members) const {
  const auto size = static_cast<double>(bytes);
  return options_->checkpoint == "storage"
             ? size * members.world().size() / options_->storage_bandwidth_Bps
             : size * processes_per_node_ / options_->node_storage_bandwidth_Bps;
}

/// What a rank stores in a turn is in the storage before its messages leave, so this rank can
/// report at once that its part is safe.
void WorldCheckpoints::on_written(RecoveryContext& context, const WorldMembers& members) {
  if (!taking()) return;
  const Storage storage = options_->checkpoint == "local" ? Storage::of_node : Storage::shared;
  places(members).write(context, storage, *taking(), own_->data.saved());
  own_part_is_safe(context, members);
}

/// Where this process's data are written: at the places of its rank, or at its own if nobody takes
/// over the data of others.
checkpoints::PointStorage WorldCheckpoints::places(const WorldMembers& members) const {
  return {checkpoints::PointStorage::kPlaces *
          std::uint64_t{shrinks() ? members.self() : members.rank()}};
}

/// What a process that takes a rank's place finds of its checkpoints, up to `latest`. Not all ranks
/// may have written a checkpoint later than the latest complete one. Of the checkpoints before the
/// last two, takes up what may be `needed`.
void WorldCheckpoints::find_written(const RecoveryContext& context, std::uint64_t latest,
                                    std::uint64_t needed, const WorldMembers& members) {
  checkpoints::SavedPoints& saved = own_.change().data.saved();
  saved = {};
  for (const checkpoints::SavedPoint& point : places(members).find(context, latest))
    saved.add(point, needed);
  if (data_rank_ != kNobody && data_rank_ != members.rank()) ++moved_;
  data_rank_ = members.rank();
}

// ---- by all together --------------------------------------------------------------------------

void WorldCheckpoints::on_step(RecoveryContext& context, const Message& message,
                               const WorldMembers& members) {
  const std::uint64_t iteration = message.payload.get<WorldWords>().point;
  if (message.kind == WorldMessage::committed)
    return on_committed(context, iteration, *context.attached<std::uint64_t>(message), members);
  if (own_.change().data.child_is_safe(iteration, children_of(members)))
    pass_on_stored(context, members);
}

/// All below this rank have stored the checkpoint that is being taken.
void WorldCheckpoints::pass_on_stored(RecoveryContext& context, const WorldMembers& members) {
  const std::uint64_t iteration = taking()->iteration;
  if (members.rank() == 0)
    return on_committed(context, iteration,
                        counts_seconds() ? iterations_in_interval(context.now_s()) : 1, members);
  const ActorId parent = members.world().actor_of(termination::ControlTree::parent(members.rank()));
  context.send(parent, WorldMessage::stored, options_->control_bytes)
      .payload.put(WorldWords{members.epoch(), iteration});
}

/// The clocks of ranks differ, so rank 0 says for all how many iterations fit into the interval,
/// for Daly's with the cost of this checkpoint.
std::uint64_t WorldCheckpoints::iterations_in_interval(double now_s) const {
  const checkpoints::DataCheckpoints& own = own_->data;
  return own.iterations_in(
      options_->checkpoint_interval_s.value_or(daly_interval_s(own.taken_s(now_s), mtbf_s_)));
}

void WorldCheckpoints::on_committed(RecoveryContext& context, std::uint64_t iteration,
                                    std::uint64_t every, const WorldMembers& members) {
  if (!own_->data.is_taking(iteration)) return;
  own_.change().data.set_every(every);
  termination::ControlTree{members.world().size()}.for_each_child(members.rank(), [&](Rank child) {
    Message& message = context.send(members.world().actor_of(child), WorldMessage::committed,
                                    options_->control_bytes);
    message.payload.put(WorldWords{members.epoch(), iteration});
    context.attach(message, every);
  });
  end(context, true);
}

// ---- finding one that all have ----------------------------------------------------------------

void WorldCheckpoints::report_to(Ready& ready) const {
  const checkpoints::DataCheckpoints& own = own_->data;
  ready.words.saved = own.saved().newest();
  ready.words.oldest = own.saved().oldest();
  ready.words.data_rank = data_rank_;
  ready.held.reserve(own.kept.size());
  for (const checkpoints::KeptPoints& kept : own.kept)
    ready.held.push_back({kept.rank, kept.points.iterations()});
}

std::optional<std::uint64_t> WorldCheckpoints::common_point(const Ready& own,
                                                            const RollCall& others,
                                                            const WorldMembers& members) const {
  if (!options_->takes_checkpoints()) return 0;
  if (options_->checkpoint == "storage") return point_in_storage(own, others);
  if (options_->checkpoint == "local") return point_on_nodes(own, others, is_collective());
  return point_with_partners(own, others, members, shrinks());
}

// ---- getting the data back --------------------------------------------------------------------

bool WorldCheckpoints::fetch(RecoveryContext& context, const WorldMembers& members) {
  context.mark(kRestoreMark, static_cast<std::int64_t>(point_));
  if (!is_written() || point_ == 0) return data(members).has_value();
  if (!shrinks()) {
    context.set_timer(WorldTimer::storage, storage_s(state_bytes_, members));
    return false;
  }
  read_back(context, members);  // it is in memory
  return true;
}

void WorldCheckpoints::read_back(const RecoveryContext& context, const WorldMembers& members) {
  if (!data(members)) find_written(context, point_, point_, members);
  invariant(own_->data.saved().find(point_).has_value(),
            "a complete checkpoint is not in the storage");
}

/// The data of this process's rank in this world, if it has them. A process that is left in a
/// smaller world keeps its own.
std::optional<checkpoints::SavedPoint> WorldCheckpoints::data(const WorldMembers& members) const {
  if (point_ == 0 || data_rank_ == members.rank() || shrinks())
    return own_->data.saved().find(point_);
  return own_->data.came;
}

void WorldCheckpoints::give_back(RecoveryContext& context, const WorldMembers& members) {
  if (Own* own = own_.changed()) own->data.go_back_to(point_);
  if (point_ == 0 || shrinks() || is_written()) return;
  const std::optional<checkpoints::SavedPoint> own = own_->data.saved().find(point_);
  if (own && data_rank_ != kNobody) give(context, data_rank_, *own, members);
  for (const checkpoints::KeptPoints& kept : own_->data.kept) {
    const bool has_own = members.life_of(kept.client.actor) == kept.client.number;
    const std::optional<checkpoints::SavedPoint> point = kept.points.find(point_);
    if (!has_own && point) give(context, kept.rank, *point, members);
  }
}

/// A survivor whose rank has not changed needs nothing.
void WorldCheckpoints::give(RecoveryContext& context, Rank data_rank,
                            const checkpoints::SavedPoint& point, const WorldMembers& members) {
  const ActorId to = members.world().actor_of(data_rank);
  if (to == members.self()) {
    if (data_rank != data_rank_) own_.change().data.came = point;
    return;
  }
  Message& message = context.send(to, WorldMessage::restore, options_->control_bytes + point.bytes);
  message.payload.put(WorldWords{members.epoch(), point_});
  context.attach(message, point);
}

void WorldCheckpoints::take_data(RecoveryContext& context, const Message& message,
                                 const WorldMembers& members) {
  if (data(members)) return;
  checkpoints::DataCheckpoints& own = own_.change().data;
  own.came = *context.attached<checkpoints::SavedPoint>(message);
  if (data_rank_ != kNobody) return;
  own.saved().add(*own.came);
  data_rank_ = members.rank();
  if (options_->recovery == "rebuild") own.kept_by = {message.from, message.from_incarnation};
}

checkpoints::SavedPoint WorldCheckpoints::settle(const WorldMembers& members) {
  const std::optional<checkpoints::SavedPoint> from = data(members);
  invariant(from.has_value(), "a rank goes on from a checkpoint that it does not have");
  const bool has_moved = data_rank_ != members.rank() && data_rank_ != kNobody;
  data_rank_ = members.rank();
  if (has_moved) ++moved_;
  if (!options_->takes_checkpoints()) return *from;
  checkpoints::DataCheckpoints& own = own_.change().data;
  if (has_moved) {
    if (!shrinks()) own.saved() = {};
    if (!shrinks() && point_ > 0) own.saved().add(*from);
    own.kept_by = {};
  }
  own.saved().go_back_to(point_);
  own.came.reset();
  if (shrinks()) return *from;
  for (checkpoints::KeptPoints& kept : own.kept) kept.client = members.process_with(kept.rank);
  return *from;
}

checkpoints::SavedPoint WorldCheckpoints::newest() const {
  const checkpoints::SavedPoints& saved = own_->data.saved();
  return *saved.find(saved.newest());
}

void WorldCheckpoints::report(MetricTotals& totals) const {
  own_->data.report(kSaveTime, totals);
  totals.put(kMoved, moved_);
}

}  // namespace faultline::transactions
