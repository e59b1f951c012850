// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "sim/engine/loggp/bulk_lane.hpp"
#include "sim/engine/loggp/pair_count.hpp"
#include "sim/engine/network/bulk_intake.hpp"
#include "sim/engine/runtime/runtime.hpp"

namespace faultline::engine {

/// The fast engine. It has its own event queue and charges LogGP costs (Alexandrov et al., SPAA
/// 1995) over the closed-form route of each message. A message of one packet that waits nowhere
/// takes one event. The NIC of a node sends one message at a time and receives one at a time, but
/// messages of one packet go before what is left of a longer one. If the first link of a route is
/// narrower than the NIC, it serves in the same way. There is no contention on later links.
class LogGpEngine final : private Transport {
 public:
  explicit LogGpEngine(std::shared_ptr<const RunJob> job);

  /// Shows the run to an observer, which must outlive it. Call before run().
  void observe(audit::RunObserver& observer) { run_.observe(observer); }
  /// Simulates the run to its end and returns its result. Call once.
  RunResult run() {
    return run_.run([this] { simulate(); });
  }

 private:
  void simulate();
  void transmit(Message& message, const platform::Transit& transit) override;
  void stream(Message& message, const platform::Transit& transit) override;
  void delay_bulk(NodeId node, double duration_s) override;

  /// A detail of bulk_passed. All others are ports (Topology::port()).
  static constexpr std::uint32_t kIntake = ~0U;
  void arrive(Message& message, const platform::Transit& transit, double left_s, double delay_s);
  [[nodiscard]] double network_delay_s(const Message& message, const platform::Transit& transit) {
    return run_.network().noise_s(message, transit) +
           run_.network().unordered_delay_s(message.from);
  }
  void take_in(Message* message);
  void ignore_early_arrival(Message& message);
  [[nodiscard]] double taken_in_s_of(const Message& message);
  [[nodiscard]] bool can_wait_for_link(const Message& message,
                                       const platform::Transit& transit) const;
  [[nodiscard]] double on_link_s(const Message& message, const platform::Transit& transit);
  [[nodiscard]] double intake_s(const Message& message) const {
    return static_cast<double>(message.bytes) / run_.machine().nic_bandwidth_Bps;
  }

  // messages of several packets (loggp_bulk.cpp)
  [[nodiscard]] std::uint64_t lane_of(NodeId node, std::uint32_t port) const {
    return std::uint64_t{node} << 32U | port;
  }
  [[nodiscard]] std::uint32_t port_of(const Message& message) const {
    return run_.job().routes.port(run_.node_of(message.from), run_.node_of(message.to));
  }
  void join_link(Message& message, const platform::Transit& transit);
  void begin_on_link(NodeId node, std::uint32_t port, BulkLane& lane);
  [[nodiscard]] Inflow flow(const Message& message, const platform::Transit& transit,
                            double begin_s);
  void pause(Inflow& inflow, const platform::Transit& transit, double from_s, double duration_s);
  void delay_on_link(BulkLane& lane, double from_s, double duration_s);
  void pass_link(NodeId node, std::uint32_t port);
  BulkIntake& intake_of(NodeId node);
  [[nodiscard]] bool waits_as_bulk(Message& message);
  void await_intake(NodeId node, const BulkIntake& intake);
  void pass_intake(NodeId node);
  void take_in_bulk(NodeId node, BulkIntake& intake);

  Runtime run_;
  bool links_are_narrow_;            ///< some link is narrower than a NIC
  bool delays_differ_;               ///< a short message could overtake a longer one
  double least_receive_overhead_s_;  ///< every arrival is scheduled that much later
  double links_free_s_ = 0.0;        ///< when all first links are free
  std::vector<double> link_free_s_;  ///< per node and port; empty until first needed
  std::vector<BulkIntake> intakes_;  ///< per node, used if Nic::takes_in_bulk; empty until needed
  // None of these is iterated over, because the order of some depends on addresses.
  std::pmr::unsynchronized_pool_resource memory_;           ///< of all below
  std::pmr::unordered_map<std::uint64_t, BulkLane> lanes_;  ///< of links, if not idle, by lane_of()
  std::pmr::unordered_map<const Message*, std::uint32_t>
      early_arrivals_;         ///< events of those that are kDelayed
  PairCount on_link_between_;  ///< under fifo ordering
  PairCount waiting_between_;  ///< in intakes_, under fifo ordering
};

}  // namespace faultline::engine
