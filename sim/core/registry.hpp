#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/core/types.hpp"

namespace faultline {

class Component;

/// The places of a rank's stack, top first; also the channel of a message (whose message it is).
enum class Family : std::uint8_t { workload, termination, message_logging, failure_detection };
inline constexpr std::size_t kFamilies = 4;

/// The scenario's key of a family ("termination").
const char* family_key(Family family);

/// What a component needs and offers; the scenario front-end refuses combinations that clash.
struct Traits {
  bool needs_fifo = false;         ///< refused under platform.ordering = unordered
  bool tolerates_faults = false;   ///< faults are refused without it unless allow_unsafe
  bool needs_detection = false;    ///< under faults it needs a failure_detection other than none
  bool announces = false;          ///< termination: a run may stop on its announcement
  bool starts_at_root = false;     ///< workload: only rank 0 has work at the start
  bool finishes = false;           ///< workload: it declares its own end (stop.when = finished)
  bool needs_logging_off = false;  ///< clashes with message logging (DESIGN: stack of a rank)
  bool on_daemons = false;         ///< one component per node daemon instead of per rank
};

/// Something wrong with an option in the light of the whole job.
struct OptionProblem {
  std::string option;   ///< JSON key within the component's object
  std::string message;  ///< what was expected
};

/// Something that a workload counts of its own, and that is 0 whenever its work has come to an end.
struct EndCheck {
  std::string metric;
  std::string violation;  ///< what it is called if it is not
};

/// May a component give up at an actor that has been told that these are dead?
using MayGiveUp =
    std::function<bool(const OptionValues&, const JobShape&, const std::vector<ActorId>& dead)>;

/// Makes the component of one rank (or of one node, for daemons).
using ComponentFactory = std::function<std::unique_ptr<Component>(ActorId)>;

/// One protocol or workload: everything that `list`, the schema, the docs and the engine need.
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
  std::vector<EndCheck> end_checks = {};  ///< of a workload
  MayGiveUp may_give_up = {};             ///< without it: as soon as anybody has died
};

/// All registrations, by family and then name: the same order on every build.
const std::vector<Registration>& registrations();

/// The registration of that name, or null.
const Registration* find_registration(Family family, const std::string& name);

/// Registers at static initialisation: `const Registered cda{{.family = ..., ...}};` in its file.
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
