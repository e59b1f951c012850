// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/core/component.hpp"
#include "sim/core/metrics.hpp"
#include "workloads/random_tree.hpp"

namespace faultline::workloads {

inline constexpr MetricSpec kTasksRun{"tasks", Merge::sum, "tasks that were computed to their end"};

/// Any tree of tasks with at most that many messages (random-tree with most_messages). A task that
/// starts knows how many messages must follow below it. When it has computed, it chooses the rank
/// of a child and how many of these messages are below that child, sends it there, and goes on with
/// the rest until nothing is left. So every tree comes from exactly one list of choices: ranks
/// choose by themselves, and their messages add up.
class AnyTree final : public Workload {
 public:
  explicit AnyTree(std::shared_ptr<const RandomTreeOptions> options);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t messages) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Messages and computations hold everything that remains to be done; tasks are only for the
  /// report.
  void digest_state(Digest&) const override {}
  void run(WorkloadContext& context, std::uint64_t messages);

  std::shared_ptr<const RandomTreeOptions> options_;
  std::uint64_t tasks_ = 0;
};

}  // namespace faultline::workloads
