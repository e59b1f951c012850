// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline::engine {

/// How a message of several packets flows into a NIC.
struct Inflow {
  double end_s = 0.0;  ///< when its last byte comes
  double rate = 0.0;   ///< until then, as a share of the NIC's bandwidth
  NodeId node = 0;     ///< whose NIC that is
};

/// How a NIC takes in messages of several packets, as a fluid: each flows in at its own rate from
/// its first byte on, and what comes faster than the NIC's bandwidth waits. So a message that has
/// arrived at t is in at the latest of s + the time that the NIC needs for what has come between s
/// and t, over all s. Messages of one packet go before what waits. All times in seconds, all rates
/// as shares of the NIC's bandwidth.
class BulkIntake {
 public:
  /// Begins anew, with what the NIC still has to do before, or else how long it has had nothing to
  /// do. Nothing flows in or waits.
  void begin(double now_s, double backlog_s, double idle_since_s) {
    at_s_ = now_s;
    backlog_s_ = backlog_s;
    idle_from_s_ = idle_since_s;
    idle_until_s_ = now_s;
  }

  /// A message begins to flow in at begin_s, which is not past. The NIC alone needs `alone_s` for
  /// it; it flows for that time or longer.
  /// `node` is the NIC's own.
  Inflow flow(double now_s, double begin_s, double alone_s, double flows_s, NodeId node);
  /// Nothing of a message comes from from_s, which is not past, for so long. It ends so much later,
  /// unless it has ended by then.
  void pause(double now_s, Inflow& inflow, double from_s, double duration_s);
  /// A message of one packet, for which the NIC needs so long, has come. It flowed in at the full
  /// rate until now.
  void pass_first(double now_s, double alone_s);
  /// All of a message is there, and waits for what has come before it.
  void wait(double now_s, Message& message);

  /// A message of one packet has come that has to stay behind one that waits, between the same two
  /// actors. It delays only those behind it. False, and nothing is done, if no such one waits.
  bool wait_behind_its_pair(double now_s, double alone_s, Message& message);

  [[nodiscard]] bool is_anybody_waiting() const { return next_ < waiting_.size(); }
  /// When the first of those that wait is in, if no message of one packet goes before it.
  [[nodiscard]] double first_in_s() const {
    return waiting_[next_].in_s + (passed_s_ - waiting_[next_].passed_before_s);
  }
  [[nodiscard]] const Message& first() const { return *waiting_[next_].message; }
  /// The first of those that wait is in.
  Message& take_first();

  /// Nothing flows in or is about to, and nothing waits.
  [[nodiscard]] bool is_idle(double now_s) {
    advance(now_s);
    return !is_anybody_waiting() && changes_.empty();
  }

 private:
  static constexpr std::size_t kKeptPlaces = 64;  ///< messages that have waited

  /// A message begins to flow (rate > 0) or no longer flows (rate < 0).
  struct Change {
    double at_s;
    double rate;
    bool operator>(const Change& other) const { return at_s > other.at_s; }
  };
  struct Waiting {
    Message* message;
    double in_s;
    double passed_before_s;  ///< of passed_s_
  };
  /// `more`: the rate of a message of one packet.
  void advance(double now_s, double more = 0.0);
  void advance_evenly(double now_s, double rate);
  void change();
  void flow_alone(double now_s, double alone_s);

  double at_s_ = 0.0;          ///< the time of what follows
  double backlog_s_ = 0.0;     ///< what has come and is not in, as time of the NIC
  double rate_ = 0.0;          ///< of all that flow,
  int flowing_ = 0;            ///< so many
  double idle_from_s_ = 0.0;   ///< when the NIC last had nothing to do,
  double idle_until_s_ = 0.0;  ///< and until when
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;  ///< first one first
  std::vector<Waiting> waiting_;                                              ///< from next_ on
  std::size_t next_ = 0;
  double passed_s_ = 0.0;  ///< what has gone before those that wait
};

}  // namespace faultline::engine
