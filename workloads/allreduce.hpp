// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/core/component.hpp"
#include "workloads/collectives.hpp"

namespace faultline {

struct AllreduceOptions {
  std::uint64_t repetitions = 100;
  std::uint64_t bytes = 8;
  double compute_s = 0.0;
};

/// Repeated all-reduce of one number over all ranks, with computation in between: noise and
/// synchronisation experiments. Each rank checks the sum.
class Allreduce final : public Workload {
 public:
  using Options = AllreduceOptions;
  Allreduce(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  void digest_state(Digest& into) const override;
  void begin(Context& context);
  void send(Context& context, const std::vector<RecursiveDoubling::Send>& sends);
  void try_complete(Context& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  RecursiveDoubling sum_;
  double expected_;
  std::uint64_t operations_ = 0;
  std::uint64_t wrong_ = 0;
  bool reducing_ = false;
  double finish_s_ = 0.0;
};

}  // namespace faultline
