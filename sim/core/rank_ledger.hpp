#pragma once

#include <cstdint>
#include <map>

#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"

namespace faultline {

/// Who sends and receives on a channel: an object of an over-decomposed program, or else a rank.
using Endpoint = std::uint32_t;

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

/// What an endpoint has sent and consumed in the history that it stands on, by the other end.
struct EndpointLedger {
  std::map<Endpoint, ChannelTotals> sent;
  std::map<Endpoint, ChannelTotals> consumed;

  void digest(Digest& into) const { into.add(sent, consumed); }
};

/// The ledgers of all endpoints of a rank.
using RankLedger = std::map<Endpoint, EndpointLedger>;

}  // namespace faultline
