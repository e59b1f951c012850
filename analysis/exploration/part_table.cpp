// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/part_table.hpp"

#include <stdexcept>

namespace faultline::exploration {

namespace {

/// A number for each lane; 0 for none.
std::uint64_t number_of_lane(const engine::Lane& lane) {
  if (!lane.orders()) return 0;
  constexpr unsigned kActorBits = 24;
  constexpr unsigned kKindBits = 4;
  return 1U + (std::uint64_t{lane.from} << (kActorBits + kKindBits)) +
         (std::uint64_t{lane.to} << kKindBits) + static_cast<std::uint64_t>(lane.kind);
}

}  // namespace

PartNumber PartTable::number_of(const Part& part) {
  const auto [entry, is_new] = numbers_.emplace(part.term, static_cast<PartNumber>(size_));
  if (!is_new) return entry->second;
  if (size_ / kChunk >= kMostChunks) throw std::length_error("too many parts of states");
  std::unique_ptr<Chunk>& chunk = chunks_[size_ / kChunk];
  if (!chunk) chunk = std::make_unique<Chunk>();
  (*chunk)[size_ % kChunk] = part;
  ++size_;
  return entry->second;
}

PartNumbers PartTable::numbers_of(const engine::StateParts& parts) {
  PartNumbers state;
  state.reserve(1 + parts.actors.size() + parts.scheduled.size());
  const std::lock_guard lock(mutex_);
  state.push_back(number_of({.content = parts.common,
                             .term = engine::DigestSum::term_of_common(parts.common),
                             .ended = parts.ended,
                             .is_local = parts.is_local}));
  for (ActorId actor = 0; actor < parts.actors.size(); ++actor)
    state.push_back(
        number_of({.content = parts.actors[actor].content,
                   .term = engine::DigestSum::term_of_actor(parts.actors[actor].content, actor),
                   .actor = actor,
                   .alive = parts.actors[actor].alive,
                   .active = parts.actors[actor].active,
                   .has_messages = parts.actors[actor].holds}));
  for (const engine::ScheduledPart& part : parts.scheduled)
    state.push_back(number_of({.content = part.content,
                               .term = engine::DigestSum::term_of_scheduled(part.content, 0),
                               .lane = number_of_lane(part.lane),
                               .actor = part.actor,
                               .from = part.from,
                               .kind = part.kind,
                               .has_messages = part.is_application}));
  return state;
}

std::uint64_t PartTable::earlier_in_lane(const PartNumbers& state, std::size_t place) const {
  const std::uint64_t lane = (*this)[state[place]].lane;
  if (lane == 0) return 0;
  std::uint64_t earlier = 0;
  for (std::size_t other = scheduled(); other < place; ++other)
    if ((*this)[state[other]].lane == lane) ++earlier;
  return earlier;
}

StateDigest PartTable::digest(const PartNumbers& state) const {
  engine::DigestSum sum;
  for (std::size_t place = 0; place < scheduled(); ++place) sum.add((*this)[state[place]].term);
  for (std::size_t place = scheduled(); place < state.size(); ++place) {
    const Part& part = (*this)[state[place]];
    const std::uint64_t earlier = earlier_in_lane(state, place);
    sum.add(earlier == 0 ? part.term : engine::DigestSum::term_of_scheduled(part.content, earlier));
  }
  return sum.value();
}

void PartTable::list_earlier(const PartNumbers& state, std::vector<std::uint64_t>& earlier) const {
  earlier.assign(state.size(), 0);
  for (std::size_t place = scheduled(); place < state.size(); ++place)
    earlier[place] = earlier_in_lane(state, place);
}

void PartTable::list_agenda(const PartNumbers& state, std::vector<std::uint32_t>& places) const {
  places.clear();
  for (std::size_t place = scheduled(); place < state.size(); ++place)
    if (earlier_in_lane(state, place) == 0) places.push_back(static_cast<std::uint32_t>(place));
}

}  // namespace faultline::exploration
