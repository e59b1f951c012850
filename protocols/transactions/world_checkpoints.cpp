// The checkpoints of a world: who keeps them, and how a rank gets its data back.

#include <algorithm>
#include <utility>

#include "protocols/message_logging/checkpoint.hpp"
#include "protocols/termination/control_tree.hpp"
#include "protocols/transactions/world_layer.hpp"

namespace faultline {

namespace {

std::uint32_t message_bytes(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
}

}  // namespace

// ---- to take one ------------------------------------------------------------------------------

void WorldLayer::save(Context& context, const StackRequest& request) {
  const auto asked = request.get<SaveCheckpoint>();
  save_request_ = request;
  const bool is_due = options_.checkpoint != "none" &&
                      asked.iteration >= saved_.newest() + options_.checkpoint_iterations;
  if (!is_due || phase_ != Phase::running)
    return context.answer(request, CheckpointSaved{asked.iteration});
  taking_ = SavedPoint{asked.iteration, asked.state, asked.bytes};
  save_begin_s_ = context.now_s();
  context.mark("checkpoint", static_cast<std::int64_t>(asked.iteration));
  if (options_.checkpoint == "storage")
    context.set_timer(kStorageTimer, storage_s(asked.bytes));
  else
    send_copy(context, *taking_);
}

/// Without a keeper that lives there is no checkpoint. The TryBlock that comes next will be
/// rejected: this rank knows of a death.
void WorldLayer::send_copy(Context& context, const SavedPoint& point) {
  const Rank keeper = keeper_of(context.placement(), job_, self_);
  if (keeper == kNobody || is_dead(keeper)) {
    kept_by_ = {};
    if (taking_) end_save(context);
    return;
  }
  kept_by_ = {keeper, incarnation_in_world(keeper)};
  Message& message =
      context.send(keeper, kCopy, message_bytes(options_.control_bytes + point.bytes));
  message.payload.put(WorldWords{epoch_, point.iteration});
  context.attach(message, point);
}

void WorldLayer::keep_copy(Context& context, const Message& message) {
  const auto words = message.payload.get<WorldWords>();
  if (belongs_elsewhere(message, words.epoch)) return;
  const Rank rank = *world_.rank_of(message.from);
  forget_moved(context);
  const auto place =
      std::lower_bound(kept_.begin(), kept_.end(), rank,
                       [](const KeptPoints& kept, Rank of) { return kept.rank < of; });
  const bool is_new = place == kept_.end() || place->rank != rank;
  KeptPoints& kept =
      is_new ? *kept_.insert(place, {.rank = rank, .client = {}, .points = {}}) : *place;
  kept.client = {message.from, message.from_incarnation};
  kept.points.go_back_to(words.point == 0 ? 0 : words.point - 1);
  kept.points.add(*context.attached<SavedPoint>(message));
  context.send(message.from, kCopyStored, options_.control_bytes).payload.put(words);
}

/// Copies of who has another keeper by now, because ranks or processes have moved. No recovery goes
/// back to before the last two checkpoints of this rank.
void WorldLayer::forget_moved(const Context& context) {
  std::erase_if(kept_, [&](const KeptPoints& kept) {
    return kept.points.newest() < saved_.oldest() &&
           keeper_of(context.placement(), job_, kept.client.actor) != self_;
  });
}

/// The checkpoint is complete, or will never be because its keeper has died.
void WorldLayer::end_save(Context& context) {
  const SavedPoint point = *std::exchange(taking_, std::nullopt);
  if (kept_by_.actor == kNobody || !is_dead(kept_by_.actor)) saved_.add(point);
  checkpoint_time_s_ += context.now_s() - save_begin_s_;
  ++checkpoints_;
  context.answer(save_request_, CheckpointSaved{point.iteration});
}

void WorldLayer::end_lost_save(Context& context) {
  const bool has_keeper = options_.checkpoint == "partner" && kept_by_.actor != kNobody;
  if (taking_ && has_keeper && is_dead(kept_by_.actor)) end_save(context);
}

/// Whoever has kept this rank's checkpoint may have lost it with its life.
void WorldLayer::renew_copy(Context& context) {
  if (options_.checkpoint != "partner" || saved_.newest() == 0) return;
  const bool is_kept = kept_by_.actor != kNobody && !is_dead(kept_by_.actor) &&
                       incarnation_in_world(kept_by_.actor) == kept_by_.number;
  if (!is_kept) send_copy(context, *saved_.find(saved_.newest()));
}

// ---- all into one storage ---------------------------------------------------------------------

/// All ranks write or read at the same time.
double WorldLayer::storage_s(std::uint64_t bytes) const {
  return static_cast<double>(bytes) * job_.processes / options_.storage_bandwidth_Bps;
}

void WorldLayer::on_storage(Context& context) {
  if (phase_ == Phase::restoring) return data_are_there(context);
  if (!taking_) return;
  stored_here_ = true;
  stored_below_ += static_cast<std::uint64_t>(std::erase(stored_early_, taking_->iteration));
  pass_on_stored(context);
}

void WorldLayer::on_stored(Context& context, std::uint64_t iteration) {
  if (!taking_ || taking_->iteration != iteration) return stored_early_.push_back(iteration);
  ++stored_below_;
  pass_on_stored(context);
}

void WorldLayer::pass_on_stored(Context& context) {
  if (!stored_here_ || stored_below_ < ControlTree{job_.processes}.child_count(self_)) return;
  const std::uint64_t iteration = taking_->iteration;
  if (self_ == 0) return on_committed(context, iteration);
  context.send(ControlTree::parent(self_), kStored, options_.control_bytes)
      .payload.put(WorldWords{epoch_, iteration});
}

void WorldLayer::on_committed(Context& context, std::uint64_t iteration) {
  if (!taking_ || taking_->iteration != iteration) return;
  ControlTree{job_.processes}.for_each_child(self_, [&](Rank child) {
    context.send(child, kCommitted, options_.control_bytes)
        .payload.put(WorldWords{epoch_, iteration});
  });
  stored_here_ = false;
  stored_below_ = 0;
  end_save(context);
}

// ---- to get the data back ---------------------------------------------------------------------

void WorldLayer::restore(Context& context) {
  context.mark("restore", static_cast<std::int64_t>(point_));
  if (options_.checkpoint == "storage" && point_ > 0) {
    if (!saved_.find(point_))
      saved_.add({.iteration = point_, .bytes = state_bytes_, .is_elsewhere = true});
    data_rank_ = rank();
    return context.set_timer(kStorageTimer, storage_s(state_bytes_));
  }
  if (data()) data_are_there(context);
}

/// The data of this process's rank in this world, if it has them. Who is left of a smaller world
/// keeps its own.
std::optional<SavedPoint> WorldLayer::data() const {
  if (point_ == 0 || data_rank_ == rank() || shrinks()) return saved_.find(point_);
  return came_;
}

/// To those who have got the rank of these data: what they lack, from those who have it.
void WorldLayer::give_back(Context& context) {
  for (KeptPoints& kept : kept_) kept.points.go_back_to(point_);
  if (point_ == 0 || shrinks()) return;
  if (const std::optional<SavedPoint> own = saved_.find(point_); own && data_rank_ != kNobody)
    give(context, data_rank_, *own);
  for (const KeptPoints& kept : kept_) {
    const bool has_own = incarnation_in_world(kept.client.actor) == kept.client.number;
    const std::optional<SavedPoint> point = kept.points.find(point_);
    if (!has_own && point) give(context, kept.rank, *point);
  }
}

/// A survivor whose rank has not changed needs nothing.
void WorldLayer::give(Context& context, Rank data_rank, const SavedPoint& point) {
  const ActorId to = world_.actor_of(data_rank);
  if (to == self_) {
    if (data_rank != data_rank_) came_ = point;
    return;
  }
  Message& message =
      context.send(to, kRestore, message_bytes(options_.control_bytes + point.bytes));
  message.payload.put(WorldWords{epoch_, point_});
  context.attach(message, point);
}

void WorldLayer::take_back(Context& context, const Message& message) {
  const auto words = message.payload.get<WorldWords>();
  if (belongs_elsewhere(message, words.epoch)) return;
  if (data()) return;
  came_ = *context.attached<SavedPoint>(message);
  if (data_rank_ == kNobody) {
    saved_.add(*came_);
    data_rank_ = rank();
    if (options_.recovery == "rebuild") kept_by_ = {message.from, message.from_incarnation};
  }
  if (phase_ == Phase::restoring) data_are_there(context);
}

/// The world stands. From now on, everybody has the data of its rank, and nobody else's.
void WorldLayer::settle(const SavedPoint& from) {
  const Rank now = rank();
  if (data_rank_ != now && data_rank_ != kNobody) {
    ++moved_;
    if (!shrinks()) saved_ = {};
    if (!shrinks() && point_ > 0) saved_.add(from);
    kept_by_ = {};
  }
  data_rank_ = now;
  saved_.go_back_to(point_);
  came_.reset();
  if (shrinks()) return;
  for (KeptPoints& kept : kept_) {
    const ActorId owner = world_.actor_of(kept.rank);
    kept.client = {owner, incarnation_in_world(owner)};
  }
}

void WorldLayer::data_are_there(Context& context) {
  phase_ = Phase::committing;
  on_data(context);
}

}  // namespace faultline
