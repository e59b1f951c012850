// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/component.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::workloads {

struct RandomTreeOptions {
  std::string preset = "small";
  std::optional<std::uint32_t> minimum_height;
  std::optional<double> lambda;
  std::optional<std::uint32_t> smallest_subtree_height;
  std::optional<std::uint32_t> largest_subtree_height;
  std::optional<std::uint32_t> maximum_height;
  std::optional<std::uint64_t> tree_seed;
  std::optional<TaskTreeInput> tree_file;
  std::string task_mapping = "round-robin";
  double task_compute_s = 1e-4;
  std::uint64_t bytes = 64;
  std::optional<std::uint32_t> most_messages;
  bool pauses = false;
  std::string choices = "seeded";
};

/// The tree of one run and the ranks of its tasks. All ranks share it.
struct TreePlan {
  std::vector<Task> first_child;  ///< children of t: first_child[t] to below first_child[t + 1]
  std::vector<Rank> owner;
};

/// The non-deterministic trees of tasks of termination-2022 section 5.2, run asynchronously. A task
/// computes, and then makes each child by a message to the child's rank.
class RandomTree final : public Workload {
 public:
  using Options = RandomTreeOptions;
  RandomTree(std::shared_ptr<const Options> options, std::shared_ptr<const TreePlan> plan,
             Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Messages and computations hold everything that remains to be done; tasks are only for the
  /// report.
  void digest_state(Digest&) const override {}
  void spawn(WorkloadContext& context, Task task);
  void run(WorkloadContext& context, Task task);

  std::shared_ptr<const Options> options_;
  std::shared_ptr<const TreePlan> plan_;
  Rank self_;
  std::uint64_t tasks_ = 0;
};

}  // namespace faultline::workloads
