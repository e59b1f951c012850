// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/core/mark.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/options.hpp"
#include "sim/core/stack.hpp"
#include "sim/core/state_property.hpp"
#include "sim/core/types.hpp"

namespace faultline {

class Component;
class Workload;
class Layer;
class Detector;

/// What a component needs and offers. The scenario front-end refuses combinations that clash.
struct Traits {
  bool needs_fifo = false;         ///< refused under platform.ordering = unordered
  bool tolerates_faults = false;   ///< faults are refused without it unless allow_unsafe is set
  bool needs_detection = false;    ///< under faults it needs a failure_detection other than none
  bool announces = false;          ///< termination: a run may stop on its announcement
  bool starts_at_root = false;     ///< workload: only rank 0 has work at the start
  bool finishes = false;           ///< workload: it declares its own end (stop.when = finished)
  bool needs_logging_off = false;  ///< clashes with message logging (docs/architecture.md)
  bool accurate = false;           ///< detector: never reports a live process
  /// It can go on from a copy of itself that an image holds: all its state is its own, and
  /// on_restored begins again whatever does not go on by itself.
  bool has_images = false;
  bool takes_images = false;  ///< a layer that works only above which everything has images
  /// Workload: it is over-decomposed into objects (Workload::objects), which a layer can move.
  bool has_objects = false;
  /// Workload: the first word of a message's payload is its tag. The tags of all messages of one
  /// kind from one object to another ascend by 1.
  bool tags_messages = false;
  /// Workload: its end is the same in whatever order its messages come.
  bool order_free = false;
  bool needs_order_free = false;      ///< a layer that works only above such a workload
  bool needs_no_layer_above = false;  ///< a layer that works only right below a workload
  bool commits_blocks = false;        ///< transactions: it accepts and rejects TryBlocks
  bool recovers_singly = false;       ///< a layer that gives up if several ranks are dead at once
};

/// What a program has in its TryBlocks.
struct BlockContents {
  bool has_messages = true;           ///< ranks send each other messages
  bool has_collective = false;        ///< in each of them
  bool needs_all_ranks = true;        ///< it cannot go on with fewer than it began with
  bool has_messages_outside = false;  ///< ranks send each other messages beside TryBlocks, too
};

/// How processes die in a job.
struct Deaths {
  bool of_nodes = false;  ///< with a node of the job, for good
  bool several = false;   ///< more than one may die
  std::uint32_t spare_nodes = 0;
};

/// An option whose value does not fit the rest of the job.
struct OptionProblem {
  std::string option;                    ///< JSON key within the component's object
  std::string message;                   ///< what was expected
  std::optional<std::size_t> item = {};  ///< of a list, counted from 0; null: the whole option
  bool is_note = false;  ///< whether it goes wrong depends on the run, so it is no error
};

/// A metric of a workload that must be 0 when its work has come to its end.
struct EndCheck {
  const MetricSpec* metric;
  std::string violation;  ///< name of the violation if the metric is not 0
};

/// Whether a component may give up at an actor that has been told of the deaths in `dead`.
using MayGiveUp =
    std::function<bool(const OptionValues&, const JobShape&, const std::vector<ActorId>& dead)>;

/// The actors that have a component.
enum class Residence : std::uint8_t { ranks, daemons, ranks_and_daemons };

/// When each listener hears of a death from the resource manager: `delay_s` after it, and up to
/// `spread_s` later, uniformly.
struct ExitNotice {
  double delay_s = 0.0;
  double spread_s = 0.0;
};

/// Makes the component of one actor: of a rank, or of a node's daemon.
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
  MetricSpecs metrics = {};                     ///< of its own; the engine's come with every run
  Marks marks = {};                             ///< where faults can strike while it runs
  std::function<std::vector<OptionProblem>(const OptionValues&, const JobShape&)> check = {};
  std::function<ComponentFactory(const OptionValues&, const JobShape&)> make = {};
  /// Where the components live. If empty: on the ranks.
  std::function<Residence(const OptionValues&)> residence = {};
  /// Detectors to which the resource manager reports deaths (on_exit_notice). If empty: it does
  /// not.
  std::function<ExitNotice(const OptionValues&)> exit_notice = {};
  /// Workloads whose traits say starts_at_root: true if other ranks have work at the start, too,
  /// with these options. If empty: never.
  std::function<bool(const OptionValues&)> starts_everywhere = {};
  /// Workloads: true if they ask for checkpoints with these options (CheckpointRequest). If empty:
  /// never.
  std::function<bool(const OptionValues&)> asks_for_checkpoints = {};
  /// Programs of TryBlocks: what they have in them with these options. If empty: the workload has
  /// no TryBlocks.
  std::function<BlockContents(const OptionValues&)> try_blocks = {};
  /// Layers: which of their options do not fit the workload above and its options. A problem that
  /// names no option is one only if something goes wrong in the run. If empty: all fit.
  std::function<std::vector<OptionProblem>(const OptionValues& own, const Registration& workload,
                                           const OptionValues& workload_options)>
      check_with_workload = {};
  /// Layers: which of their options do not fit a job in which processes die so. If empty: all do.
  std::function<std::vector<OptionProblem>(const OptionValues&, const Deaths&)> check_under_deaths =
      {};
  std::vector<EndCheck> end_checks = {};  ///< workloads only
  /// Workloads of which a run can go on for ever: why it can with these options, as a main clause;
  /// "" if it cannot. If empty: it never can.
  std::function<std::string(const OptionValues&, const JobShape&)> endless = {};
  MayGiveUp may_give_up = {};  ///< if empty: as soon as anyone died or was reported dead
  std::vector<StateProperty> properties =
      {};  ///< of the whole run; names differ within a component
};

/// All registrations, sorted by family and then name, so that every build has the same order.
const std::vector<Registration>& registrations();

/// The registration of that name in that family, or null.
const Registration* find_registration(Family family, const std::string& name);

/// Where the components of a registration live under these options.
inline Residence residence_of(const Registration& registration, const OptionValues& options) {
  return registration.residence ? registration.residence(options) : Residence::ranks;
}

/// Registers a component during static initialisation. The component's source file defines one:
/// `const Registered cda{{.family = ..., ...}};`.
struct Registered {
  explicit Registered(Registration registration);
};

/// Fills `options` and `make` of a registration from the option set of a plain struct.
/// `Made` is constructed from (std::shared_ptr<const Struct>, JobShape, ActorId).
/// What `Made` is must be what its family is (stack.hpp).
template <class Made, class Struct>
Registration registration(Registration base, const OptionSet<Struct>& set) {
  constexpr Role role = std::is_base_of_v<Workload, Made>   ? Role::workload
                        : std::is_base_of_v<Detector, Made> ? Role::detector
                                                            : Role::layer;
  static_assert(role != Role::layer || std::is_base_of_v<Layer, Made>);
  if (place_of(base.family).role != role)
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
