#pragma once

#include <vector>

#include "sim/engine/runtime.hpp"

namespace faultline {

/// The fast engine: its own event queue, and LogGP costs (Alexandrov et al., SPAA 1995) over the
/// closed-form route of each message. One event per message where nobody waits. The NIC of a node
/// serialises what leaves it and what enters it; links in between are not shared.
class LogGpEngine final : public Runtime {
 public:
  LogGpEngine(const RunSpec& spec, Topology routes, std::uint64_t seed, std::uint64_t replication);

 protected:
  void simulate() override;
  void transmit(Message& message, const Transit& transit) override;

 private:
  void look_ahead();
  void take_in(Message* message);

  /// When the NIC of a node has taken in its last message, with the receiver's overhead added.
  std::vector<double> taken_in_s_;
};

}  // namespace faultline
