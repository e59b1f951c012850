// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/types.hpp"
#include "sim/faults/size_strata.hpp"
#include "sim/platform/hardware.hpp"
#include "sim/platform/topology.hpp"

namespace faultline::faults {

/// What a source may know about the job that its faults strike. It does not change during a run, so
/// that the same faults strike under every protocol.
struct FaultTarget {
  JobShape job;                                ///< with seed and replication
  std::vector<NodeId> node_of;                 ///< node of each rank at the start of the run
  const platform::Topology* routes = nullptr;  ///< between the job's nodes
  const platform::Machine* machine = nullptr;  ///< null if only a platform file is known
  bool whole_machine = false;
  std::uint32_t nodes_per_power_unit = 0;  ///< 0 if not known

  [[nodiscard]] platform::PartSizes parts() const { return {machine, nodes_per_power_unit}; }
};

/// The rank that is responsible for another at the moment (Component::parent()), or kNobody.
using ParentOf = std::function<Rank(Rank)>;

/// One sequence of faults: their times and victims.
class FaultSource {
 public:
  virtual ~FaultSource() = default;
  /// A copy draws the same faults from here on.
  [[nodiscard]] virtual std::unique_ptr<FaultSource> clone() const = 0;
  /// Draws the next fault and returns its time, which is never earlier than the previous one's.
  /// Returns nothing if there are no more faults.
  virtual std::optional<double> next_time_s() = 0;
  /// The victims of the fault drawn last: ranks and daemons. A node is given by its daemon, whose
  /// death takes the node's ranks. Some victims may be dead already.
  virtual std::vector<ActorId> victims(const ParentOf& parent_of) = 0;
  /// The times at which the nodes of these victims are repaired, in the same order; kNever for a
  /// node that is not. Empty if none is.
  [[nodiscard]] virtual std::vector<double> repairs_s() const { return {}; }
};

/// A kind of fault source, with everything that reading, `list`, the schema and the engine need.
struct FaultSourceRegistration {
  std::string name;
  std::string summary;
  std::string source;  ///< where the model comes from: paper and section
  std::vector<OptionSpec> options = {};
  /// Returns what is wrong with the options for that job. `node_of` and `routes` are not set yet.
  std::function<std::vector<OptionProblem>(const OptionValues&, const FaultTarget&)> check = {};
  /// Makes a source. `key` names it among the sources of a scenario ("poisson[0]").
  std::function<std::unique_ptr<FaultSource>(const OptionValues&, const FaultTarget&,
                                             const std::string& key)>
      make = {};
  /// The mean time between the faults that strike that job, in seconds. Empty, or returns nothing,
  /// if the options do not determine it.
  std::function<std::optional<double>(const OptionValues&, const FaultTarget&)> mtbf_s = {};
  /// The stratum of the fault that strikes in a replication. Empty, or returns nothing, if the
  /// source is not sampled by strata.
  std::function<std::optional<Stratum>(const OptionValues&, std::uint64_t replication)> stratum =
      {};
};

/// All kinds of sources, sorted by name, so that every build has the same order.
const std::vector<FaultSourceRegistration>& fault_sources();

/// The kind of that name, or null.
const FaultSourceRegistration* find_fault_source(const std::string& name);

/// Registers a kind of source during static initialisation.
struct RegisteredFaultSource {
  explicit RegisteredFaultSource(FaultSourceRegistration registration);
};

/// A source that a scenario names.
struct FaultSourceChoice {
  const FaultSourceRegistration* registration = nullptr;
  OptionValues options;
  std::string key;  ///< its name and its index in the list of its kind: "poisson[0]"
};

/// The number of faults after which the source ends, if the scenario states one. A source with a
/// limit keeps a run alive until it ends, as deaths at stated moments do. A source without one does
/// not.
std::optional<std::uint64_t> limit_of(const FaultSourceChoice& choice);

/// The mean time between the faults of all these sources together that kill, in seconds. Leaves out
/// sources whose options do not determine it; kNever if none does.
double mtbf_of(const std::vector<FaultSourceChoice>& sources, const FaultTarget& target);

/// The stratum of a replication, by the first of these sources that is sampled by strata; nothing
/// if none is.
std::optional<Stratum> stratum_of(const std::vector<FaultSourceChoice>& sources,
                                  std::uint64_t replication);

/// True if the faults kill nobody: routers fail, and cut their nodes off.
bool cuts_off(const FaultSourceChoice& choice);

/// True if the faults kill whole nodes, false if they kill single ranks or nobody.
bool strikes_nodes(const FaultSourceChoice& choice);

/// The number of nodes that fail with each component: 1 unless they are parts of the machine that
/// hold several.
std::uint32_t nodes_together(const FaultSourceChoice& choice, const FaultTarget& target);

/// True if the source states how long its nodes are under repair.
bool is_repaired(const FaultSourceChoice& choice);

/// The random stream for one use of chance by a source. Neither another source nor another use
/// changes it. `unit` tells the streams of nodes or ranks apart.
Stream fault_stream(const FaultTarget& target, const std::string& key, const std::string& use,
                    std::uint64_t unit = 0);

}  // namespace faultline::faults
