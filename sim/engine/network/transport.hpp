// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

/// How messages cross the network. Each engine has a way of its own.
class Transport {
 public:
  /// Takes a message into the network at message.inject_s. `transit` has the latency and transfer
  /// time of the unloaded route. An event says when the message is there.
  virtual void transmit(Message& message, const platform::Transit& transit) = 0;
  /// Does so with a message that leaves packet by packet from its inject_s on.
  virtual void stream(Message& message, const platform::Transit& transit) {
    transmit(message, transit);
  }
  /// What streams out of that node leaves later, because a shorter message goes first.
  virtual void delay_bulk(NodeId /*node*/, double /*duration_s*/) {}
  /// An actor has restarted on another node. Its next message leaves from there.
  virtual void moved(ActorId /*actor*/) {}
  /// Called where a NIC that several actors share could take up a message at once, after
  /// Network::let_departures_wait(): does it?
  virtual bool leaves_at_once() { return true; }

 protected:
  ~Transport() = default;
};

}  // namespace faultline::engine
