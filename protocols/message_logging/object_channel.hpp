#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/rank_ledger.hpp"

namespace faultline {

/// The messages from one object to another. An end without an object is its rank.
struct ObjectChannel {
  Endpoint from;
  Endpoint to;

  void digest(Digest& into) const { into.add(from, to); }
  friend auto operator<=>(const ObjectChannel&,
                          const ObjectChannel&) = default;  // NOLINT(*-nullptr)
};

/// The channel of a message that a rank has sent, whoever has passed it on. Programs without
/// objects leave both ends of a message 0, where no two objects could be.
inline ObjectChannel channel_of(const Message& message, Rank sender) {
  const bool has_objects = message.from_object != 0 || message.to_object != 0;
  return {Endpoint::of(sender, message.from_object, has_objects),
          Endpoint::of(message.to, message.to_object, has_objects)};
}

inline ObjectChannel channel_of(const Message& message) {
  return channel_of(message, message.from);
}

/// A value for each channel that has been used. A channel that has not been used since `reset` is
/// as one that has never been.
template <class Channel, class Value>
class ChannelTable {
 public:
  /// The value of a channel, fresh at first. Valid until another channel is used.
  Value& operator[](const Channel& channel) {
    if (is_at(last_, channel)) return entries_[last_].value;
    // Programs iterate: after a channel comes the one that came after it the last time.
    std::uint32_t* before = last_ < entries_.size() ? &entries_[last_].next : nullptr;
    last_ = before != nullptr && is_at(*before, channel) ? *before : place_of(channel);
    if (before != nullptr && is_at(last_, channel)) *before = last_;
    if (!is_at(last_, channel))
      entries_.insert(entries_.begin() + last_, {channel, Value{}, last_});
    return entries_[last_].value;
  }
  /// Visits all values, also fresh ones, by ascending channel: visit(channel, value).
  template <class Visit>
  void for_each(Visit visit) {
    for (Entry& entry : entries_) visit(entry.channel, entry.value);
  }
  /// All values are fresh again. Their memory stays, for the same channels.
  void reset() {
    for (Entry& entry : entries_) entry.value = Value{};
  }
  void digest(Digest& into) const {
    std::uint64_t used = 0;
    for (const Entry& entry : entries_) {
      if (entry.value == Value{}) continue;
      into.add(entry.channel, entry.value);
      ++used;
    }
    into.add(used);
  }

 private:
  struct Entry {
    Channel channel;
    Value value;
    std::uint32_t next = 0;  ///< the place that was asked for after this one; a guess
  };

  [[nodiscard]] bool is_at(std::uint32_t place, const Channel& channel) const {
    return place < entries_.size() && entries_[place].channel == channel;
  }
  [[nodiscard]] std::uint32_t place_of(const Channel& channel) const {
    const auto place = std::lower_bound(
        entries_.begin(), entries_.end(), channel,
        [](const Entry& entry, const Channel& wanted) { return entry.channel < wanted; });
    return static_cast<std::uint32_t>(place - entries_.begin());
  }

  std::vector<Entry> entries_;  ///< by channel
  std::uint32_t last_ = 0;      ///< the place that was asked for last
};

}  // namespace faultline
