// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/random.hpp"

namespace faultline {

/// The places in a rank's stack, top first. Also the channel of a message: the component that it
/// belongs to.
enum class Family : std::uint8_t {
  workload,
  transactions,
  termination,
  message_logging,
  failure_detection
};

/// What the components of a family are, by the interfaces of component.hpp.
enum class Role : std::uint8_t {
  workload,     ///< sends and receives the application's messages
  recovery,     ///< a layer that brings a dead rank or its work back
  termination,  ///< a layer that finds out that all work is done
  detector,     ///< stands beside the stack: its messages pass no layer, it sees no others
};

/// A layer sees the messages of everything above it on their way.
constexpr bool is_layer(Role role) { return role == Role::recovery || role == Role::termination; }

struct StackPlace {
  Family family;
  Role role;
  const char* key;  ///< of the family in a scenario
  const char* doc;  ///< what its components are for
  Purpose purpose;  ///< of their random streams
};

/// The stack of a rank, top first, and the detector beside it. The engine, the keys of a scenario,
/// random streams and reports take their order from this list. A place is at the index of its
/// family.
inline constexpr std::array kStack{
    StackPlace{Family::workload, Role::workload, "workload", "what the ranks do",
               Purpose::workload},
    StackPlace{Family::transactions, Role::recovery, "transactions",
               "lets a program redo what a failure has interrupted", Purpose::transactions},
    StackPlace{Family::termination, Role::termination, "termination",
               "finds out that all work is done", Purpose::termination},
    StackPlace{Family::message_logging, Role::recovery, "message_logging",
               "what brings a dead rank back", Purpose::message_logging},
    StackPlace{Family::failure_detection, Role::detector, "failure_detection",
               "finds out that a process is dead", Purpose::failure_detection},
};
inline constexpr std::size_t kFamilies = kStack.size();

constexpr std::size_t index_of(Family family) { return static_cast<std::size_t>(family); }
constexpr const StackPlace& place_of(Family family) { return kStack[index_of(family)]; }

/// A set of families: bit f is that of the family with index f.
using Families = std::uint32_t;

template <class... Listed>
constexpr Families families(Listed... listed) {
  return (Families{0} | ... | (Families{1} << index_of(listed)));
}

/// Bit f: the component of that family is a layer.
inline constexpr std::uint32_t kLayers = [] {
  std::uint32_t layers = 0;
  for (std::size_t i = 0; i < kFamilies; ++i)
    if (is_layer(kStack[i].role)) layers |= 1U << i;
  return layers;
}();

/// The key of a family in a scenario, such as "termination".
constexpr const char* family_key(Family family) { return place_of(family).key; }

static_assert([] {
  for (std::size_t i = 0; i < kFamilies; ++i)
    if (index_of(kStack[i].family) != i) return false;
  return true;
}());

}  // namespace faultline
