// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/component.hpp"

namespace faultline {

struct FloodOptions {
  std::string graph = "random";
  std::uint32_t fanout = 8;
  std::uint64_t bytes = 64;
  double compute_s = 1.0;
  std::string choices = "seeded";
};

/// Rank 0 floods a graph: a rank that its first message reaches sends one to each of its
/// successors, and computes. On a random graph, chance decides which rank engages which. While the
/// ranks compute, all reachable ranks are engaged and have sent to all their successors.
class Flood final : public Workload {
 public:
  using Options = FloodOptions;
  Flood(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;

 private:
  void digest_state(Digest& into) const override { into.add(reached_); }
  [[nodiscard]] std::vector<Rank> successors(Context& context);
  void pass_on(Context& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  bool reached_ = false;
};

}  // namespace faultline
