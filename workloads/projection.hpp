// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/core/component.hpp"
#include "workloads/haar_tree.hpp"

namespace faultline {

struct ProjectionOptions {
  double threshold = 1e-7;
  double task_compute_s = 1e-6;
  std::uint64_t bytes = 64;
};

/// The projection of termination-2022 section 6.2, with one task for each node of a Haar tree. The
/// task decides whether its node is refined, and if so makes a task of each half. Nodes of depth d
/// < log2(P) are on ranks drawn uniformly, and all others on the rank of their parent. So most of
/// the tree consists of subtrees that stay on one rank; each of them runs as one computation.
class Projection final : public Workload {
 public:
  using Options = ProjectionOptions;
  Projection(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Messages and computations hold everything that remains to be done; tasks are only for the
  /// report.
  void digest_state(Digest&) const override {}
  void spawn(Context& context, HaarNode node);
  void run(Context& context, HaarNode node);

  std::shared_ptr<const Options> options_;
  HaarTree tree_;
  Rank self_;
  std::uint64_t tasks_ = 0;
};

}  // namespace faultline
