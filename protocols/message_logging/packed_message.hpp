// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/message.hpp"

namespace faultline {

/// What the program says in a message, and between which of its objects, if it is as short as what
/// a stencil says: 26 bytes, not the 128 of a message.
class PackedMessage {
 public:
  /// What an object says to all its neighbours alike.
  struct Common {
    std::uint64_t third_word = 0;  ///< of the payload
    std::uint32_t first_word = 0;
    ObjectId from_object = 0;

    friend bool operator==(const Common&, const Common&) = default;
  };
  /// What it says to one of them.
  class Own {
   public:
    Own() = default;
    explicit Own(const Message& message);
    void unpack_into(Message& message) const;

   private:
    ObjectId to_object_ = 0;
    std::uint32_t bytes_ = 0;
    std::uint8_t second_word_ = 0;
    std::uint8_t kind_ = 0;
  };

  /// Does a message say no more than that?
  static bool fits(const Message& message);
  static Common common_of(const Message& message);
  /// The message as it was sent, but for its ends, what the engine notes on it, and `logging`.
  static Message unpacked(const Common& common, const Own& own);

  PackedMessage() = default;
  /// `message` fits.
  explicit PackedMessage(const Message& message) : common_(common_of(message)), own_(message) {}
  [[nodiscard]] Message unpacked() const { return unpacked(common_, own_); }

 private:
  Common common_;
  [[no_unique_address]] Own own_;
};

}  // namespace faultline
