// SPDX-License-Identifier: Apache-2.0

// The checkpoints of a world: when ranks take them, where they are kept, and how a rank gets its
// data back.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "protocols/checkpoints/keeper.hpp"
#include "protocols/termination/control_tree.hpp"
#include "protocols/transactions/world_layer.hpp"
#include "sim/core/checkpoint_interval.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

// ---- taking one -------------------------------------------------------------------------------

void WorldLayer::save(Context& context, const StackRequest& request) {
  const auto asked = request.get<SaveCheckpoint>();
  const bool would_never_end = is_collective() && (!dead_.empty() || is_given_up());
  if (!is_due(asked.iteration) || would_never_end || phase_ != Phase::running)
    return context.answer(request, CheckpointSaved{asked.iteration});
  Checkpoints& own = checkpoints_.change();
  own.request = request;
  own.data.begin({asked.iteration, asked.state, asked.bytes}, context.now_s());
  context.mark(kSavedMark, static_cast<std::int64_t>(asked.iteration));
  if (is_written())
    context.set_timer(kStorageTimer, storage_s(asked.bytes));
  else
    send_copy(context, *own.data.taking());
}

bool WorldLayer::is_due(std::uint64_t iteration) const {
  return options_->checkpoint != "none" &&
         iteration >= checkpoints_->data.saved().newest() +
                          options_->checkpoint_iterations.value_or(checkpoints_->data.every());
}

/// Scenarios with neither an interval nor an MTBF to compute one are refused.
bool WorldLayer::counts_seconds() const {
  return !options_->checkpoint_iterations && (options_->checkpoint_interval_s || mtbf_s_ < kNever);
}

/// True if a checkpoint ends when all ranks have theirs, and not at each rank by itself.
bool WorldLayer::is_collective() const {
  return options_->checkpoint == "storage" || counts_seconds() || !commits_blocks();
}

/// True if checkpoints are written to a storage, and not sent to a partner.
bool WorldLayer::is_written() const {
  return options_->checkpoint == "storage" || options_->checkpoint == "local";
}

/// Without a live keeper there is no copy. The next TryBlock will be rejected, as this rank knows
/// of a death; or the keeper was left out of a world that has shrunk, in which nobody needs the
/// copies of others.
void WorldLayer::send_copy(Context& context, const SavedPoint& point) {
  const Rank keeper = keeper_of(context.placement(), context.job(), self_);
  if (keeper == kNobody || is_dead(keeper)) {
    checkpoints_.change().data.kept_by = {};
    if (checkpoints_->data.taking()) own_part_is_safe(context);
    return;
  }
  checkpoints_.change().data.kept_by = {keeper, incarnation_in_world(keeper)};
  Message& message = context.send(keeper, kCopy, options_->control_bytes + point.bytes);
  message.payload.put(WorldWords{epoch_, point.iteration});
  context.attach(message, point);
}

/// If no TryBlocks are committed, a rank can send its next checkpoint but one while others do not
/// know yet that the last one is complete. They may all go back to the one before.
void WorldLayer::keep_copy(Context& context, const Message& message) {
  const auto words = message.payload.get<WorldWords>();
  if (belongs_elsewhere(message, words.epoch)) return;
  const Rank rank = *world_.rank_of(message.from);
  forget_moved(context);
  const std::uint64_t needed = commits_blocks() ? UINT64_MAX : checkpoints_->data.saved().oldest();
  checkpoints_.change().data.keep(rank, {message.from, message.from_incarnation},
                                  *context.attached<SavedPoint>(message), needed);
  context.send(message.from, kCopyStored, options_->control_bytes).payload.put(words);
}

/// Forgets copies for ranks that have another keeper by now, because ranks or processes have moved.
/// No recovery goes back to before the last two checkpoints of this rank.
void WorldLayer::forget_moved(const Context& context) {
  checkpoints_.change().data.kept.erase_if([&](const KeptPoints& kept) {
    return kept.points.newest() < checkpoints_->data.saved().oldest() &&
           keeper_of(context.placement(), context.job(), kept.client.actor) != self_;
  });
}

void WorldLayer::own_part_is_safe(Context& context) {
  if (!is_collective()) return end_save(context, true);
  if (checkpoints_.change().data.own_is_safe(children())) pass_on_stored(context);
}

/// The checkpoint is complete, or will never be because a rank has died.
void WorldLayer::end_save(Context& context, bool is_safe) {
  Checkpoints& own = checkpoints_.change();
  const SavedPoint point = own.data.end(is_safe, context.now_s());
  context.answer(own.request, CheckpointSaved{point.iteration});
}

/// Ends a checkpoint that will never be complete, as far as this rank knows.
void WorldLayer::end_lost_save(Context& context) {
  const ActorId keeper = checkpoints_->data.kept_by.actor;
  const bool has_lost_keeper = keeper != kNobody && is_dead(keeper);
  const bool never_ends =
      is_collective() ? commits_blocks() && (!dead_.empty() || is_given_up()) : has_lost_keeper;
  if (checkpoints_->data.taking() && never_ends) end_save(context, false);
}

/// The process that has kept this rank's checkpoint may have died and lost it.
void WorldLayer::renew_copy(Context& context) {
  const SavedPoints& saved = checkpoints_->data.saved();
  if (options_->checkpoint != "partner" || saved.newest() == 0) return;
  const Incarnation keeper = checkpoints_->data.kept_by;
  const bool is_kept = keeper.actor != kNobody && !is_dead(keeper.actor) &&
                       incarnation_in_world(keeper.actor) == keeper.number;
  if (!is_kept) send_copy(context, *saved.find(saved.newest()));
}

// ---- into a storage ---------------------------------------------------------------------------

/// All ranks, or those of a node, write or read at the same time.
double WorldLayer::storage_s(std::uint64_t bytes) const {
  const auto data = static_cast<double>(bytes);
  return options_->checkpoint == "storage"
             ? data * world_.size() / options_->storage_bandwidth_Bps
             : data * processes_per_node_ / options_->node_storage_bandwidth_Bps;
}

/// What a rank stores in a turn is in the storage before its messages leave, so this rank can
/// report at once that its part is safe.
void WorldLayer::on_storage(Context& context) {
  if (phase_ == Phase::restoring) return read_back(context);
  if (!checkpoints_->data.taking()) return;
  write_down(context);
  own_part_is_safe(context);
}

/// Where this process's data are written: at the places of its rank, or at its own if nobody takes
/// over the data of others.
PointStorage WorldLayer::places() const {
  return {PointStorage::kPlaces * std::uint64_t{shrinks() ? self_ : rank()}};
}

/// The place where the resource manager keeps which process of an actor has entered a world last,
/// as it knows through PMIx_Connect: behind the places of all ranks.
std::uint64_t WorldLayer::place_of_entry(ActorId actor) const {
  return PointStorage::kPlaces * std::uint64_t{processes_} + actor;
}

void WorldLayer::write_down(Context& context) const {
  const DataCheckpoints& own = checkpoints_->data;
  places().write(context, options_->checkpoint == "local" ? Storage::of_node : Storage::shared,
                 *own.taking(), own.saved());
}

/// What a process that takes a rank's place finds of its checkpoints, up to `latest`. Not all ranks
/// may have written a checkpoint later than the latest complete one. Of the checkpoints before the
/// last two, takes up what may be `needed`.
void WorldLayer::find_written(const Context& context, std::uint64_t latest, std::uint64_t needed) {
  SavedPoints& saved = checkpoints_.change().data.saved();
  saved = {};
  for (const SavedPoint& point : places().find(context, latest)) saved.add(point, needed);
  if (data_rank_ != kNobody && data_rank_ != rank()) ++moved_;
  data_rank_ = rank();
}

void WorldLayer::read_back(Context& context) {
  if (!data()) find_written(context, point_, point_);
  invariant(checkpoints_->data.saved().find(point_).has_value(),
            "a complete checkpoint is not in the storage");
  data_are_there(context);
}

std::uint32_t WorldLayer::children() const {
  return ControlTree{world_.size()}.child_count(rank());
}

void WorldLayer::on_stored(Context& context, std::uint64_t iteration) {
  if (checkpoints_.change().data.child_is_safe(iteration, children())) pass_on_stored(context);
}

/// All below this rank have stored the checkpoint that is being taken.
void WorldLayer::pass_on_stored(Context& context) {
  const std::uint64_t iteration = checkpoints_->data.taking()->iteration;
  if (rank() == 0)
    return on_committed(context, iteration,
                        counts_seconds() ? iterations_in_interval(context.now_s()) : 1);
  context.send(world_.actor_of(ControlTree::parent(rank())), kStored, options_->control_bytes)
      .payload.put(WorldWords{epoch_, iteration});
}

/// The clocks of ranks differ, so rank 0 says for all how many iterations fit into the interval,
/// for Daly's with the cost of this checkpoint.
std::uint64_t WorldLayer::iterations_in_interval(double now_s) const {
  const DataCheckpoints& own = checkpoints_->data;
  return own.iterations_in(
      options_->checkpoint_interval_s.value_or(daly_interval_s(own.taken_s(now_s), mtbf_s_)));
}

void WorldLayer::on_committed(Context& context, std::uint64_t iteration, std::uint64_t every) {
  if (!checkpoints_->data.is_taking(iteration)) return;
  checkpoints_.change().data.set_every(every);
  ControlTree{world_.size()}.for_each_child(rank(), [&](Rank child) {
    Message& message = context.send(world_.actor_of(child), kCommitted, options_->control_bytes);
    message.payload.put(WorldWords{epoch_, iteration});
    context.attach(message, every);
  });
  end_save(context, true);
}

// ---- finding one that all have ----------------------------------------------------------------

/// The latest checkpoint that all have; nothing if one rank's is lost.
std::optional<std::uint64_t> WorldLayer::common_point() const {
  if (options_->checkpoint == "none") return 0;
  if (options_->checkpoint == "partner") return copied_point();
  if (options_->checkpoint == "local") return point_on_nodes();
  // A checkpoint that any rank knows to be complete is in the storage.
  std::uint64_t latest = checkpoints_->data.saved().newest();
  for (const Ready& ready : regrouping_->ready) latest = std::max(latest, ready.saved);
  return latest;
}

/// If no live process has a rank's data, only a keeper's copy is left. If there is none, the rank
/// may have died before its first checkpoint: then nobody has taken the second one yet. In a world
/// that shrinks, the data of the dead are lost.
std::optional<std::uint64_t> WorldLayer::copied_point() const {
  const Ready own = own_ready();
  std::vector<bool> is_there(processes_, shrinks());
  std::uint64_t common = UINT64_MAX;
  std::uint64_t oldest = 0;
  const auto look = [&](const Ready& ready) {
    if (ready.data_rank == kNobody || is_dead_now(ready.from)) return;
    is_there[ready.data_rank] = true;
    common = std::min(common, ready.saved);
    oldest = std::max(oldest, ready.oldest);
  };
  look(own);
  for (const Ready& ready : regrouping_->ready) look(ready);
  std::map<Rank, std::set<std::uint64_t>> copies;
  const auto look_for_copies = [&](const Ready& ready) {
    for (const HeldPoints& held : ready.held)
      if (!is_there[held.rank])
        copies[held.rank].insert(held.iterations.begin(), held.iterations.end());
  };
  look_for_copies(own);
  for (const Ready& ready : regrouping_->ready) look_for_copies(ready);
  for (Rank rank = 0; rank < is_there.size(); ++rank) {
    if (is_there[rank]) continue;
    const std::set<std::uint64_t>& held = copies[rank];
    common = std::min(common, held.empty() ? 0 : *held.rbegin());
  }
  const bool all_have = std::all_of(copies.begin(), copies.end(), [common](const auto& of_rank) {
    return common == 0 || of_rank.second.contains(common);
  });
  return common < oldest || (common > 0 && !all_have) ? std::nullopt : std::optional(common);
}

/// The checkpoint that all have: new processes have looked for it on their nodes. A checkpoint that
/// all take together is on all nodes as soon as any rank knows that it is complete.
std::optional<std::uint64_t> WorldLayer::point_on_nodes() const {
  std::uint64_t common = checkpoints_->data.saved().newest();
  if (is_collective()) {
    for (const Ready& ready : regrouping_->ready)
      if (!ready.is_spawned) common = std::max(common, ready.saved);
    const bool all_have = std::all_of(
        regrouping_->ready.begin(), regrouping_->ready.end(), [common](const Ready& ready) {
          return !ready.is_spawned || (ready.oldest <= common && common <= ready.saved);
        });
    return all_have ? std::optional(common) : std::nullopt;
  }
  std::uint64_t oldest = checkpoints_->data.saved().oldest();
  for (const Ready& ready : regrouping_->ready) {
    common = std::min(common, ready.saved);
    oldest = std::max(oldest, ready.oldest);
  }
  return common < oldest ? std::nullopt : std::optional(common);
}

// ---- getting the data back --------------------------------------------------------------------

void WorldLayer::restore(Context& context) {
  context.mark(kRestoreMark, static_cast<std::int64_t>(point_));
  if (is_written() && point_ > 0 && shrinks()) return read_back(context);  // it is in memory
  if (is_written() && point_ > 0) return context.set_timer(kStorageTimer, storage_s(state_bytes_));
  if (data()) data_are_there(context);
}

/// The data of this process's rank in this world, if it has them. A process that is left in a
/// smaller world keeps its own.
std::optional<SavedPoint> WorldLayer::data() const {
  if (point_ == 0 || data_rank_ == rank() || shrinks())
    return checkpoints_->data.saved().find(point_);
  return checkpoints_->data.came;
}

/// Sends data to the processes that have got their rank: what they lack, from those that have it.
void WorldLayer::give_back(Context& context) {
  if (Checkpoints* own = checkpoints_.changed()) own->data.go_back_to(point_);
  if (point_ == 0 || shrinks() || is_written()) return;
  const std::optional<SavedPoint> own = checkpoints_->data.saved().find(point_);
  if (own && data_rank_ != kNobody) give(context, data_rank_, *own);
  for (const KeptPoints& kept : checkpoints_->data.kept) {
    const bool has_own = incarnation_in_world(kept.client.actor) == kept.client.number;
    const std::optional<SavedPoint> point = kept.points.find(point_);
    if (!has_own && point) give(context, kept.rank, *point);
  }
}

/// A survivor whose rank has not changed needs nothing.
void WorldLayer::give(Context& context, Rank data_rank, const SavedPoint& point) {
  const ActorId to = world_.actor_of(data_rank);
  if (to == self_) {
    if (data_rank != data_rank_) checkpoints_.change().data.came = point;
    return;
  }
  Message& message = context.send(to, kRestore, options_->control_bytes + point.bytes);
  message.payload.put(WorldWords{epoch_, point_});
  context.attach(message, point);
}

void WorldLayer::take_back(Context& context, const Message& message) {
  const auto words = message.payload.get<WorldWords>();
  if (belongs_elsewhere(message, words.epoch)) return;
  take_data(context, message);
  if (phase_ == Phase::restoring) data_are_there(context);
}

/// Takes the data that came before the news of this world. If this rank has to regroup at once, it
/// must not report that it has no data, or keeps none.
void WorldLayer::take_early_data(Context& context) {
  for (Message& message : take(&Regrouping::early)) {
    const bool is_data = message.kind == kRestore || message.kind == kCopy;
    if (!is_data || message.payload.get<WorldWords>().epoch != epoch_)
      regrouping_.change().early.push_back(std::move(message));
    else if (message.kind == kRestore)
      take_data(context, message);
    else
      keep_copy(context, message);
  }
}

void WorldLayer::take_data(Context& context, const Message& message) {
  if (data()) return;
  DataCheckpoints& own = checkpoints_.change().data;
  own.came = *context.attached<SavedPoint>(message);
  if (data_rank_ == kNobody) {
    own.saved().add(*own.came);
    data_rank_ = rank();
    if (options_->recovery == "rebuild") own.kept_by = {message.from, message.from_incarnation};
  }
}

/// The world stands. From now on, each process has the data of its rank, and nobody else's.
void WorldLayer::settle(const SavedPoint& from) {
  const Rank now = rank();
  const bool has_moved = data_rank_ != now && data_rank_ != kNobody;
  data_rank_ = now;
  if (has_moved) ++moved_;
  if (options_->checkpoint == "none") return;
  DataCheckpoints& own = checkpoints_.change().data;
  if (has_moved) {
    if (!shrinks()) own.saved() = {};
    if (!shrinks() && point_ > 0) own.saved().add(from);
    own.kept_by = {};
  }
  own.saved().go_back_to(point_);
  own.came.reset();
  if (shrinks()) return;
  for (KeptPoints& kept : own.kept) {
    const ActorId owner = world_.actor_of(kept.rank);
    kept.client = {owner, incarnation_in_world(owner)};
  }
}

void WorldLayer::data_are_there(Context& context) {
  phase_ = Phase::committing;
  on_data(context);
}

}  // namespace faultline
