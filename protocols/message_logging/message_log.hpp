#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/message.hpp"

namespace faultline {

/// The messages that a rank has sent to another one since the last checkpoint, in their order. What
/// a stencil sends takes 32 bytes each, not the 128 of a message.
class MessageLog {
 public:
  void add(const Message& message);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// A message as it was sent, but for what the engine notes on it, and for `logging`.
  [[nodiscard]] Message message(std::size_t place) const;
  void clear();
  void digest(Digest& into) const;

 private:
  struct Entry {
    std::uint64_t first_word = 0;   ///< of the payload; or the place of a whole message
    std::uint64_t second_word = 0;  ///< of the payload
    std::uint32_t from_object = 0;
    std::uint32_t to_object = 0;
    std::uint32_t bytes = 0;
    std::uint16_t kind = 0;
    std::uint16_t is_whole = 0;
  };
  static_assert(sizeof(Entry) == 32);

  std::vector<Entry> entries_;
  std::vector<Message> whole_;  ///< those that do not fit into an entry
};

}  // namespace faultline
