// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/rank_ledger.hpp"
#include "sim/core/split_mix.hpp"

namespace faultline::message_logging {

/// The messages from one object to another. An end without an object is its rank.
struct ObjectChannel {
  Endpoint from;
  Endpoint to;

  [[nodiscard]] std::uint64_t hash() const {
    const auto word = [](const Endpoint& end) {
      return std::uint64_t{end.rank} << 32U ^ std::uint64_t{end.object};
    };
    constexpr std::uint64_t kOdd = 0xd6e8feb86659fd93;
    return split_mix(word(from) * kOdd + word(to));
  }
  void digest(Digest& into) const { into.add(from, to); }
  friend auto operator<=>(const ObjectChannel&,
                          const ObjectChannel&) = default;  // NOLINT(*-nullptr)
};

/// Programs without objects leave both ends of a message 0, where no two objects could be.
inline bool is_between_objects(const Message& message) {
  return message.from_object != 0 || message.to_object != 0;
}

/// The channel of a message that a rank has sent, whoever has passed it on.
inline ObjectChannel channel_of(const Message& message, Rank sender) {
  const bool has_objects = is_between_objects(message);
  return {Endpoint::of(sender, message.from_object, has_objects),
          Endpoint::of(message.to, message.to_object, has_objects)};
}

inline ObjectChannel channel_of(const Message& message) {
  return channel_of(message, message.from);
}

}  // namespace faultline::message_logging
