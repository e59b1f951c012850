// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/faults/fault_source.hpp"

namespace faultline::faults {

/// The options of every source that chooses its victims itself.
struct PlacementOptions {
  std::string component = "node";
  std::string victims = "nodes";
  std::string placement = "uniform";
  std::string scope = "job";
  bool spare_root = false;
};

const OptionSet<PlacementOptions>& placement_options();

/// The problems of the options in that job.
std::vector<OptionProblem> check_placement(const PlacementOptions& options,
                                           const FaultTarget& target);

/// The number of such parts that hold nodes of the job, spare ones included. A part of one node is
/// a node, and no spare one. Nothing if the machine has no such parts.
std::optional<std::uint32_t> parts_in_job(platform::Part part, const FaultTarget& target);

/// Chooses the victims of a fault. It chooses among units: the job's nodes, ranks or larger parts
/// of the machine or, with scope `machine`, all of the machine. Nodes outside the job count as
/// victims, but their failure changes nothing in the run.
class VictimPlacement {
 public:
  VictimPlacement(const PlacementOptions& options, const FaultTarget& target, Stream random);

  /// The number of units.
  [[nodiscard]] std::uint32_t units() const { return static_cast<std::uint32_t>(units_.size()); }

  /// Chooses `size` units, or all if there are fewer. `first`, if given, is one of them: an index
  /// below units(). Returns the actors of each of those units that belong to the job: one or, of a
  /// part of the machine, those of all its nodes, spare ones included.
  std::vector<std::vector<ActorId>> choose(std::uint64_t size, std::optional<std::uint32_t> first,
                                           const ParentOf& parent_of);

 private:
  using Indices = std::vector<std::uint32_t>;
  enum class Kind : std::uint8_t { uniform, contiguous, related };

  void list_job_units();
  void list_machine_units(const FaultTarget& target);
  void list_parts(const FaultTarget& target, platform::Part part);
  [[nodiscard]] std::vector<ActorId> actors_of(std::uint32_t unit) const;
  [[nodiscard]] Indices uniform(std::uint32_t size, std::uint32_t first);
  [[nodiscard]] Indices contiguous(std::uint32_t size, std::uint32_t first) const;
  [[nodiscard]] Indices related(std::uint32_t size, std::optional<std::uint32_t> first,
                                const ParentOf& parent_of);
  [[nodiscard]] std::vector<Indices> relatives(const ParentOf& parent_of) const;
  [[nodiscard]] std::uint32_t distance(std::uint32_t a, std::uint32_t b) const;

  PlacementOptions options_;
  Kind kind_ = Kind::uniform;
  bool of_ranks_ = false;
  JobShape job_;
  std::vector<NodeId> node_of_;
  std::uint32_t nodes_of_part_ = 0;            ///< 0 if units are nodes or ranks
  std::vector<std::uint32_t> units_;           ///< rank, node, part, or kNobody outside the job
  std::vector<std::uint32_t> places_;          ///< place of each unit in `network_`
  std::optional<platform::Topology> network_;  ///< only for contiguous faults
  Stream random_;
};

}  // namespace faultline::faults
