// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sim/core/attachments.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/growing_pool.hpp"
#include "sim/core/stack.hpp"
#include "sim/core/types.hpp"
#include "sim/core/wire_bytes.hpp"

namespace faultline {

/// Is every byte of a T part of one of its members? A byte between or behind them has no value,
/// which the compiler refuses to read. std::has_unique_object_representations would ask for more:
/// it is false for a double, which has two zeros.
template <class T>
concept HasNoUnusedBytes = requires {
  std::integral_constant<std::size_t,
                         std::bit_cast<std::array<signed char, sizeof(T)>>(T{}).size()>::value;
};

/// A few words carried inside a message: any trivially copyable struct that fits. It must have no
/// unused bytes, so that equal values are equal byte by byte: give such bytes to a member.
template <std::size_t Bytes>
class Field {
 public:
  static constexpr std::size_t kBytes = Bytes;

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kBytes);
    static_assert(HasNoUnusedBytes<T>, "make members wider, or fill the gaps with members");
    if constexpr (sizeof(T) < kBytes) words_ = {};
    if constexpr (sizeof(T) % kWordBytes == 0) {
      // Word by word: a value that has just been made is in registers, and a wider copy of what has
      // just been written waits until the cache has it.
      const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
      for (std::size_t at = 0; at < sizeof(T); at += kWordBytes)
        std::memcpy(&words_[at / kWordBytes], bytes + at, kWordBytes);
    } else {
      std::memcpy(words_.data(), &value, sizeof(T));
    }
  }
  template <class T>
  [[nodiscard]] T get() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kBytes);
    T value;
    std::memcpy(static_cast<void*>(&value), words_.data(), sizeof(T));
    return value;
  }
  void clear() { words_ = {}; }
  void digest(Digest& into) const {
    for (const std::uint64_t word : words_) into.add(word);
  }

  friend bool operator==(const Field&, const Field&) = default;

 private:
  static constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

  std::array<std::uint64_t, Bytes / kWordBytes> words_{};
};

/// What the sender of a message says to its receiver.
using Payload = Field<32>;

/// A message has room for the numbers of kinds and phases up to here.
inline constexpr std::uint32_t kLastKind = (1U << 8) - 1;
inline constexpr std::uint32_t kLastPhase = (1U << 24) - 1;

/// What actors send each other: two cache lines. The engine reads only the first one of a message
/// that is on its way or waits; its handler reads both.
struct Message {
  ActorId from = kNobody;
  ActorId to = kNobody;
  std::uint32_t phase : 24 = 0;  ///< number of the detected phase that it belongs to
  std::uint8_t flags = 0;        ///< bits of MessageFlag
  std::uint16_t from_incarnation = 0;
  std::uint16_t to_incarnation = 0;  ///< the receiver's when the message was injected
  // One word, written once: a part written later would delay the next read of `bytes`.
  std::uint64_t kind : 8 = 0;             ///< index into the message kinds of its component
  Family channel : 8 = Family::workload;  ///< the component it belongs to, at both ends
  std::uint64_t bytes : 48 = 0;           ///< size on the wire
  /// An over-decomposed object is addressed (actor, object). The program numbers its objects, and
  /// sets both on what `send` returns. Only it and layers that move objects read them. What such a
  /// program sends to kNoObject is for the rank itself, which must take it in any order.
  ObjectId from_object = 0;
  ObjectId to_object = 0;
  double inject_s = 0.0;  ///< when its bytes enter the network; set by the engine
  Message* next = nullptr;
  Attachments attachments = {};
  // Each layer has a field of its own in every message. No other layer reads it.
  Field<8> transactions = {};
  Field<16> termination = {};
  Field<16> logging = {};
  Payload payload = {};

  /// What a layer has attached takes so much more on the wire.
  void add_bytes(std::uint64_t more) { bytes = wire_bytes(bytes + more) & kLongestMessage_B; }
  void put_in_phase(std::uint32_t number) { phase = number & kLastPhase; }

  /// Adds everything that its receiver, or a layer that holds it, can tell it from another by. What
  /// the engine and the pool note on it is theirs.
  void digest(Digest& into) const;
};
static_assert(sizeof(Message) <= 2 * kCacheLine);

/// Bits of Message::flags. The sender sets kNotifySent, kFence and kBackground; the engine sets the
/// others.
enum MessageFlag : std::uint8_t {
  kNotifySent = 1,   ///< the sender gets on_sent when the message has left it
  kForwarded = 2,    ///< the layer that was offered it has passed it on
  kInFlight = 4,     ///< handed to the network and not yet handled
  kLost = 8,         ///< nobody will handle it: an end is dead, or the network has lost it
  kArrived = 16,     ///< waits in its receiver's inbox
  kFence = 32,       ///< its sender waits until everything it has sent before is in the network
  kBackground = 64,  ///< a heartbeat or a probe: does not keep the run alive
  kDelayed = 128,    ///< loggp engine: an event of its arrival comes too early
};

inline void Message::digest(Digest& into) const {
  into.add(from, to, kind, channel, flags & (kNotifySent | kFence | kBackground));
  into.add(from_incarnation, to_incarnation, bytes, phase, from_object, to_object);
  into.add(transactions, termination, logging, payload, attachments);
}

/// Storage of all messages of a run.
class MessagePool {
 public:
  Message* take() {
    Message* message = messages_.take();
    message->next = nullptr;
    return message;
  }
  void give_back(Message* message) {
    if (!message->attachments.empty()) message->attachments.clear();
    message->flags = 0;
    messages_.give_back(message);
  }
  /// Visits every message in flight. The order is the same in every repetition of a run.
  template <class Visit>
  void for_each_in_flight(Visit visit) {
    messages_.for_each([&](Message& message) {
      if ((message.flags & kInFlight) != 0) visit(message);
    });
  }
  /// How many messages there is storage for.
  [[nodiscard]] std::size_t places() const { return messages_.places(); }
  /// The message of this pool, which is a copy of `other`, in the place of one of `other`; null for
  /// null.
  [[nodiscard]] Message* counterpart(const Message* message, const MessagePool& other) {
    return messages_.counterpart(message, other.messages_);
  }

 private:
  static constexpr std::size_t kLargestChunk = 16384;  ///< 2 MiB, a large page
  GrowingPool<Message, kLargestChunk> messages_;
};

}  // namespace faultline
