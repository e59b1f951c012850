// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/core/placement.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/job/pace.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/network_cut.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/may_err.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::engine {

/// What a run is given. Nothing of it changes, so that all states of a run, and all runs of a
/// search, can share it.
struct RunJob {
  /// `routes` connects the nodes of the job and its spare nodes.
  RunJob(const scenario::RunSpec& given, platform::Topology between, std::uint64_t with_seed,
         std::uint64_t of_replication);
  RunJob(const RunJob&) = delete;  // fault sources point to the routes
  RunJob& operator=(const RunJob&) = delete;

  /// Which rank lies on which node at the start.
  [[nodiscard]] Placement placement() const;
  /// What sources of faults may know of the job. It refers to what the job owns.
  [[nodiscard]] faults::FaultTarget fault_target() const;
  /// True if daemons run or nodes can die. Else no memory is spent on daemons.
  [[nodiscard]] bool nodes_matter() const;
  /// True if two actors may send through one NIC from the start.
  [[nodiscard]] bool shares_nics() const;
  [[nodiscard]] bool is_rank(ActorId actor) const { return actor < shape.processes; }

  /// Processor time of a message of that size, of its sender and of its receiver, if nothing slows
  /// that.
  [[nodiscard]] double send_overhead_s(std::uint64_t bytes, bool is_local) const;
  [[nodiscard]] double receive_overhead_s(std::uint64_t bytes, bool is_local) const;

  scenario::RunSpec spec;
  std::uint64_t seed;
  std::uint64_t replication;
  JobShape shape;
  std::uint32_t nodes;  ///< of the job, and spare ones
  platform::Topology routes;
  std::array<ComponentFactory, kFamilies> factories;  ///< empty where the stack has nothing
  std::optional<ExitNotice> exit_notice;              ///< what the detector asks of the system
  bool awaits_announcement;                           ///< there is a termination detector
  bool daemons_share_cores;
  bool shares_cores;  ///< what processors do may take time from computations
  bool detector_is_accurate;
  bool fences;              ///< the resource manager ends processes that are declared dead and live
  bool takes_back = false;  ///< a process that is declared dead and lives can deny that
  /// A death is to be expected: by a fault, or because something stated makes the failure detector
  /// err, so that a live process stops or is ended.
  bool expects_deaths = false;
  /// What the bound of the detector counts with, beside the death itself.
  DetectionCase detection;
  /// A time after which the detector has nothing to say that it has not said, if nothing has
  /// happened; kNever: there is none.
  double detection_bound_s = kNever;
  Pace pace;
  bool slows;  ///< processors can take longer than the machine says
  faults::NetworkCut cut;
  bool audits_channels;  ///< what arrives on each channel is compared with what was sent
  bool loses_messages;   ///< the network can lose messages whose ends both live
  scenario::Disturbance disturbance;
  bool has_costs_by_size;           ///< the machine states costs that depend on a message's size
  double least_receive_overhead_s;  ///< of any message
};

}  // namespace faultline::engine
