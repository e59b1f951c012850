#pragma once

#include <vector>

#include "sim/engine/runtime.hpp"

namespace faultline {

/// The fast engine: its own event queue, and LogGP costs (Alexandrov et al., SPAA 1995) over the
/// closed-form route of each message. One event per message where nobody waits. The NIC of a node
/// serialises what leaves it and what enters it, and so does the first link of a route where it is
/// narrower than the NIC; links beyond are not shared.
class LogGpEngine final : public Runtime {
 public:
  LogGpEngine(const RunSpec& spec, Topology routes, std::uint64_t seed, std::uint64_t replication);

 protected:
  void simulate() override;
  void transmit(Message& message, const Transit& transit) override;

 private:
  void look_ahead();
  void take_in(Message* message);
  [[nodiscard]] double taken_in_s_of(const Message& message);
  [[nodiscard]] double on_link_s(const Message& message, const Transit& transit);

  /// When the NIC of a node can begin to take in the next message, with the receiver's overhead
  /// added.
  std::vector<double> intake_free_s_;
  bool links_are_narrow_;            ///< some are narrower than a NIC
  double links_free_s_ = 0.0;        ///< when the last of the first links is free
  std::vector<double> link_free_s_;  ///< per node and port; empty until a message queues before one
};

}  // namespace faultline
