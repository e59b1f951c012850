#pragma once

#include <memory>
#include <vector>

#include "sim/engine/look_ahead.hpp"
#include "sim/engine/runtime.hpp"

namespace faultline {

/// The fast engine. It has its own event queue and charges LogGP costs (Alexandrov et al., SPAA
/// 1995) over the closed-form route of each message. A message that waits nowhere takes one event.
/// The NIC of a node sends one message at a time and receives one at a time. If the first link of a
/// route is narrower than the NIC, it also carries one message at a time. There is no contention on
/// later links.
class LogGpEngine final : public Runtime {
 public:
  explicit LogGpEngine(std::shared_ptr<const RunJob> job);

 protected:
  void simulate() override;
  void transmit(Message& message, const Transit& transit) override;

 private:
  void take_in(Message* message);
  [[nodiscard]] double taken_in_s_of(const Message& message);
  [[nodiscard]] double in_order_s(const Message& message, double arrival_s);
  [[nodiscard]] double on_link_s(const Message& message, const Transit& transit);

  bool links_are_narrow_;            ///< some link is narrower than a NIC
  double links_free_s_ = 0.0;        ///< when all first links are free
  std::vector<double> link_free_s_;  ///< per node and port; empty until first needed
  LookAhead look_ahead_;
};

}  // namespace faultline
