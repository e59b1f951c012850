// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/core/component.hpp"

namespace faultline {

struct PingPongOptions {
  std::uint64_t repetitions = 1000;
  std::uint64_t bytes = 8;
  std::optional<std::uint32_t> peer;
  bool pairs = false;
  double compute_s = 0.0;
};

/// Sends one message at a time to and fro between rank 0 and a peer, or in each of P/2 pairs. Half
/// a round trip of one pair is the latency that the documentation of a machine states.
class PingPong final : public Workload {
 public:
  using Options = PingPongOptions;
  PingPong(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// Leaves out everything that is only for the report.
  void digest_state(Digest& into) const override { into.add(round_trips_); }
  [[nodiscard]] bool serves() const { return self_ < peer_; }
  void take_ball(Context& context);
  void finish(Context& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  Rank peer_;  ///< kNobody if this rank has no peer
  std::uint64_t round_trips_ = 0;
  double begin_s_ = 0.0;
  double half_round_trip_s_ = 0.0;
  bool finished_ = false;
};

}  // namespace faultline
