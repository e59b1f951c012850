// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

class Component;
struct Message;

/// A whole run between two steps, as nobody in it can see it.
class WholeState {
 public:
  virtual ~WholeState() = default;
  [[nodiscard]] virtual std::uint32_t processes() const = 0;
  [[nodiscard]] virtual bool lives(Rank rank) const = 0;
  /// Does the rank compute, or has it local work?
  [[nodiscard]] virtual bool active(Rank rank) const = 0;
  /// The component that declares the property, of a rank that lives.
  [[nodiscard]] virtual const Component& component(Rank rank) const = 0;
  /// What has been sent and not been handled yet, in an order that means nothing.
  [[nodiscard]] virtual const std::vector<const Message*>& messages() const = 0;

  [[nodiscard]] bool all_live() const {
    for (Rank rank = 0; rank < processes(); ++rank)
      if (!lives(rank)) return false;
    return true;
  }
  /// The component as its own type. Throws std::bad_cast if it has another one.
  template <class Made>
  [[nodiscard]] const Made& as(Rank rank) const {
    return dynamic_cast<const Made&>(component(rank));
  }
};

/// A statement about the state of a whole run, which a protocol or workload declares beside its
/// registration. It is looked at between two steps of runs in which time stands still: in
/// `explore`, and where a scenario states its `order`; and only while all ranks are in one phase
/// and no message logging, which holds messages, is below the component.
struct StateProperty {
  enum class Use : std::uint8_t {
    invariant,  ///< holds in every state; else the run has the violation `broken-property`
    predicate,  ///< holds in some; for `explore --goal` and `--prune`
  };
  std::string name;
  std::string doc;  ///< what it says, as a main clause
  Use use = Use::invariant;
  std::function<bool(const WholeState&)> holds;
};

/// The word for a use in lists: "invariant", "predicate".
inline const char* property_use_word(StateProperty::Use use) {
  return use == StateProperty::Use::invariant ? "invariant" : "predicate";
}

}  // namespace faultline
