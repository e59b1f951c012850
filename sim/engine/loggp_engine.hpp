#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/engine/bulk_lane.hpp"
#include "sim/engine/look_ahead.hpp"
#include "sim/engine/runtime.hpp"

namespace faultline {

/// The fast engine. It has its own event queue and charges LogGP costs (Alexandrov et al., SPAA
/// 1995) over the closed-form route of each message. A message of one packet that waits nowhere
/// takes one event. The NIC of a node sends one message at a time and receives one at a time, but
/// messages of one packet go before what is left of a longer one. If the first link of a route is
/// narrower than the NIC, it serves in the same way. There is no contention on later links.
class LogGpEngine final : public Runtime {
 public:
  explicit LogGpEngine(std::shared_ptr<const RunJob> job);

 protected:
  void simulate() override;
  void transmit(Message& message, const Transit& transit) override;
  void stream(Message& message, const Transit& transit) override;
  void left_nic(NodeId node) override;

 private:
  /// The port of a node by which messages come in. All others are those of Topology::port().
  static constexpr std::uint32_t kIntake = ~0U;
  /// How far a message has come into its receiver's NIC.
  struct Intake {
    bool has_passed = false;   ///< the NIC would have taken it in
    bool has_arrived = false;  ///< its last byte is there
  };

  void arrive(Message& message, const Transit& transit, double left_s);
  void take_in(Message* message);
  [[nodiscard]] double taken_in_s_of(const Message& message);
  [[nodiscard]] double in_order_s(const Message& message, double arrival_s);
  [[nodiscard]] double on_link_s(const Message& message, const Transit& transit);
  [[nodiscard]] double intake_s(const Message& message) const {
    return static_cast<double>(message.bytes) / machine().nic_bandwidth_Bps;
  }

  // messages of several packets (loggp_bulk.cpp)
  [[nodiscard]] std::uint64_t lane_of(NodeId node, std::uint32_t port) const {
    return std::uint64_t{node} << 32U | port;
  }
  [[nodiscard]] std::uint32_t port_of(const Message& message) const {
    return routes().port(node_of(message.from), node_of(message.to));
  }
  void join_link(Message& message, const Transit& transit);
  void begin_on_link(NodeId node, std::uint32_t port, BulkLane& lane);
  void send_first_byte(Message& message, double begin_s);
  void left_link_or_nic(Message& message);
  void first_byte(Message* message);
  void join_intake(Message& message, Intake so_far);
  void begin_intake(NodeId node, BulkLane& lane);
  void pass(NodeId node, std::uint32_t port);
  [[nodiscard]] bool comes_in_as_bulk(Message& message);

  bool links_are_narrow_;            ///< some link is narrower than a NIC
  double links_free_s_ = 0.0;        ///< when all first links are free
  std::vector<double> link_free_s_;  ///< per node and port; empty until first needed
  // None of these is iterated over, because their order depends on addresses.
  std::unordered_map<std::uint64_t, BulkLane> lanes_;  ///< that are not idle, by lane_of()
  std::unordered_map<NodeId, Message*> leaving_;       ///< what streams out of a node
  std::unordered_map<const Message*, bool> on_link_;   ///< and if it has left its NIC
  std::unordered_map<const Message*, Intake> coming_in_;
  PairCount on_link_between_;    ///< under fifo ordering
  PairCount coming_in_between_;  ///< under fifo ordering
  LookAhead look_ahead_;
};

}  // namespace faultline
