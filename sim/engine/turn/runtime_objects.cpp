// SPDX-License-Identifier: Apache-2.0

// Objects of over-decomposed programs: what a layer reads of them, and how it moves them.

#include <memory>
#include <stdexcept>

#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

namespace {

/// The registration of a component vouches for its role.
Workload& as_workload(Component& component) { return static_cast<Workload&>(component); }

}  // namespace

std::vector<ObjectId> Runtime::objects() const {
  Component* component = current_->component(Family::workload);
  if (component == nullptr) return {};
  return as_workload(*component).objects();
}

/// An object that the layer has asked to remove is still there: the actions come after the turn.
std::optional<PackedObject> Runtime::pack(Family layer, ObjectId object) const {
  Component* component = current_->component(Family::workload);
  if (component == nullptr || program_waits_above(layer)) return std::nullopt;
  PackedObject packed = as_workload(*component).pack(object);
  if (state_.channels)
    packed.ledger =
        std::make_shared<const EndpointLedger>(state_.channels->of(turn_.self, {.object = object}));
  return packed;
}

void Runtime::host_object(ActorId self, const Action& action) {
  const PackedObject packed = turn_.objects[action.value];
  const ActorState& actor = state_.actors[self];
  if (actor.rare_state && actor.rare_state->awaits_start)
    throw std::logic_error("objects are hosted only by a workload that has started");
  if (state_.channels && packed.ledger)
    state_.channels->host(self, {.object = packed.object}, *packed.ledger);
  turn(
      self, Family::workload,
      [&packed](Component& component, Context& context) {
        as_workload(component).unpack(context, packed);
      },
      true);
  tell_moved(self, action.family, packed.object);
}

void Runtime::remove_object(ActorId self, const Action& action) {
  const auto object = static_cast<ObjectId>(action.value);
  as_workload(*state_.actors[self].component(Family::workload)).remove(object);
  if (state_.channels) state_.channels->remove(self, {.object = object});
  tell_moved(self, action.family, object);
}

void Runtime::tell_moved(ActorId self, Family layer, ObjectId object) {
  turn(self, layer, [object](Component& component, Context& context) {
    static_cast<Layer&>(component).on_object_moved(context, object);
  });
}

}  // namespace faultline::engine
