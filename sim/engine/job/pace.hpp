// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::engine {

/// How long the processors of nodes take for their work, where something slows them. A function of
/// time alone: it has no state.
class Pace {
 public:
  /// `nodes`: of the job, and spare ones.
  Pace(const scenario::RunSpec& spec, std::uint32_t nodes, std::uint64_t seed,
       std::uint64_t replication);

  /// False if all processors always work as the machine says.
  [[nodiscard]] bool varies() const { return varies_; }
  /// When work is done that a processor of the node begins at begin_s, and that takes work_s if
  /// nothing slows it. What begins later is not done earlier.
  [[nodiscard]] double done_s(NodeId node, double begin_s, double work_s) const;
  /// The end of a computation, which interruptions delay but slow nodes do not.
  [[nodiscard]] double computed_s(NodeId node, double begin_s, double work_s) const;
  /// How much a computation of the node does from one moment to another.
  [[nodiscard]] double work_s(NodeId node, double from_s, double to_s) const {
    return noise_.work_until_s(node, to_s) - noise_.work_until_s(node, from_s);
  }
  /// When a process of the node next runs: at_s, or the end of an interruption.
  [[nodiscard]] double running_s(NodeId node, double at_s) const {
    return noise_.done_s(node, at_s, 0.0);
  }
  /// By how much the node is slow at that time.
  [[nodiscard]] double factor(NodeId node, double at_s) const;

 private:
  /// From `from_s` on, the node is slow by that factor.
  struct Step {
    double from_s;
    double factor;
  };
  using Steps = std::vector<Step>;

  /// When the processors of a node are taken away.
  struct Noise {
    double interval_s = 0.0;
    double length_s = 0.0;
    std::vector<double> first_s;  ///< by node: an interruption begins; kNever if none does

    [[nodiscard]] double done_s(NodeId node, double begin_s, double work_s) const;
    [[nodiscard]] double work_until_s(NodeId node, double at_s) const;
  };

  void add_noise(const scenario::OsNoise& noise, std::uint32_t nodes, std::uint64_t seed,
                 std::uint64_t replication);
  void add_steps(const std::vector<faults::SlowSpec>& slow, NodeId node);
  [[nodiscard]] static Steps::const_iterator first_after(const Steps& steps, double at_s);

  bool varies_ = false;
  Noise noise_;               ///< first_s is empty if no node has noise
  std::vector<Steps> steps_;  ///< by node, in order of time; empty if no node is ever slow
};

}  // namespace faultline::engine
