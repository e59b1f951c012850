// SPDX-License-Identifier: Apache-2.0
#include "sim/core/world.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace faultline {

/// They belong to the last run if they go on where it ends.
void World::append(ActorId actor, std::uint32_t count) {
  if (count == 0) return;
  const bool is_first_so_far = runs_.empty();
  if (is_first_so_far && actor != size_ && size_ > 0) runs_.push_back({0, 0});
  const ActorId next = is_first_so_far ? size_ : runs_.back().actor + (size_ - runs_.back().first);
  if (next != actor) runs_.push_back({size_, actor});
  size_ += count;
}

ActorId World::actor_of(Rank rank) const {
  if (rank >= size_) throw std::out_of_range("there is no rank " + std::to_string(rank));
  if (runs_.empty()) return rank;
  const auto next = std::upper_bound(runs_.begin(), runs_.end(), rank,
                                     [](Rank of, const Run& run) { return of < run.first; });
  const Run& run = *std::prev(next);
  return run.actor + (rank - run.first);
}

std::optional<Rank> World::rank_of(ActorId actor) const {
  if (runs_.empty()) return actor < size_ ? std::optional<Rank>(actor) : std::nullopt;
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const ActorId first = runs_[run].actor;
    if (actor >= first && actor - first < end_of(run) - runs_[run].first)
      return runs_[run].first + (actor - first);
  }
  return std::nullopt;
}

void World::shrink(const std::vector<Rank>& lost) {
  World smaller(0);
  Rank begin = 0;
  auto next = lost.begin();
  for_each_run([&](ActorId actor, std::uint32_t count) {
    const Rank end = begin + count;
    const ActorId offset = actor - begin;
    for (; next != lost.end() && *next < end; ++next) {
      smaller.append(begin + offset, *next - begin);
      begin = *next + 1;
    }
    smaller.append(begin + offset, end - begin);
    begin = end;
  });
  *this = std::move(smaller);
}

}  // namespace faultline
