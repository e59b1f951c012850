// SPDX-License-Identifier: Apache-2.0

// Objects of over-decomposed programs: what a layer reads of them, and how it moves them.

#include <memory>
#include <stdexcept>

#include "sim/engine/images/images.hpp"

namespace faultline::engine {

namespace {

/// The registration of a component vouches for its role.
Workload& as_workload(Component& component) { return static_cast<Workload&>(component); }

}  // namespace

std::vector<ObjectId> Images::objects() const {
  Component* component = turns_.actor().component(Family::workload);
  if (component == nullptr) return {};
  return as_workload(*component).objects();
}

/// An object that the layer has asked to remove is still there: the actions come after the turn.
std::optional<PackedObject> Images::pack(Family layer, ObjectId object) const {
  Component* component = turns_.actor().component(Family::workload);
  if (component == nullptr || program_waits_above(layer, Moment::between_work)) return std::nullopt;
  PackedObject packed = as_workload(*component).pack(object);
  packed.ledger = run_.state.truth.ledger_of(turns_.now().self, object);
  return packed;
}

void Images::host_object(ActorId self, Family layer, const PackedObject& packed) {
  const ActorState& actor = run_.state.actors[self];
  if (actor.rare_state && actor.rare_state->awaits_start)
    throw std::logic_error("objects are hosted only by a workload that has started");
  run_.state.truth.hosted(self, packed);
  turns_.turn_as<Workload>(
      self, Family::workload,
      [&packed](Workload& workload, WorkloadContext& context) { workload.unpack(context, packed); },
      true);
  tell_moved(self, layer, packed.object);
}

void Images::remove_object(ActorId self, Family layer, ObjectId object) {
  as_workload(*run_.state.actors[self].component(Family::workload)).remove(object);
  run_.state.truth.removed(self, object);
  tell_moved(self, layer, object);
}

void Images::tell_moved(ActorId self, Family layer, ObjectId object) {
  turns_.turn_as<RecoveryLayer>(self, layer,
                                [object](RecoveryLayer& mover, RecoveryContext& context) {
                                  mover.on_object_moved(context, object);
                                });
}

}  // namespace faultline::engine
