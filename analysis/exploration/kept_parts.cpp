// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/kept_parts.hpp"

#include <algorithm>

namespace faultline::exploration {

/// The place for this part; null if it is kept already, or there is no room.
std::unique_ptr<KeptParts::Kept>* KeptParts::place_of(PartNumber number) {
  if (number >= kept_.size()) kept_.resize(std::max<std::size_t>(number + 1, 2 * kept_.size()));
  if (kept_[number] || count_ >= kMostParts) return nullptr;
  ++count_;
  return &kept_[number];
}

void KeptParts::keep(const PartNumbers& numbers, const engine::StateParts& parts,
                     engine::StepwiseEngine& engine) {
  const auto arriving =
      std::count_if(parts.scheduled.begin(), parts.scheduled.end(),
                    [](const engine::ScheduledPart& part) { return part.message != nullptr; });
  if (static_cast<std::size_t>(arriving) != engine.in_flight()) return;
  const engine::RunState& state = engine.state();
  for (Rank rank = 0; rank < processes_; ++rank) {
    std::unique_ptr<Kept>* place = place_of(numbers[PartTable::place_of_actor(rank)]);
    if (place == nullptr) continue;
    *place = std::make_unique<Kept>();
    Kept& kept = **place;
    kept.rank = engine::seen_rank(state.actors[rank]);
    for (const Component*& component : kept.rank.components) component = nullptr;
    for (const Family family : families_) {
      const Component* component = state.actors[rank].component(family);
      if (component == nullptr) continue;
      kept.components[index_of(family)] = component->clone();
      kept.rank.components[index_of(family)] = kept.components[index_of(family)].get();
    }
  }
  for (std::size_t i = 0; i < parts.scheduled.size(); ++i) {
    if (parts.scheduled[i].message == nullptr) continue;
    std::unique_ptr<Kept>* place = place_of(numbers[parts_.scheduled() + i]);
    if (place == nullptr) continue;
    *place = std::make_unique<Kept>();
    (*place)->message = *parts.scheduled[i].message;
  }
}

const engine::StateView* KeptParts::look_at(const PartNumbers& numbers) {
  const auto kept = [&](PartNumber number) {
    return number < kept_.size() ? kept_[number].get() : nullptr;
  };
  view_.look_at_nothing();
  for (Rank rank = 0; rank < processes_; ++rank) {
    const Kept* one = kept(numbers[PartTable::place_of_actor(rank)]);
    if (one == nullptr) return nullptr;
    view_.add(one->rank);
  }
  for (std::size_t place = parts_.scheduled(); place < numbers.size(); ++place) {
    if (parts_[numbers[place]].kind != engine::EventKind::arrive) continue;
    const Kept* one = kept(numbers[place]);
    if (one == nullptr) return nullptr;
    view_.add(*one->message);
  }
  return &view_;
}

std::size_t KeptParts::bytes() const {
  constexpr std::size_t kComponent_B = 200;
  return kept_.capacity() * sizeof(kept_.front()) + count_ * (sizeof(Kept) + kComponent_B);
}

}  // namespace faultline::exploration
