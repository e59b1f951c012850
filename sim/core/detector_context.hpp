// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/context.hpp"

namespace faultline {

/// What a failure detector may ask beside what all components have: it sends heartbeats, watches
/// connections, reports deaths, and may take such a report back.
class DetectorContext : public Context {
 public:
  using Context::Context;

  /// Says that a message is sent again and again whatever happens, such as a heartbeat. It does not
  /// keep the run alive, as a background timer does not.
  static void background(Message& message) { message.flags |= kBackground; }

  /// Opens a connection to the latest known incarnation of the peer. on_link_lost(peer) is called
  /// when it breaks, or if nobody is there.
  void open_link(ActorId peer) { want(Action::OpenLink{known(peer)}); }

  /// This actor takes that incarnation of the peer for dead, until it takes that back. To report a
  /// daemon is to report the ranks that have died with it, or that run on its node, too. An actor
  /// that reports itself stops, and a daemon that does so takes its ranks along.
  void report_failed(Incarnation peer) { want(Action::ReportFailed{peer}); }
  void report_failed(ActorId peer) { report_failed(known(peer)); }
  /// The peer has denied that it is dead, and this actor believes it: it takes the report back, and
  /// refuses nothing of the peer any more. What it has refused until then is lost. With a daemon
  /// come the ranks on its node. A report that has come true stays. Only for a detector that
  /// declares takes_back, where reports are not final.
  void take_back(Incarnation peer) { want(Action::TakeBack{peer}); }
};

}  // namespace faultline
