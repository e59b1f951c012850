#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/message.hpp"

namespace faultline {

/// The messages that a rank has sent to another one since the last checkpoint, in their order. What
/// a stencil sends takes 32 bytes each, not the 128 of a message.
class MessageLog {
 public:
  /// `note`: a number of the protocol's.
  void add(const Message& message, std::uint32_t note);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// A message as it was sent, but for what the engine notes on it, and for `logging`.
  [[nodiscard]] Message message(std::size_t place) const;
  [[nodiscard]] std::uint32_t note(std::size_t place) const { return entries_[place].note; }
  void clear();
  void digest(Digest& into) const;

 private:
  struct Entry {
    std::uint64_t third_word = 0;  ///< of the payload; or the place of a whole message
    std::uint32_t first_word = 0;
    std::uint32_t from_object = 0;
    std::uint32_t to_object = 0;
    std::uint32_t bytes = 0;
    std::uint32_t note = 0;
    std::uint16_t second_word = 0;
    std::uint16_t kind = 0;  ///< kWhole: of a message that does not fit into an entry
  };
  static_assert(sizeof(Entry) == 32);
  static constexpr std::uint16_t kWhole = UINT16_MAX;

  static bool fits(const Message& message);

  std::vector<Entry> entries_;
  std::vector<Message> whole_;
};

}  // namespace faultline
