#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/faults/fault_source.hpp"

namespace faultline {

/// Options of every source that chooses its victims itself.
struct PlacementOptions {
  std::string victims = "nodes";
  std::string placement = "uniform";
  std::string scope = "job";
  bool spare_root = false;
};

const OptionSet<PlacementOptions>& placement_options();

/// What is wrong with them for that job.
std::vector<OptionProblem> check_placement(const PlacementOptions& options,
                                           const FaultTarget& target);

/// Chooses who dies in a fault of several. The units among which it chooses are the job's nodes or
/// ranks, or with scope `machine` all nodes of the machine, of which those outside the job count
/// and lose nothing that a run would notice.
class Placement {
 public:
  Placement(const PlacementOptions& options, const FaultTarget& target, Stream random);

  /// How many units there are.
  [[nodiscard]] std::uint32_t units() const { return static_cast<std::uint32_t>(units_.size()); }

  /// Chooses `size` units, or all if there are fewer; `first`, an index below units(), is one of
  /// them if it is given. Returns those that belong to the job, as actors.
  std::vector<ActorId> choose(std::uint64_t size, std::optional<std::uint32_t> first,
                              const ParentOf& parent_of);

 private:
  using Indices = std::vector<std::uint32_t>;
  enum class Kind : std::uint8_t { uniform, contiguous, related };

  void list_job_units();
  void list_machine_units(const FaultTarget& target);
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
  std::vector<std::uint32_t> units_;   ///< rank, node, or kNobody outside the job
  std::vector<std::uint32_t> places_;  ///< of every unit in `network_`
  std::optional<Topology> network_;    ///< only for contiguous faults
  Stream random_;
};

}  // namespace faultline
