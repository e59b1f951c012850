// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/core/component.hpp"
#include "sim/core/stack.hpp"

namespace faultline::test {

/// Is the component what its family is? The engine relies on that, and the registrations of the
/// program see to it.
inline bool has_role(const Component& component, Family family) {
  switch (place_of(family).role) {
    case Role::workload:
      return dynamic_cast<const Workload*>(&component) != nullptr;
    case Role::recovery:
      return dynamic_cast<const RecoveryLayer*>(&component) != nullptr;
    case Role::termination:
      return dynamic_cast<const TerminationDetector*>(&component) != nullptr;
    case Role::detector:
      break;
  }
  return dynamic_cast<const Detector*>(&component) != nullptr;
}

/// Gives the component back. Throws if it has not the role of the family.
inline std::unique_ptr<Component> of_role(std::unique_ptr<Component> component, Family family) {
  if (!has_role(*component, family))
    throw std::logic_error("a test gives a family a component of another role");
  return component;
}

}  // namespace faultline::test
