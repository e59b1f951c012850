// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "sim/core/detector_traits.hpp"
#include "sim/core/mark.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/option_problem.hpp"
#include "sim/core/options.hpp"
#include "sim/core/recovery_traits.hpp"
#include "sim/core/stack.hpp"
#include "sim/core/state_property.hpp"
#include "sim/core/termination_traits.hpp"
#include "sim/core/types.hpp"
#include "sim/core/workload_traits.hpp"

namespace faultline {

class Component;
class Workload;
class TerminationDetector;
class RecoveryLayer;
class Detector;

/// Makes the component of one actor: of a rank, or of a node's daemon.
using ComponentFactory = std::function<std::unique_ptr<Component>(ActorId)>;

/// What a component needs and offers, by its role. Without any: it needs and offers nothing.
using Traits =
    std::variant<std::monostate, WorkloadTraits, TerminationTraits, RecoveryTraits, DetectorTraits>;

/// One protocol or workload, with everything that `list`, the schema, the docs and the engine need.
struct Registration {
  Family family = Family::workload;
  std::string name;
  std::string summary;
  std::string source;  ///< paper and section
  Traits traits = {};  ///< those of its family's role
  std::vector<OptionSpec> options = {};
  std::vector<std::string> message_kinds = {};  ///< names of its messages; index = Message::kind
  MetricSpecs metrics = {};                     ///< of its own; the engine's come with every run
  Marks marks = {};                             ///< where faults can strike while it runs
  std::function<std::vector<OptionProblem>(const OptionValues&, const JobShape&)> check = {};
  std::function<ComponentFactory(const OptionValues&, const JobShape&)> make = {};
  std::vector<StateProperty> properties =
      {};  ///< of the whole run; names differ within a component

  /// Its traits of that role. Those of another role are as if nothing was declared.
  template <class T>
  [[nodiscard]] const T& as() const {
    static const T none;
    const T* own = std::get_if<T>(&traits);
    return own == nullptr ? none : *own;
  }
  /// Its traits of that role, to be filled in.
  template <class T>
  T& declare() {
    if (std::holds_alternative<std::monostate>(traits)) traits.emplace<T>();
    return std::get<T>(traits);
  }

  // ---- what several roles declare --------------------------------------------------------------
  [[nodiscard]] bool needs_fifo() const;
  [[nodiscard]] bool needs_detection() const;
  [[nodiscard]] bool needs_logging_off() const;
  [[nodiscard]] bool has_images() const;
  /// Failure detectors, message logging and transactions are there for faults. A termination
  /// detector says so in its traits, and a workload never does by itself.
  [[nodiscard]] bool tolerates_faults() const;
  [[nodiscard]] const MayGiveUp& may_give_up() const;
};

/// All registrations, sorted by family and then name, so that every build has the same order.
const std::vector<Registration>& registrations();

/// The registration of that name in that family, or null.
const Registration* find_registration(Family family, const std::string& name);

/// Where the components of a registration live under these options.
Residence residence_of(const Registration& registration, const OptionValues& options);

/// Registers a component during static initialisation. The component's source file defines one:
/// `const Registered cda{{.family = ..., ...}};`. Throws std::logic_error if its traits are those
/// of another role.
struct Registered {
  explicit Registered(Registration registration);
};

/// The role of a component class.
template <class Made>
constexpr Role role_of() {
  if constexpr (std::is_base_of_v<Workload, Made>) return Role::workload;
  if constexpr (std::is_base_of_v<TerminationDetector, Made>) return Role::termination;
  if constexpr (std::is_base_of_v<RecoveryLayer, Made>) return Role::recovery;
  static_assert(std::is_base_of_v<Workload, Made> || std::is_base_of_v<TerminationDetector, Made> ||
                std::is_base_of_v<RecoveryLayer, Made> || std::is_base_of_v<Detector, Made>);
  return Role::detector;
}

/// Fills `options` and `make` of a registration from the option set of a plain struct.
/// `Made` is constructed from (std::shared_ptr<const Struct>, JobShape, ActorId).
/// What `Made` is must be what its family is (stack.hpp).
template <class Made, class Struct>
Registration registration(Registration base, const OptionSet<Struct>& set) {
  if (place_of(base.family).role != role_of<Made>())
    throw std::logic_error(base.name + " does not have the role of its family");
  base.options = set.specs();
  base.make = [set](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    auto options = std::make_shared<const Struct>(set.read(values));
    return [options, job](ActorId self) -> std::unique_ptr<Component> {
      return std::make_unique<Made>(options, job, self);
    };
  };
  return base;
}

}  // namespace faultline
