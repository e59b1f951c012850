// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocols/failure_detection/announcements.hpp"
#include "protocols/failure_detection/heartbeat_ring.hpp"
#include "protocols/failure_detection/reported_deaths.hpp"
#include "sim/core/component.hpp"

namespace faultline::failure_detection {

struct RdaemonOptions {
  double heartbeat_period_s = 0.1;
  double timeout_s = 0.2;
  double start_slack_s = 0.0;
  double mending_grace_s = 0.0;
  std::string broadcast = "bmg";
  std::uint32_t radix = 64;
  bool feed_from_broadcast = true;
  bool compare_reports = false;
  bool as_built = false;
  bool rejoin = true;
  double daemon_cpu_s = 0.0;
  double daemon_delay_s = 0.0;
  std::uint64_t control_bytes = 16;
  std::uint64_t process_bytes = 8;

  /// The ring as built has no place for a daemon that is started again.
  [[nodiscard]] bool rejoins() const { return rejoin && !as_built; }
};

/// RDAEMON# (rdaemon-2019 section 4) at the daemon of a node. The daemons watch each other on a
/// ring. They find a node's death by missing heartbeats, and that of a single process through the
/// operating system of its node. A report spreads over a redundant graph of daemons, and from each
/// daemon to the processes of its node (RdaemonClient).
class Rdaemon final : public Detector {
 public:
  using Options = RdaemonOptions;
  Rdaemon(std::shared_ptr<const Options> options, const JobShape& job, ActorId self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Rdaemon>(*this);
  }

  void start(DetectorContext& context) override;
  void on_timer(DetectorContext& context, std::uint64_t key) override;
  void on_message(DetectorContext& context, const Message& message) override;
  void on_local_exit(DetectorContext& context, Incarnation rank) override;
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override;
  void report(MetricTotals& totals) const override;

 private:
  void digest_state(Digest& into) const override {
    into.add(ring_, reported_, comparison_, announcements_);
  }
  void on_heartbeat(DetectorContext& context, const Message& message);
  void announce(DetectorContext& context);
  void on_life(DetectorContext& context, const Message& message) const;
  void send_all_reports(DetectorContext& context, ActorId daemon) const;
  void start_propagation(DetectorContext& context, Incarnation dead);
  void on_report(DetectorContext& context, const Message& message);
  void act_on(DetectorContext& context, Incarnation dead);
  void reliable_broadcast(DetectorContext& context, Incarnation dead) const;
  void send_report(DetectorContext& context, std::uint16_t kind, const DeathReport& report,
                   std::uint64_t bytes) const;
  void tell_all(DetectorContext& context, Rank rank) const;
  [[nodiscard]] std::uint64_t bytes_of(const DetectorContext& context, Incarnation dead) const;
  [[nodiscard]] std::vector<std::uint32_t> distances(ActorId daemon) const;
  [[nodiscard]] std::size_t degree(ActorId daemon) const;
  [[nodiscard]] RingTerms terms() const;

  std::shared_ptr<const Options> options_;
  MemberCircle daemons_;  ///< all of them; without number 0, they are the ring as built
  HeartbeatRing ring_;
  std::size_t degree_;  ///< of this daemon in the graph over which reports spread
  ReportedDeaths reported_;
  SummaryComparison comparison_;  ///< with the emitter
  Announcements announcements_;
};

/// RDAEMON# in a process of the application: believes the daemon of its node.
class RdaemonClient final : public Detector {
 public:
  RdaemonClient(std::uint64_t control_bytes, bool rejoin)
      : control_bytes_(control_bytes), rejoin_(rejoin) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<RdaemonClient>(*this);
  }

  void start(DetectorContext& context) override;
  void on_message(DetectorContext& context, const Message& message) override;
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override;

 private:
  /// The client keeps no state.
  void digest_state(Digest&) const override {}

  std::uint64_t control_bytes_;
  bool rejoin_;
};

}  // namespace faultline::failure_detection
