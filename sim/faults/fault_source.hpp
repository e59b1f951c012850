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
#include "sim/platform/topology.hpp"

namespace faultline {

/// The job that the faults of a source strike, as far as the source may know it: it contains
/// nothing that changes during a run, so that the same faults strike whatever the protocol.
struct FaultTarget {
  JobShape job;                      ///< with seed and replication
  std::vector<NodeId> node_of;       ///< of every rank, as the run begins
  const Topology* routes = nullptr;  ///< between the job's nodes
  const Machine* machine = nullptr;  ///< null where only a platform file is known
  bool whole_machine = false;
};

/// The rank that answers for another at the moment, or kNobody: Component::parent() of its layer.
using ParentOf = std::function<Rank(Rank)>;

/// One stream of faults: the times, and whom each one takes.
class FaultSource {
 public:
  virtual ~FaultSource() = default;
  /// Draws the next fault; its time is never before that of the one before. Nothing: no more come.
  virtual std::optional<double> next_time_s() = 0;
  /// The victims of the fault drawn last, ranks and daemons as actors: a node's death is its
  /// daemon's, which takes its ranks. Some may be dead already.
  virtual std::vector<ActorId> victims(const ParentOf& parent_of) = 0;
};

/// A kind of fault source: everything that reading, `list`, the schema and the engine need.
struct FaultSourceRegistration {
  std::string name;
  std::string summary;
  std::string source;  ///< of the model: paper and section
  std::vector<OptionSpec> options = {};
  /// What is wrong with the options for that job; `node_of` and `routes` are not known yet.
  std::function<std::vector<OptionProblem>(const OptionValues&, const FaultTarget&)> check = {};
  /// `key` names this source among those of a scenario ("poisson[0]").
  std::function<std::unique_ptr<FaultSource>(const OptionValues&, const FaultTarget&,
                                             const std::string& key)>
      make = {};
};

/// All kinds of sources, by name: the same order on every build.
const std::vector<FaultSourceRegistration>& fault_sources();

/// The kind of that name, or null.
const FaultSourceRegistration* find_fault_source(const std::string& name);

/// Registers at static initialisation.
struct RegisteredFaultSource {
  explicit RegisteredFaultSource(FaultSourceRegistration registration);
};

/// A source that a scenario names.
struct FaultSourceChoice {
  const FaultSourceRegistration* registration = nullptr;
  OptionValues options;
  std::string key;  ///< its name and its place in the list of its kind: "poisson[0]"
};

/// After how many faults it ends, if the scenario says so. Such a source keeps a run alive until
/// then, as deaths at stated moments do; one without end must not.
std::optional<std::uint64_t> limit_of(const FaultSourceChoice& choice);

/// Do its faults take nodes, and not single ranks?
bool strikes_nodes(const FaultSourceChoice& choice);

/// The random stream of one use that a source makes of chance, so that neither another source nor
/// another use disturbs it. `unit` tells the streams of nodes or ranks apart.
Stream fault_stream(const FaultTarget& target, const std::string& key, const std::string& use,
                    std::uint64_t unit = 0);

}  // namespace faultline
