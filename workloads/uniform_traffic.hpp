// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/component.hpp"

namespace faultline {

struct UniformTrafficOptions {
  std::optional<std::uint32_t> tokens;
  std::uint32_t hops = 100;
  std::optional<std::uint32_t> fanout;
  std::uint64_t bytes = 64;
  double compute_s = 0.0;
  std::optional<double> burst_compute_s;
  double stay_probability = 0.0;
  std::string choices = "seeded";
};

/// Random traffic. Each token makes a fixed number of hops between random ranks, so that the number
/// of messages does not depend on their order. With a fan-out, a rank sends only to a few fixed
/// successors of its own (adoption-2013 section 5.2). It may then begin with a burst: it sends a
/// message to each successor and computes, and in that time every rank is engaged.
class UniformTraffic final : public Workload {
 public:
  using Options = UniformTrafficOptions;
  UniformTraffic(std::shared_ptr<const Options> options, const JobShape&, Rank);
  UniformTraffic(const UniformTraffic& other);
  UniformTraffic& operator=(const UniformTraffic&) = delete;
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t hops_left) override;

 private:
  void digest_state(Digest& into) const override {
    into.add(successors_ ? *successors_ : std::vector<Rank>());
  }
  void burst(Context& context) const;
  void move(Context& context, std::uint64_t hops_left);
  [[nodiscard]] Rank successor(Context& context);

  std::shared_ptr<const Options> options_;
  /// Does not change after the start; null if all other ranks are successors. It is a pointer,
  /// because a benchmark has a million ranks without it.
  std::unique_ptr<const std::vector<Rank>> successors_;
};

}  // namespace faultline
