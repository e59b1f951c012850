// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/core/component.hpp"

namespace faultline {

struct TokenRingOptions {
  double stop_probability = 0.01;
  std::optional<std::uint64_t> walk_length;
  double branch_probability = 0.0;
  double branch_walk_probability = 0.0;
  std::string route = "random";
  double step_compute_s = 2e-3;
  double leaf_compute_s = 2e-3;
  std::uint64_t bytes = 64;
  std::optional<std::uint64_t> most_steps;
  std::string choices = "seeded";
};

/// The token ring of termination-2022 sections 5.1 and 6.2: a token walks between uniformly random
/// ranks, where it may also stay on its rank. Before every move, the first included, it stops with
/// a fixed probability. With branching, a step also sends an additional token to a random rank,
/// which ends there or walks on.
class TokenRing final : public Workload {
 public:
  using Options = TokenRingOptions;
  TokenRing(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Moves, stays and leaves are only for the report.
  void digest_state(Digest& into) const override { into.add(steps_done_); }
  void step(Context& context, std::uint64_t left);
  [[nodiscard]] Rank random_rank(Context& context);
  void send_leaf(Context& context, std::uint64_t left);
  [[nodiscard]] bool stops(Context& context, std::uint64_t left);
  [[nodiscard]] bool walks_on(Context& context, std::uint64_t left);
  [[nodiscard]] bool branches(Context& context, std::uint64_t left);

  std::shared_ptr<const Options> options_;
  Rank self_;
  std::uint64_t steps_done_ = 0;  ///< of the walk; travels with the token, 0 without it
  std::uint64_t moves_ = 0;       ///< that left from here
  std::uint64_t stays_ = 0;
  std::uint64_t leaves_ = 0;
};

}  // namespace faultline
