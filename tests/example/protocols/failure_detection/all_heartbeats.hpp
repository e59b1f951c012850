// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "protocols/failure_detection/reported_deaths.hpp"
#include "sim/core/component.hpp"

namespace faultline::failure_detection {

struct AllHeartbeatsOptions {
  double heartbeat_period_s = 0.1;
  double timeout_s = 0.2;
  std::uint64_t control_bytes = 16;
};

/// Every process sends heartbeats to all others, and takes a process for dead of which it has not
/// heard for the timeout (Chandra and Toueg, 1996). It tells the suspect alone, which may live.
class AllHeartbeats final : public Detector {
 public:
  using Options = AllHeartbeatsOptions;
  AllHeartbeats(std::shared_ptr<const Options> options, const JobShape&, Rank)
      : options_(std::move(options)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<AllHeartbeats>(*this);
  }

  void start(DetectorContext& context) override;
  void on_timer(DetectorContext& context, std::uint64_t key) override;
  void on_message(DetectorContext& context, const Message& message) override;
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override;

 private:
  void digest_state(Digest& into) const override { into.add(dead_); }
  void beat(DetectorContext& context);
  void await(DetectorContext& context, Rank peer, double time_s) const;

  std::shared_ptr<const Options> options_;
  ReportedDeaths dead_;
};

}  // namespace faultline::failure_detection
