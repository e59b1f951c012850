// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/step_memory.hpp"

#include <algorithm>
#include <utility>

namespace faultline::exploration {

ActorId StepMemory::actor_of(const Occasion& occasion) const {
  return occasion.happens ? parts_[occasion.state[*occasion.happens]].actor : occasion.step.place;
}

StateDigest StepMemory::key_of(const Occasion& occasion) const {
  const PartNumbers& state = occasion.state;
  const Step& step = occasion.step;
  const ActorId actor = actor_of(occasion);
  Digest key;
  key.add(std::uint64_t{state[PartTable::place_of_actor(actor)]} << 32U | state.front(),
          occasion.happens ? 1 + std::uint64_t{state[*occasion.happens]} : 0);
  key.add(has_work_elsewhere(occasion, actor), dies(step), step.decisions);
  if (dies(step)) key.add(step.dying, step.after, loses_something(occasion, actor));
  return key.value();
}

/// True if something is scheduled for the dying actor. It is lost, unless the death ends the run.
bool StepMemory::loses_something(const Occasion& occasion, ActorId actor) const {
  const PartNumbers& state = occasion.state;
  for (std::size_t place = parts_.scheduled(); place < state.size(); ++place)
    if (place != occasion.happens && parts_[state[place]].actor == actor) return true;
  return false;
}

/// The auditor's question at the end of a turn or a life: true if another actor is active, or a
/// message of the workload is anywhere but with this actor, in the event, or lost in it.
bool StepMemory::has_work_elsewhere(const Occasion& occasion, ActorId actor) const {
  const PartNumbers& state = occasion.state;
  for (std::size_t place = 1; place < parts_.scheduled(); ++place)
    if (place != PartTable::place_of_actor(actor) && parts_[state[place]].has_work()) return true;
  for (std::size_t place = parts_.scheduled(); place < state.size(); ++place) {
    const PartTable::Part& part = parts_[state[place]];
    const bool is_lost = dies(occasion.step) && part.actor == actor;
    if (part.has_work() && !is_lost && place != occasion.happens) return true;
  }
  return false;
}

StateDigest StepMemory::with_channels(StateDigest key, const Occasion& occasion) const {
  const ActorId actor = actor_of(occasion);
  std::uint64_t senders = 0;
  for (std::size_t place = parts_.scheduled(); place < occasion.state.size(); ++place) {
    const PartTable::Part& part = parts_[occasion.state[place]];
    const bool is_message = part.kind == engine::EventKind::arrive && part.actor == actor;
    if (is_message && place != occasion.happens) senders |= std::uint64_t{1} << part.from;
  }
  Digest both;
  both.add(key.high, key.low, senders);
  return both.value();
}

const StepEffect* StepMemory::find(const Occasion& occasion) const {
  const StateDigest key = key_of(occasion);
  const std::uint32_t found = index_.find(key);
  if (found == DigestIndex::kNothing) return nullptr;
  if (effects_[found].kind != StepEffect::Kind::known_with_channels) return &effects_[found];
  const std::uint32_t exact = index_.find(with_channels(key, occasion));
  return exact == DigestIndex::kNothing ? nullptr : &effects_[exact];
}

void StepMemory::put(const StateDigest& key, const StepEffect& effect) {
  const auto number = static_cast<std::uint32_t>(effects_.size());
  if (index_.insert(key, number) == number) effects_.push_back(effect);
}

void StepMemory::clear() {
  index_.clear();
  effects_.clear();
  numbers_.clear();
}

void StepMemory::take_over(StepMemory& other) {
  if (effects_.size() >= kMostEffects || numbers_.size() >= kMostNumbers) clear();
  other.index_.for_each([&](const StateDigest& key, std::uint32_t number) {
    StepEffect effect = other.effects_[number];
    const auto first = other.numbers_.begin() + effect.first;
    effect.first = static_cast<std::uint32_t>(numbers_.size());
    numbers_.insert(numbers_.end(), first, first + effect.numbers());
    put(key, effect);
  });
  other.clear();
}

void StepMemory::keep(const Occasion& occasion, const TakenStep& taken) {
  StepEffect effect = effect_of(occasion, taken);
  const StateDigest key = key_of(occasion);
  if (effect.kind == StepEffect::Kind::known &&
      taken.reach == engine::StepwiseEngine::Reach::channels) {
    put(key, {.kind = StepEffect::Kind::known_with_channels});
    put(with_channels(key, occasion), effect);
  } else {
    put(key, effect);
  }
}

StepEffect StepMemory::effect_of(const Occasion& occasion, const TakenStep& taken) {
  const ActorId actor = actor_of(occasion);
  const std::size_t place = PartTable::place_of_actor(actor);
  StepEffect effect{.actor_part = taken.after[place],
                    .common = taken.after.front(),
                    .done = static_cast<std::uint32_t>(taken.done[actor]),
                    .first = static_cast<std::uint32_t>(numbers_.size())};
  if (taken.reach == engine::StepwiseEngine::Reach::anything || !parts_.is_local(taken.before) ||
      !parts_.is_local(taken.after))
    return effect;
  for (std::size_t other = 1; other < parts_.scheduled(); ++other)
    if (other != place && taken.before[other] != taken.after[other]) return effect;
  for (ActorId other = 0; other < taken.done.size(); ++other)
    if (other != actor && taken.done[other] > 0) return effect;
  for (const std::uint64_t bound : taken.asked)
    if (bound > UINT32_MAX) return effect;
  if (!take_in_schedule(occasion, taken, effect)) {
    effect.cancelled = effect.scheduled = 0;
    return effect;
  }
  for (const std::uint64_t bound : taken.asked)
    numbers_.push_back(static_cast<std::uint32_t>(bound));
  effect.asked = static_cast<std::uint16_t>(taken.asked.size());
  effect.kind = StepEffect::Kind::known;
  return effect;
}

void StepMemory::list_asked(const StepEffect& effect, std::vector<std::uint64_t>& asked) const {
  const auto first = numbers_.begin() + effect.first + effect.cancelled + effect.scheduled;
  asked.assign(first, first + effect.asked);
}

/// Finds out what is no longer scheduled, and what is newly scheduled. False if something has
/// changed that was scheduled before and still is.
bool StepMemory::take_in_schedule(const Occasion& occasion, const TakenStep& taken,
                                  StepEffect& effect) {
  const ActorId actor = actor_of(occasion);
  const std::size_t first = parts_.scheduled();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < taken.orders_before.size(); ++i) {
    const PartNumber part = taken.before[first + i];
    const bool is_lost = dies(occasion.step) && parts_[part].actor == actor;
    const bool is_kept =
        kept < taken.orders_after.size() && taken.orders_after[kept] == taken.orders_before[i];
    if (is_kept && (is_lost || taken.after[first + kept] != part)) return false;
    if (is_kept)
      ++kept;
    else if (!is_lost && first + i != occasion.happens) {
      numbers_.push_back(part);
      ++effect.cancelled;
    }
  }
  const auto scheduled = taken.after.begin() + static_cast<std::ptrdiff_t>(first + kept);
  numbers_.insert(numbers_.end(), scheduled, taken.after.end());
  effect.scheduled = static_cast<std::uint16_t>(taken.after.end() - scheduled);
  return true;
}

bool StepMemory::apply(const StepEffect& effect, const Occasion& occasion,
                       PartNumbers& next) const {
  if (effect.kind != StepEffect::Kind::known) return false;
  const PartNumbers& state = occasion.state;
  const ActorId actor = actor_of(occasion);
  const auto first = static_cast<std::ptrdiff_t>(parts_.scheduled());
  next.assign(state.begin(), state.begin() + first);
  next.front() = effect.common;
  next[PartTable::place_of_actor(actor)] = effect.actor_part;
  const auto of_effect = numbers_.begin() + effect.first;
  const auto cancelled_end = of_effect + effect.cancelled;
  std::uint16_t cancelled = 0;
  for (std::size_t place = parts_.scheduled(); place < state.size(); ++place) {
    const PartNumber part = state[place];
    if (place == occasion.happens) continue;
    if (dies(occasion.step) && parts_[part].actor == actor) continue;
    if (std::find(of_effect, cancelled_end, part) != cancelled_end)
      ++cancelled;
    else
      next.push_back(part);
  }
  // If two parts are equal, it is unknown which one was cancelled.
  if (cancelled != effect.cancelled) return false;
  next.insert(next.end(), cancelled_end, cancelled_end + effect.scheduled);
  return true;
}

}  // namespace faultline::exploration
