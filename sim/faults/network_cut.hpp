// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/faults/fault_spec.hpp"

namespace faultline::faults {

/// Decides which messages a partition of the network loses, or a router that has failed, and which
/// messages a partition lets wait.
class NetworkCut {
 public:
  NetworkCut() = default;
  /// `nodes` counts the nodes of the job and its spare ones. The actors from `processes` on are
  /// daemons.
  NetworkCut(const std::vector<PartitionSpec>& partitions, std::uint32_t processes,
             std::uint32_t nodes, const std::vector<Outage>& outages = {});

  /// One end of a message: an actor, and the node that it is on.
  struct End {
    ActorId actor;
    NodeId node;
  };
  /// Is there ever a cut that loses messages?
  [[nodiscard]] bool loses() const { return loses_; }
  /// Is there ever a cut in which messages wait?
  [[nodiscard]] bool delays() const { return delays_; }
  /// True if the network loses a message between the two that enters it at that time.
  [[nodiscard]] bool separates(End one, End other, double at_s) const;
  /// How long a message between the two waits that enters the network at that time.
  [[nodiscard]] double wait_s(End one, End other, double at_s) const;
  /// The first moment from from_s on at which no cut separates the two; kNever if there is none.
  [[nodiscard]] double connected_s(End one, End other, double from_s) const;

 private:
  struct Partition {
    bool of_ranks;
    double from_s;
    double to_s;
    bool waits;
    std::vector<std::uint32_t> group_of;  ///< by rank or node, counted from 1; 0: in none

    [[nodiscard]] bool separates(End one, End other, double at_s) const;
    [[nodiscard]] std::uint32_t group(End end) const {
      const std::uint32_t unit = of_ranks ? end.actor : end.node;
      return unit < group_of.size() ? group_of[unit] : 0;
    }
  };
  struct Window {
    double from_s;
    double to_s;
  };

  static void merge(std::vector<Window>& windows);
  [[nodiscard]] double out_until_s(NodeId node, double at_s) const;
  [[nodiscard]] double apart_until_s(End one, End other, double at_s) const;
  [[nodiscard]] double passes_s(End one, End other, double from_s, bool only_waits) const;

  std::vector<Partition> partitions_;
  std::vector<std::vector<Window>> outages_;  ///< by node, in order of time; empty if none is ever
  bool loses_ = false;
  bool delays_ = false;
};

}  // namespace faultline::faults
