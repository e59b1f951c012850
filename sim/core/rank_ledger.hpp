// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/flat_map.hpp>
#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// One end of a channel: an object of an over-decomposed program, wherever it is, or else a rank.
struct Endpoint {
  Rank rank = kNobody;  ///< kNobody: the object
  ObjectId object = kNoObject;

  /// One end of a message between ranks, or of one between objects.
  static Endpoint of(Rank rank, ObjectId object, bool has_objects) {
    if (has_objects && object != kNoObject) return {.object = object};
    return {.rank = rank};
  }
  [[nodiscard]] std::string in_words() const {
    return rank != kNobody ? std::to_string(rank) : "object " + std::to_string(object);
  }
  void digest(Digest& into) const { into.add(rank, object); }
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;  // NOLINT(*-nullptr)
};

/// Messages of one channel, at one of its ends. The sum of what they say tells two sets of messages
/// apart in whatever order they came: two different sets have the same sum with a probability of
/// 2^-64.
struct ChannelTotals {
  std::uint64_t messages = 0;
  std::uint64_t content = 0;

  void add(const Message& message) {
    Digest said;
    said.add(message.kind, message.bytes, message.phase, message.from_object, message.to_object);
    said.add(message.payload);
    message.attachments.digest_of(Family::workload, said);
    ++messages;
    content += said.value().low;
  }
  void digest(Digest& into) const { into.add(messages, content); }
  friend bool operator==(const ChannelTotals&, const ChannelTotals&) = default;
};

/// Channels of an endpoint, by their other ends. Every message of a program looks for its own one,
/// so they lie in one block of memory.
using ChannelsByEnd = boost::container::flat_map<Endpoint, ChannelTotals>;

/// What an endpoint has sent and consumed in the history that it stands on. Comparing and
/// allocating its channels throws nothing when it is moved, which clang-tidy does not see through
/// Boost.
struct EndpointLedger {  // NOLINT(bugprone-exception-escape)
  ChannelsByEnd sent;
  ChannelsByEnd consumed;

  void digest(Digest& into) const { into.add(sent, consumed); }
};

/// The ledgers of all endpoints of a rank.
using RankLedger = std::map<Endpoint, EndpointLedger>;

}  // namespace faultline
