// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/job/run_job.hpp"
#include "sim/engine/state/run_state.hpp"

namespace faultline::engine {

/// A property that a component of a job declares.
struct DeclaredProperty {
  Family family = Family::workload;
  const StateProperty* property = nullptr;
};

/// All properties that the components of a job declare and that can be looked at: not those of
/// components with message logging below them.
std::vector<DeclaredProperty> properties_of(const scenario::RunSpec& spec);

/// A rank as properties see it.
struct SeenRank {
  std::array<const Component*, kFamilies> components = {};  ///< null where a live rank has none
  std::uint32_t phase = 0;
  bool lives = false;
  bool active = false;
};

/// The state of a run as properties see it. Makes the same lists again and again.
class StateView {
 public:
  /// Looks at a state between two steps. False if ranks are in different phases: no property is
  /// about that.
  [[nodiscard]] bool look_at(RunState& state, std::uint32_t processes);
  /// Looks at a state that is put together: nothing of it is seen until it is added.
  void look_at_nothing() {
    ranks_.clear();
    messages_.clear();
  }
  void add(const SeenRank& rank) { ranks_.push_back(rank); }
  void add(const Message& message) { messages_.push_back(&message); }
  [[nodiscard]] bool is_in_one_phase() const;
  /// Does the property hold in the state that was looked at?
  [[nodiscard]] bool holds(const DeclaredProperty& declared) const;

 private:
  std::vector<SeenRank> ranks_;
  std::vector<const Message*> messages_;
};

/// An actor as properties see it. It lives no longer than the actor's components.
[[nodiscard]] SeenRank seen_rank(const ActorState& actor);

}  // namespace faultline::engine
