// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/message_logging/checkpointed_program.hpp"
#include "protocols/message_logging/own_deliveries.hpp"
#include "protocols/message_logging/sender_log.hpp"

namespace faultline::message_logging {

/// Messages that have come to a rank which replays, and wait for their turn.
class Replay {
 public:
  /// False if that message waits already.
  bool add(const Delivery& delivery, const Message& message) {
    return waiting_.emplace(delivery, message).second;
  }
  /// Hands up the message of the next delivery, and counts it. False if nothing is to be replayed,
  /// or the message has not come.
  bool hand_up_next(RecoveryContext& context, CheckpointedProgram& program, SenderLog& log,
                    OwnDeliveries& own) {
    if (!own.must_replay()) return false;
    const auto next = waiting_.extract(own.next());
    if (next.empty()) return false;
    if (program.may_repeat()) log.count_taken_in(context, next.mapped().from);
    own.replayed();
    program.hand_up(context, next.mapped());
    return true;
  }
  /// The replay is over. Takes in what still waits, object by object: nobody had depended on it.
  /// `take(message)`: should it be delivered now?
  template <class Take>
  void end(RecoveryContext& context, ProgramGate& gate, Take take) {
    std::vector<Message> rest;
    rest.reserve(waiting_.size());
    for (auto& [delivery, message] : std::exchange(waiting_, {}))
      rest.push_back(std::move(message));
    if (gate.hands_up_singly()) return gate.hold_again(std::move(rest));
    for (const Message& message : rest)
      if (take(message) == Admission::deliver) context.deliver(message);
  }
  void digest(Digest& into) const { into.add(waiting_); }

 private:
  std::map<Delivery, Message> waiting_;
};

}  // namespace faultline::message_logging
