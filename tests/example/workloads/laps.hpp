// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/core/component.hpp"

namespace faultline {

struct LapsOptions {
  std::uint64_t laps = 10;
  std::uint64_t bytes = 8;
  double compute_s = 0.0;
};

/// A token goes round the ring of ranks. Each rank computes before it passes the token on.
class Laps final : public Workload {
 public:
  using Options = LapsOptions;
  Laps(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// The time is for the report.
  void digest_state(Digest& into) const override { into.add(arrivals_); }
  [[nodiscard]] bool is_root() const { return self_ == 0; }
  [[nodiscard]] bool has_all() const { return arrivals_ == options_->laps; }

  std::shared_ptr<const Options> options_;
  Rank self_;
  Rank next_;
  std::uint64_t arrivals_ = 0;
  double lap_time_s_ = 0.0;
};

}  // namespace faultline
