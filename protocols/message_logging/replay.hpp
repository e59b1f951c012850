// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/message_logging/delivery_list.hpp"
#include "sim/core/message.hpp"

namespace faultline {

/// Messages that have come to a rank which replays, and wait for their turn.
class Replay {
 public:
  /// False if that message waits already.
  bool add(const Delivery& delivery, const Message& message) {
    return waiting_.emplace(delivery, message).second;
  }
  /// The message of that delivery, if it has come. It waits no longer.
  std::optional<Message> take(const Delivery& delivery) {
    const auto found = waiting_.find(delivery);
    if (found == waiting_.end()) return std::nullopt;
    std::optional<Message> message(std::move(found->second));
    waiting_.erase(found);
    return message;
  }
  /// All that wait, object by object: the replay is over, and nobody had depended on them.
  std::vector<Message> take_all() {
    std::vector<Message> messages;
    messages.reserve(waiting_.size());
    for (auto& [delivery, message] : std::exchange(waiting_, {}))
      messages.push_back(std::move(message));
    return messages;
  }
  void digest(Digest& into) const { into.add(waiting_); }

 private:
  std::map<Delivery, Message> waiting_;
};

}  // namespace faultline
