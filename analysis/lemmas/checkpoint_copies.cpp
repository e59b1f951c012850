// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/checkpoint_copies.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "analysis/lemmas/message_kind.hpp"
#include "protocols/transactions/world_messages.hpp"

namespace faultline::lemmas {

namespace {

/// The program goes on from there, and will take later checkpoints again.
void go_back(std::set<std::uint64_t>& points, std::uint64_t to) {
  points.erase(points.upper_bound(to), points.end());
}

/// Keeps the last two, and those from `needed` on.
void forget_old(std::set<std::uint64_t>& points, std::uint64_t needed) {
  while (points.size() > 2 && *points.begin() < needed) points.erase(points.begin());
}

}  // namespace

CheckpointCopies::CheckpointCopies(std::uint32_t processes,
                                   const scenario::ComponentChoice& protocol)
    : is_collective_(!protocol.options.contains("checkpoint_iterations") ||
                     !protocol.registration->as<RecoveryTraits>().commits_blocks),
      commits_blocks_(protocol.registration->as<RecoveryTraits>().commits_blocks),
      copy_(message_kind(*protocol.registration, "copy")),
      copy_stored_(message_kind(*protocol.registration, "copy-stored")),
      restore_(message_kind(*protocol.registration, "restore")),
      world_(message_kind(*protocol.registration, "world")),
      committed_(message_kind(*protocol.registration, "committed")),
      processes_(processes) {
  worlds_.try_emplace(WorldEpoch{}, processes);
  for (Rank rank = 0; rank < processes; ++rank) processes_[rank].data_of = rank;
}

void CheckpointCopies::see(const audit::Sight& sight) {
  if (sight.actor >= processes_.size()) return;
  Process& process = processes_[sight.actor];
  switch (sight.kind) {
    case audit::Sight::Kind::died:
      process = {.alive = false};
      return judge();
    case audit::Sight::Kind::restarted:
      process = {.epoch = std::nullopt};
      return;
    case audit::Sight::Kind::mark:
      return marked(sight.actor, sight.text, sight.value);
    case audit::Sight::Kind::sent:
    case audit::Sight::Kind::received:
      if (sight.message->channel == Family::transactions) message(sight);
      return;
    default:
      return;
  }
}

// ---- worlds -----------------------------------------------------------------------------------

std::optional<Rank> CheckpointCopies::rank_in(const WorldEpoch& epoch, ActorId actor) const {
  const auto world = worlds_.find(epoch);
  return world == worlds_.end() ? std::nullopt : world->second.rank_of(actor);
}

/// A process that enters a world has been told of it, or has put it together and told others in the
/// same turn.
void CheckpointCopies::join(Process& process, std::uint64_t number) {
  for (const WorldEpoch& epoch : std::exchange(process.told, {}))
    if (epoch.number == number && (!process.epoch || *process.epoch < epoch))
      process.epoch = epoch;
    else if (epoch.number > number)
      process.told.push_back(epoch);
  process.got.clear();
  process.taking.reset();
  for (const Arrival& arrival : std::exchange(process.early, {})) take(process, arrival);
}

/// From now on, the process has the data of its rank and nobody else's.
void CheckpointCopies::go_on(Process& process, ActorId self) {
  const std::optional<Rank> now = rank_in(*process.epoch, self);
  const bool has_moved = process.data_of && process.data_of != now;
  const bool is_new = !process.data_of;
  process.data_of = now;
  if (has_moved) process.own.clear();
  if ((has_moved || is_new) && process.point > 0) process.own.insert(process.point);
  go_back(process.own, process.point);
  process.got.clear();
  if (!lost_in_ || *process.epoch <= *lost_in_) return;
  lost_in_.reset();
  judge();
}

// ---- checkpoints ------------------------------------------------------------------------------

void CheckpointCopies::marked(ActorId actor, const char* mark, std::uint64_t value) {
  const std::string_view name(mark);
  Process& process = processes_[actor];
  if (name == "join") return join(process, value);
  if (name == "resume") return go_on(process, actor);
  if (name == "regroup") process.taking.reset();
  if (name == "restore") {
    process.point = value;
    for (auto& [rank, points] : process.kept) go_back(points, value);
  }
  if (name != "checkpoint") return;
  process.taking = value;
  // Nobody keeps a copy of this process's checkpoint, and it waits for nobody's answer.
  const bool is_alone = process.copied != value;
  if (is_alone && !is_collective_) save(process, value);
}

void CheckpointCopies::save(Process& process, std::uint64_t point) {
  if (process.taking != point) return;
  process.taking.reset();
  process.own.insert(point);
  forget_old(process.own, UINT64_MAX);
  if (has_second_ || process.own.size() < 2) return;
  has_second_ = true;
  judge();
}

void CheckpointCopies::message(const audit::Sight& sight) {
  const Message& message = *sight.message;
  Process& process = processes_[sight.actor];
  const bool is_sent = sight.kind == audit::Sight::Kind::sent;
  if (message.kind == world_) {
    const WorldEpoch epoch = message.payload.get<transactions::WorldWords>().epoch;
    const auto* news = message.attachments.get<std::shared_ptr<const transactions::WorldNews>>(
        Family::transactions);
    worlds_.try_emplace(epoch, (*news)->world);
    if (!process.epoch || *process.epoch < epoch) process.told.push_back(epoch);
  } else if (is_sent && message.kind == copy_) {
    process.copied = message.payload.get<transactions::WorldWords>().point;
  } else if (message.kind == (is_collective_ ? committed_ : copy_stored_)) {
    // The first rank sends the news of a complete checkpoint instead of receiving it.
    if (!is_sent || is_collective_)
      save(process, message.payload.get<transactions::WorldWords>().point);
  } else if (!is_sent && (message.kind == copy_ || message.kind == restore_)) {
    arrive(sight.actor, message);
  }
}

void CheckpointCopies::arrive(ActorId at, const Message& message) {
  const auto words = message.payload.get<transactions::WorldWords>();
  const bool is_for_itself = message.kind == restore_;
  const std::optional<Rank> rank = rank_in(words.epoch, is_for_itself ? at : message.from);
  if (rank) take(processes_[at], {words.epoch, *rank, words.point, is_for_itself});
}

void CheckpointCopies::take(Process& process, const Arrival& arrival) const {
  if (!process.epoch || *process.epoch < arrival.epoch) return process.early.push_back(arrival);
  if (arrival.epoch < *process.epoch) return;
  if (arrival.is_for_itself) {
    if (!process.data_of) {
      process.data_of = arrival.rank;
      process.own.insert(arrival.point);
    }
    process.got.insert_or_assign(arrival.rank, arrival.point);
    return;
  }
  Points& points = process.kept[arrival.rank];
  go_back(points, arrival.point);
  points.insert(arrival.point);
  const std::uint64_t oldest = process.own.size() < 2 ? 0 : *process.own.begin();
  forget_old(points, commits_blocks_ ? UINT64_MAX : oldest);
}

// ---- the judgement ----------------------------------------------------------------------------

/// The checkpoints from which a rank could go on: those of the process that has its data, or of the
/// processes that keep copies. All can begin again until one has its second checkpoint, since all
/// have their first one then.
CheckpointCopies::Points CheckpointCopies::open_to(Rank rank) const {
  Points points;
  bool is_there = false;
  for (const Process& process : processes_) {
    if (!process.alive) continue;
    if (const auto got = process.got.find(rank); got != process.got.end())
      points.insert(got->second);
    if (process.data_of != rank) continue;
    is_there = true;
    points.insert(process.own.begin(), process.own.end());
  }
  if (!has_second_) points.insert(0);
  if (is_there) return points;
  for (const Process& process : processes_)
    if (const auto kept = process.kept.find(rank); kept != process.kept.end())
      points.insert(kept->second.begin(), kept->second.end());
  return points;
}

void CheckpointCopies::judge() {
  Points common = open_to(0);
  for (Rank rank = 1; rank < processes_.size(); ++rank) {
    const Points points = open_to(rank);
    Points both;
    std::set_intersection(common.begin(), common.end(), points.begin(), points.end(),
                          std::inserter(both, both.begin()));
    common = std::move(both);
  }
  if (common.empty()) lost_in_ = worlds_.rbegin()->first;
}

}  // namespace faultline::lemmas
