#pragma once

#include <string>
#include <vector>

#include "sim/engine/run_job.hpp"
#include "sim/engine/run_state.hpp"

namespace faultline {

/// A property that a component of a job declares.
struct DeclaredProperty {
  Family family = Family::workload;
  const StateProperty* property = nullptr;
};

/// All properties that the components of a job declare and that can be looked at: not those of
/// components with message logging below them.
std::vector<DeclaredProperty> properties_of(const RunSpec& spec);

/// The state of a run as properties see it. Makes the same list of messages again and again.
class StateView {
 public:
  explicit StateView(const RunJob& job) : job_(job) {}

  /// Looks at a state between two steps. False if ranks are in different phases: no property is
  /// about that.
  [[nodiscard]] bool look_at(RunState& state);
  /// Does the property hold in the state that was looked at?
  [[nodiscard]] bool holds(const DeclaredProperty& declared) const;

 private:
  const RunJob& job_;
  RunState* state_ = nullptr;
  std::vector<const Message*> messages_;
};

}  // namespace faultline
