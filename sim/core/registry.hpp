#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/core/types.hpp"

namespace faultline {

class Component;

/// The places in a rank's stack, top first. Also the channel of a message: the component that it
/// belongs to.
enum class Family : std::uint8_t { workload, termination, message_logging, failure_detection };
inline constexpr std::size_t kFamilies = 4;

/// The key of a family in a scenario, such as "termination".
const char* family_key(Family family);

/// What a component needs and offers. The scenario front-end refuses combinations that clash.
struct Traits {
  bool needs_fifo = false;         ///< refused under platform.ordering = unordered
  bool tolerates_faults = false;   ///< faults are refused without it unless allow_unsafe is set
  bool needs_detection = false;    ///< under faults it needs a failure_detection other than none
  bool announces = false;          ///< termination: a run may stop on its announcement
  bool starts_at_root = false;     ///< workload: only rank 0 has work at the start
  bool finishes = false;           ///< workload: it declares its own end (stop.when = finished)
  bool needs_logging_off = false;  ///< clashes with message logging (DESIGN: stack of a rank)
  bool on_daemons = false;         ///< one component per node daemon instead of per rank
};

/// An option whose value does not fit the rest of the job.
struct OptionProblem {
  std::string option;   ///< JSON key within the component's object
  std::string message;  ///< what was expected
};

/// A metric that a workload reports and that must be 0 when its work has come to its end.
struct EndCheck {
  std::string metric;
  std::string violation;  ///< name of the violation if the metric is not 0
};

/// Whether a component may give up at an actor that has been told of the deaths in `dead`.
using MayGiveUp =
    std::function<bool(const OptionValues&, const JobShape&, const std::vector<ActorId>& dead)>;

/// Makes the component of one rank (or of one node, for daemons).
using ComponentFactory = std::function<std::unique_ptr<Component>(ActorId)>;

/// One protocol or workload, with everything that `list`, the schema, the docs and the engine need.
struct Registration {
  Family family = Family::workload;
  std::string name;
  std::string summary;
  std::string source;  ///< paper and section
  Traits traits;
  std::vector<OptionSpec> options = {};
  std::vector<std::string> message_kinds = {};  ///< names of its messages; index = Message::kind
  std::function<std::vector<OptionProblem>(const OptionValues&, const JobShape&)> check = {};
  std::function<ComponentFactory(const OptionValues&, const JobShape&)> make = {};
  std::vector<EndCheck> end_checks = {};  ///< workloads only
  MayGiveUp may_give_up = {};             ///< if empty: as soon as anyone died or was reported dead
};

/// All registrations, sorted by family and then name, so that every build has the same order.
const std::vector<Registration>& registrations();

/// The registration of that name in that family, or null.
const Registration* find_registration(Family family, const std::string& name);

/// Registers a component during static initialisation. The component's source file defines one:
/// `const Registered cda{{.family = ..., ...}};`.
struct Registered {
  explicit Registered(Registration registration);
};

/// Fills `options` and `make` of a registration from the option set of a plain struct.
/// `Made` is constructed from (std::shared_ptr<const Struct>, JobShape, ActorId).
template <class Made, class Struct>
Registration registration(Registration base, const OptionSet<Struct>& set) {
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
