#include "sim/engine/state_properties.hpp"

#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

class SeenByComponent final : public WholeState {
 public:
  SeenByComponent(Family family, std::uint32_t processes, const RunState& state,
                  const std::vector<const Message*>& messages)
      : family_(family), processes_(processes), state_(state), messages_(messages) {}

  [[nodiscard]] std::uint32_t processes() const override { return processes_; }
  [[nodiscard]] bool lives(Rank rank) const override { return state_.actors[rank].alive; }
  [[nodiscard]] bool active(Rank rank) const override { return state_.actors[rank].active; }
  [[nodiscard]] const Component& component(Rank rank) const override {
    const Component* component = state_.actors[rank].component(family_);
    invariant(component != nullptr, "a property asks for a component that is not there");
    return *component;
  }
  [[nodiscard]] const std::vector<const Message*>& messages() const override { return messages_; }

 private:
  Family family_;
  std::uint32_t processes_;
  const RunState& state_;
  const std::vector<const Message*>& messages_;
};

}  // namespace

std::vector<DeclaredProperty> properties_of(const RunSpec& spec) {
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

bool StateView::look_at(RunState& state) {
  state_ = &state;
  for (Rank rank = 1; rank < job_.shape.processes; ++rank)
    if (state.actors[rank].phase != state.actors[0].phase) return false;
  messages_.clear();
  state.pool.for_each_in_flight([&](const Message& message) { messages_.push_back(&message); });
  return true;
}

bool StateView::holds(const DeclaredProperty& declared) const {
  return declared.property->holds(
      SeenByComponent(declared.family, job_.shape.processes, *state_, messages_));
}

}  // namespace faultline
