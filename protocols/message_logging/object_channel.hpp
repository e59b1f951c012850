#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/component_memory.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/rank_ledger.hpp"
#include "sim/core/split_mix.hpp"

namespace faultline {

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
/// as one that has never been. A hash leads to a channel, and no result depends on it: channels lie
/// in the order in which they were first used.
template <class Channel, class Value>
class ChannelTable {
 public:
  /// The value of a channel, fresh at first. Valid until another channel is used.
  Value& operator[](const Channel& channel) {
    if (last_.at == nullptr || last_channel_ != channel) look_up(channel);
    return last_.at->value;
  }
  /// Fetches what a look at a channel will read that does not come in the usual order. First, with
  /// step 0, where its place stands, and some time after that, with step 1, its entry.
  void fetch_ahead(const Channel& channel, unsigned step) const {
    if (slots_.empty()) return;
    const std::uint32_t& slot = slots_[channel.hash() & (slots_.size() - 1)];
    if (step == 0) {
      __builtin_prefetch(&slot);
      entries_.prefetch_list();
    } else if (slot < entries_.size()) {
      __builtin_prefetch(&entries_[slot], 1);
    }
    asm volatile("");  // GCC drops calls of functions that only prefetch
  }
  /// Visits all values, also fresh ones, in the order of the first use: visit(channel, value).
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint32_t place = 0; place < entries_.size(); ++place)
      visit(entries_[place].channel, entries_[place].value);
  }
  /// All values are fresh again. Their memory stays, for the same channels.
  void reset() {
    for (std::uint32_t place = 0; place < entries_.size(); ++place) entries_[place].value = Value{};
  }
  void digest(Digest& into) const {
    std::vector<std::pair<Channel, Value>> used;
    for (std::uint32_t place = 0; place < entries_.size(); ++place) {
      const Entry& entry = entries_[place];
      if (!(entry.value == Value{})) used.emplace_back(entry.channel, entry.value);
    }
    into.add_sorted(used, &std::pair<Channel, Value>::first);
  }

 private:
  struct Content {
    Channel channel;
    [[no_unique_address]] Value value;
    std::uint16_t next = 0;  ///< its low bits: the place that was asked for after it; a guess
  };
  static_assert(sizeof(Content) <= kCacheLine);
  /// Lies in one cache line.
  struct alignas(std::bit_ceil(sizeof(Content))) Entry : Content {};

  /// Programs iterate: after a channel comes the one that came after it the last time. So only that
  /// entry must come from memory.
  void look_up(const Channel& channel) {
    if (guess_.at != nullptr && guess_.at->channel == channel) {
      last_.at = guess_.at;
      last_place_ = guess_place_;
    } else {
      find(channel);
    }
    last_channel_ = channel;
    guess_place_ = last_.at->next;
    guess_.at = guess_place_ < entries_.size() ? entries_.from(last_.at, last_place_, guess_place_)
                                               : nullptr;
    __builtin_prefetch(guess_.at, 1);
  }
  /// A channel that does not come in the usual order.
  void find(const Channel& channel) {
    const std::uint32_t place = place_of(channel);
    if (last_.at != nullptr) last_.at->next = static_cast<std::uint16_t>(place);
    if (place == entries_.size()) add(channel);
    last_.at = &entries_[place];
    last_place_ = place;
  }
  /// The slot of a channel, or the free one where it would be.
  [[nodiscard]] std::size_t slot_of(const Channel& channel) const {
    std::size_t slot = channel.hash() & (slots_.size() - 1);
    while (slots_[slot] != kFree && entries_[slots_[slot]].channel != channel)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  /// The place of a channel; behind all others if it is not there.
  [[nodiscard]] std::uint32_t place_of(const Channel& channel) const {
    const auto behind = static_cast<std::uint32_t>(entries_.size());
    if (slots_.empty()) return behind;
    const std::uint32_t place = slots_[slot_of(channel)];
    return place == kFree ? behind : place;
  }
  void add(const Channel& channel) {
    if (4 * (entries_.size() + 1) > 3 * slots_.size()) grow();
    slots_[slot_of(channel)] = static_cast<std::uint32_t>(entries_.size());
    entries_.add() = {{channel, Value{}}};
  }
  void grow() {
    constexpr std::size_t kFewest = 8;
    slots_.assign(std::max(kFewest, 2 * slots_.size()), kFree);
    for (std::uint32_t place = 0; place < entries_.size(); ++place)
      slots_[slot_of(entries_[place].channel)] = place;
  }

  static constexpr std::uint32_t kFree = UINT32_MAX;
  ComponentBlocks<Entry> entries_;
  OwnPlace<Entry> last_;   ///< that was asked for last
  OwnPlace<Entry> guess_;  ///< the one that comes next, if it comes as the last time
  std::uint32_t last_place_ = 0;
  std::uint32_t guess_place_ = 0;
  Channel last_channel_;                  ///< of `last_`, which has often left the cache
  ComponentVector<std::uint32_t> slots_;  ///< places, by hash; three of four are taken at most
};

}  // namespace faultline
