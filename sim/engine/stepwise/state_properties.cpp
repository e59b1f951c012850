// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/stepwise/state_properties.hpp"

#include <algorithm>

#include "sim/core/invariant.hpp"

namespace faultline::engine {

namespace {

class SeenByComponent final : public WholeState {
 public:
  SeenByComponent(Family family, const std::vector<SeenRank>& ranks,
                  const std::vector<const Message*>& messages)
      : family_(family), ranks_(ranks), messages_(messages) {}

  [[nodiscard]] std::uint32_t processes() const override {
    return static_cast<std::uint32_t>(ranks_.size());
  }
  [[nodiscard]] bool lives(Rank rank) const override { return ranks_[rank].lives; }
  [[nodiscard]] bool active(Rank rank) const override { return ranks_[rank].active; }
  [[nodiscard]] const Component& component(Rank rank) const override {
    const Component* component = ranks_[rank].components[index_of(family_)];
    invariant(component != nullptr, "a property asks for a component that is not there");
    return *component;
  }
  [[nodiscard]] const std::vector<const Message*>& messages() const override { return messages_; }

 private:
  Family family_;
  const std::vector<SeenRank>& ranks_;
  const std::vector<const Message*>& messages_;
};

}  // namespace

std::vector<DeclaredProperty> properties_of(const scenario::RunSpec& spec) {
  std::vector<DeclaredProperty> all;
  const bool logs = spec.component(Family::message_logging).registration != nullptr;
  for (const StackPlace& place : kStack) {
    const Registration* made = spec.component(place.family).registration;
    if (made == nullptr || (logs && place.family < Family::message_logging)) continue;
    for (const StateProperty& property : made->properties)
      all.push_back({.family = place.family, .property = &property});
  }
  return all;
}

SeenRank seen_rank(const ActorState& actor) {
  SeenRank seen{.phase = actor.phase, .lives = actor.alive, .active = actor.active};
  if (!actor.alive) return seen;
  for (const StackPlace& place : kStack)
    seen.components[index_of(place.family)] = actor.component(place.family);
  return seen;
}

bool StateView::look_at(RunState& state, std::uint32_t processes) {
  look_at_nothing();
  for (Rank rank = 0; rank < processes; ++rank) add(seen_rank(state.actors[rank]));
  if (!is_in_one_phase()) return false;
  state.pool.for_each_in_flight([&](const Message& message) { add(message); });
  return true;
}

bool StateView::is_in_one_phase() const {
  return std::all_of(ranks_.begin(), ranks_.end(),
                     [&](const SeenRank& rank) { return rank.phase == ranks_.front().phase; });
}

bool StateView::holds(const DeclaredProperty& declared) const {
  return declared.property->holds(SeenByComponent(declared.family, ranks_, messages_));
}

}  // namespace faultline::engine
