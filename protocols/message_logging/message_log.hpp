// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/message.hpp"

namespace faultline::message_logging {

/// The messages that a rank has sent to other ranks since the last checkpoint, in their order. What
/// an object sends to its neighbours, as a stencil does, takes 16 bytes each, and 24 once for what
/// it says to all of them, not the 128 of a message.
class MessageLog {
 public:
  /// `receiver`: its number among the ranks that this one sends to. `note`: a number of the
  /// protocol's.
  void add(const Message& message, std::uint32_t receiver, std::uint32_t note);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool is_for(std::uint32_t receiver, std::size_t place) const {
    const Entry& entry = entries_[place];
    return (entry.receiver == kWhole ? whole_at(place).receiver : entry.receiver) == receiver;
  }
  /// A message as it was sent, but for its ends, what the engine notes on it, and `logging`.
  [[nodiscard]] Message message(std::size_t place) const;
  [[nodiscard]] std::uint32_t note(std::size_t place) const { return entries_[place].note; }
  void clear();
  /// Adds what there is for one receiver.
  void digest_of(std::uint32_t receiver, Digest& into) const;

 private:
  /// What an object says to one of its neighbours.
  struct Entry {
    ObjectId to_object = 0;
    std::uint32_t bytes = 0;
    std::uint32_t note = 0;
    std::uint16_t receiver = kWhole;  ///< kWhole: the message is one of `whole_`
    std::uint8_t second_word = 0;     ///< of the payload
    std::uint8_t kind = 0;
  };
  /// What it says to all of them alike: from one place on, up to the next run.
  struct Run {
    std::uint64_t third_word = 0;
    std::uint32_t first_word = 0;
    ObjectId from_object = 0;
    std::size_t first = 0;  ///< place
  };
  static constexpr std::uint16_t kWhole = UINT16_MAX;
  /// A message that says more than that.
  struct WholeMessage {
    std::size_t place = 0;
    Message message;
    std::uint32_t receiver = 0;
  };

  [[nodiscard]] const WholeMessage& whole_at(std::size_t place) const;
  [[nodiscard]] const Run& run_at(std::size_t place) const;

  std::vector<Entry> entries_;
  std::vector<Run> runs_;
  std::vector<WholeMessage> whole_;  ///< by place
};

}  // namespace faultline::message_logging
