#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/component_memory.hpp"
#include "sim/core/message.hpp"

namespace faultline {

/// The messages that a rank has sent to other ranks since the last checkpoint, in their order. What
/// a stencil sends takes 32 bytes each, not the 128 of a message. One after the other, whoever gets
/// them, so that a message that is added needs no memory that has not been used for long.
class MessageLog {
 public:
  /// `receiver`: its number among the ranks that this one sends to. `note`: a number of the
  /// protocol's.
  void add(const Message& message, std::uint32_t receiver, std::uint32_t note);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool is_for(std::uint32_t receiver, std::size_t place) const {
    const Entry& entry = entries_[place];
    return (entry.kind == kWhole ? receiver_of_whole(entry) : entry.receiver) == receiver;
  }
  /// A message as it was sent, but for its ends, what the engine notes on it, and `logging`.
  [[nodiscard]] Message message(std::size_t place) const;
  [[nodiscard]] std::uint32_t note(std::size_t place) const { return entries_[place].note; }
  void clear();
  /// Adds what there is for one receiver.
  void digest_of(std::uint32_t receiver, Digest& into) const;

 private:
  struct Entry {
    std::uint64_t third_word = 0;  ///< of the payload; or the place of a whole message
    std::uint32_t first_word = 0;
    std::uint32_t from_object = 0;
    std::uint32_t to_object = 0;
    std::uint32_t bytes = 0;
    std::uint32_t note = 0;
    std::uint16_t receiver = 0;
    std::uint8_t second_word = 0;
    std::uint8_t kind = 0;  ///< kWhole: of a message that does not fit into an entry
  };
  static_assert(sizeof(Entry) == 32);
  static constexpr std::uint8_t kWhole = UINT8_MAX;
  struct WholeMessage {
    Message message;
    std::uint32_t receiver = 0;
  };

  static bool fits(const Message& message, std::uint32_t receiver);
  [[nodiscard]] std::uint32_t receiver_of_whole(const Entry& entry) const {
    return whole_[entry.third_word].receiver;
  }

  ComponentBlocks<Entry> entries_;
  std::vector<WholeMessage> whole_;
};

}  // namespace faultline
