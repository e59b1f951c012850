// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/failure_detection/announcements.hpp"
#include "protocols/failure_detection/heartbeat_ring.hpp"
#include "protocols/failure_detection/reported_deaths.hpp"
#include "sim/core/component.hpp"

namespace faultline::failure_detection {

struct UlfmOptions {
  double heartbeat_period_s = 3.0;
  double timeout_s = 10.0;
  bool late_loop_rule = true;
  bool as_built = false;
  bool rejoin = true;
  bool in_band = true;
  double message_cpu_s = 0.0;
  double message_delay_s = 0.0;
  std::uint64_t control_bytes = 16;

  /// The ring as built has no place for a process that is started again.
  [[nodiscard]] bool rejoins() const { return rejoin && !as_built; }
};

/// The detector of ULFM Open MPI (rdaemon-2019 sections 3.2 and 5.5, after Bosilca et al. 2016):
/// the processes of the application watch each other on a ring, and pass reports on over a binomial
/// graph of processes. A process that shares a node with the dead one sees its end of the shared
/// memory close, and needs no timeout.
class Ulfm final : public Detector {
 public:
  using Options = UlfmOptions;
  Ulfm(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Ulfm>(*this);
  }

  void start(DetectorContext& context) override;
  void on_timer(DetectorContext& context, std::uint64_t key) override;
  void on_message(DetectorContext& context, const Message& message) override;
  void on_link_lost(DetectorContext& context, Incarnation peer) override;
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override;
  void report(MetricTotals& totals) const override;

 private:
  void digest_state(Digest& into) const override { into.add(ring_, reported_, announcements_); }
  void announce(DetectorContext& context);
  void on_report(DetectorContext& context, Incarnation dead);
  void act_on(DetectorContext& context, Incarnation dead);
  [[nodiscard]] std::vector<std::uint32_t> distances() const;
  [[nodiscard]] ActorId neighbour(const DetectorContext& context, std::uint32_t distance) const;
  void send_report(DetectorContext& context, Rank to, Incarnation dead) const;
  void send_all_reports(DetectorContext& context, Rank to) const;
  [[nodiscard]] RingTerms terms() const;

  std::shared_ptr<const Options> options_;
  MemberCircle ranks_;
  double start_slack_s_;  ///< beyond the timeout, for the first heartbeat
  HeartbeatRing ring_;
  ReportedDeaths reported_;
  Announcements announcements_;
};

}  // namespace faultline::failure_detection
