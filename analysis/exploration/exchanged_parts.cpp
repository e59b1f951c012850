// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/exchanged_parts.hpp"

#include <algorithm>
#include <utility>

namespace faultline::exploration {

ExchangedParts::ExchangedParts(const PartTable& parts, std::vector<RankExchange> exchanges)
    : parts_(parts), exchanges_(std::move(exchanges)) {
  inverses_.reserve(exchanges_.size());
  exchanged_.reserve(exchanges_.size());
  for (const RankExchange& exchange : exchanges_) {
    const auto inverse =
        std::find_if(exchanges_.begin(), exchanges_.end(),
                     [&](const RankExchange& other) { return other.is_inverse_of(exchange); });
    inverses_.push_back(static_cast<std::size_t>(inverse - exchanges_.begin()));
    exchanged_.emplace_back(PartTable::kMostParts / kChunk);
  }
}

PartNumber ExchangedParts::exchanged(std::size_t exchange, PartNumber part) const {
  const std::unique_ptr<Chunk>& chunk = exchanged_[exchange][part / kChunk];
  return chunk ? (*chunk)[part % kChunk] : kNoPart;
}

void ExchangedParts::set(std::size_t exchange, PartNumber part, PartNumber other) {
  std::unique_ptr<Chunk>& chunk = exchanged_[exchange][part / kChunk];
  if (!chunk) {
    chunk = std::make_unique<Chunk>();
    chunk->fill(kNoPart);
  }
  (*chunk)[part % kChunk] = other;
}

/// True if the two parts can be of actors that have changed places. Nobody can compare their
/// contents.
bool ExchangedParts::fits(std::size_t exchange, PartNumber part, PartNumber other) const {
  const PartTable::Part& one = parts_[part];
  const PartTable::Part& two = parts_[other];
  const auto becomes = [&](ActorId actor) {
    return actor == kNobody ? kNobody : exchanges_[exchange](actor);
  };
  return (one.lane == 0) == (two.lane == 0) && becomes(one.actor) == two.actor &&
         becomes(one.from) == two.from && one.kind == two.kind && one.alive == two.alive &&
         one.active == two.active && one.has_messages == two.has_messages &&
         one.ended == two.ended && one.is_local == two.is_local;
}

/// The inverse exchange leads back from `other`, so that no two parts become one.
bool ExchangedParts::pair(std::size_t exchange, PartNumber part, PartNumber other) {
  const std::size_t inverse = inverses_[exchange];
  const PartNumber known = exchanged(exchange, part);
  if (known != kNoPart) return known == other;
  if (exchanged(inverse, other) != kNoPart || !fits(exchange, part, other)) return false;
  set(exchange, part, other);
  set(inverse, other, part);
  return true;
}

/// An item in a lane corresponds to the item at the same place of the other lane. Of the remaining
/// items, those that are known to correspond go first. The others go in the order of scheduling: if
/// that picks the wrong one of several, a later step finds out.
bool ExchangedParts::note(std::size_t exchange, const PartNumbers& state,
                          const PartNumbers& other) {
  if (state.size() != other.size()) return false;
  const std::lock_guard lock(mutex_);
  if (!pair(exchange, state.front(), other.front())) return false;
  for (ActorId actor = 0; actor < parts_.actors(); ++actor)
    if (!pair(exchange, state[PartTable::place_of_actor(actor)],
              other[PartTable::place_of_actor(exchanges_[exchange](actor))]))
      return false;
  std::vector<bool> is_taken(other.size());
  const auto pair_at = [&](std::size_t place, auto fits_there) {
    for (std::size_t there = parts_.scheduled(); there < other.size(); ++there)
      if (!is_taken[there] && fits_there(there)) {
        is_taken[there] = true;
        return pair(exchange, state[place], other[there]);
      }
    return false;
  };
  std::vector<std::size_t> unknown;
  for (std::size_t place = parts_.scheduled(); place < state.size(); ++place) {
    const PartNumber part = state[place];
    const PartNumber known = exchanged(exchange, part);
    if (parts_[part].lane != 0) {
      const std::uint64_t earlier = parts_.earlier_in_lane(state, place);
      if (!pair_at(place, [&](std::size_t there) {
            return fits(exchange, part, other[there]) &&
                   parts_.earlier_in_lane(other, there) == earlier;
          }))
        return false;
    } else if (known == kNoPart) {
      unknown.push_back(place);
    } else if (!pair_at(place, [&](std::size_t there) { return other[there] == known; })) {
      return false;
    }
  }
  return std::all_of(unknown.begin(), unknown.end(), [&](std::size_t place) {
    const PartNumber known = exchanged(exchange, state[place]);  // a part may be there twice
    return pair_at(place, [&](std::size_t there) {
      if (known != kNoPart) return other[there] == known;
      return fits(exchange, state[place], other[there]) &&
             exchanged(inverses_[exchange], other[there]) == kNoPart;
    });
  });
}

bool ExchangedParts::note_all(const std::vector<PartNumbers>& others) {
  for (std::size_t from = 0; from < others.size(); ++from)
    for (std::size_t to = 0; to < others.size(); ++to)
      for (std::size_t exchange = 0; from != to && exchange < exchanges_.size(); ++exchange)
        if (exchanges_[exchange].leads(exchanges_[from], exchanges_[to]) &&
            !note(exchange, others[from], others[to]))
          return false;
  return true;
}

std::optional<PartNumbers> ExchangedParts::exchanged(std::size_t exchange,
                                                     const PartNumbers& state) const {
  PartNumbers other(state.size());
  for (std::size_t place = 0; place < state.size(); ++place) {
    const bool is_actor = place > 0 && place < parts_.scheduled();
    const std::size_t there =
        is_actor ? PartTable::place_of_actor(exchanges_[exchange](static_cast<ActorId>(place - 1)))
                 : place;
    other[there] = exchanged(exchange, state[place]);
    if (other[there] == kNoPart) return std::nullopt;
  }
  return other;
}

std::optional<StateDigest> ExchangedParts::least_digest(const PartNumbers& state,
                                                        std::vector<std::uint64_t>& earlier) const {
  parts_.list_earlier(state, earlier);
  const auto add = [&](engine::DigestSum& sum, std::size_t place, PartNumber number) {
    const PartTable::Part& part = parts_[number];
    sum.add(earlier[place] == 0
                ? part.term
                : engine::DigestSum::term_of_scheduled(part.content, earlier[place]));
  };
  engine::DigestSum own;
  for (std::size_t place = 0; place < state.size(); ++place) add(own, place, state[place]);
  StateDigest least = own.value();
  for (std::size_t exchange = 0; exchange < exchanges_.size(); ++exchange) {
    engine::DigestSum sum;
    for (std::size_t place = 0; place < state.size(); ++place) {
      const PartNumber number = exchanged(exchange, state[place]);
      if (number == kNoPart) return std::nullopt;
      add(sum, place, number);
    }
    least = std::min(least, sum.value());
  }
  return least;
}

std::size_t ExchangedParts::bytes() const {
  return exchanges_.size() * (parts_.size() * sizeof(PartNumber) +
                              PartTable::kMostParts / kChunk * sizeof(std::unique_ptr<Chunk>));
}

}  // namespace faultline::exploration
