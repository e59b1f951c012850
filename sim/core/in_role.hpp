// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/component.hpp"
#include "sim/core/stack.hpp"

namespace faultline {

/// Calls `handler(component, context)` with the component as a `Base`, which it is, and with that
/// role's own context.
template <class Base, class Handler>
decltype(auto) call_as(Component& component, Family family, Turn& turn, Handler&& handler) {
  typename Base::OwnContext context(turn, family);
  return handler(static_cast<Base&>(component), context);
}

/// Calls `handler(layer, context)` with a layer of that family as what it is.
template <class Handler>
decltype(auto) call_layer(Component& layer, Family family, Turn& turn, Handler&& handler) {
  if (place_of(family).role == Role::termination)
    return call_as<TerminationDetector>(layer, family, turn, handler);
  return call_as<RecoveryLayer>(layer, family, turn, handler);
}

/// Calls `handler(component, context)` with a component of that family as what it is, and with its
/// own context. The registration of a component vouches for its role.
template <class Handler>
decltype(auto) call_in_role(Component& component, Family family, Turn& turn, Handler&& handler) {
  switch (place_of(family).role) {
    case Role::workload:
      return call_as<Workload>(component, family, turn, handler);
    case Role::recovery:
      return call_as<RecoveryLayer>(component, family, turn, handler);
    case Role::termination:
      return call_as<TerminationDetector>(component, family, turn, handler);
    case Role::detector:
      break;
  }
  return call_as<Detector>(component, family, turn, handler);
}

}  // namespace faultline
