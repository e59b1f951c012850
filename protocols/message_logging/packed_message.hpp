#pragma once

#include <cstdint>

#include "sim/core/message.hpp"

namespace faultline {

/// What the program says in a message, and between which of its objects, if it is as short as what
/// a stencil says: 26 bytes, not the 128 of a message.
class PackedMessage {
 public:
  /// Does a message say no more than that?
  static bool fits(const Message& message);
  PackedMessage() = default;
  /// `message` fits.
  explicit PackedMessage(const Message& message);
  /// The message as it was sent, but for its ends, what the engine notes on it, and `logging`.
  [[nodiscard]] Message unpacked() const;

 private:
  std::uint64_t third_word_ = 0;  ///< of the payload
  std::uint32_t first_word_ = 0;
  ObjectId from_object_ = 0;
  ObjectId to_object_ = 0;
  std::uint32_t bytes_ = 0;
  std::uint8_t second_word_ = 0;
  std::uint8_t kind_ = 0;
};

}  // namespace faultline
