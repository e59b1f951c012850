// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/component_memory.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/prefetch.hpp"
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
  /// The next look will be at that channel. If another sender has used the last one, what came
  /// after that before is no guess. Then fetches where the place of the channel stands.
  void expect(const Channel& channel) {
    if (last_.at != nullptr && last_channel_.from == channel.from) return;
    last_.at = guess_.at = nullptr;
    if (!slots_.empty()) __builtin_prefetch(&slots_[channel.hash() & mask()]);
  }
  /// Fetches what a look at a channel will read that does not come in the usual order: where its
  /// place stands, and its entry.
  void fetch_ahead(const Channel& channel, Ahead what) const {
    if (slots_.empty() || what == Ahead::state) return;
    const std::uint64_t hash = channel.hash();
    if (what == Ahead::index) {
      prefetch(&slots_[hash & mask()], 1);
      entries_.prefetch_list();
      return;
    }
    const auto any = [](std::uint32_t) { return true; };
    const std::uint32_t slot = slots_[slot_of(hash, any)];
    if (slot != kFree) prefetch(&entries_[slot & mask()], 1);
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
    /// The low bits of 1 and the place that was asked for after it, or 0. A guess.
    std::uint16_t next = 0;
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
      if (wrong_guesses_ > 0) --wrong_guesses_;
    } else {
      find(channel);
    }
    last_channel_ = channel;
    guess();
  }
  /// A channel that does not come in the usual order.
  void find(const Channel& channel) {
    const std::uint32_t place = place_of(channel);
    if (guess_.at != nullptr || !guesses()) ++wrong_guesses_;
    if (guesses() && last_.at != nullptr) last_.at->next = static_cast<std::uint16_t>(place + 1);
    if (place == entries_.size()) add(channel);
    last_.at = &entries_[place];
    last_place_ = place;
  }
  /// Where messages come in another order each time, a guess only costs two looks at entries that
  /// are not wanted. After some wrong ones there are none for a while.
  [[nodiscard]] bool guesses() const { return wrong_guesses_ < kMostWrong; }
  void guess() {
    guess_.at = nullptr;
    if (!guesses() || last_.at->next == 0) return;
    guess_place_ = last_.at->next - 1U;
    if (guess_place_ >= entries_.size()) return;
    guess_.at = entries_.from(last_.at, last_place_, guess_place_);
    __builtin_prefetch(guess_.at, 1);
  }
  /// The low bits of a slot are a place, the others those of the hash of its channel. So mostly
  /// only one entry is read, that which is wanted.
  [[nodiscard]] std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size()) - 1; }
  /// The slot with that hash and a place that `is_wanted`, or the free one where it would be.
  template <class IsWanted>
  [[nodiscard]] std::size_t slot_of(std::uint64_t hash, IsWanted is_wanted) const {
    const auto agrees = [this, low = static_cast<std::uint32_t>(hash)](std::uint32_t slot) {
      return ((slot ^ low) & ~mask()) == 0;
    };
    std::size_t at = hash & mask();
    while (slots_[at] != kFree && !(agrees(slots_[at]) && is_wanted(slots_[at] & mask())))
      at = (at + 1) & mask();
    return at;
  }
  /// The place of a channel; behind all others if it is not there.
  [[nodiscard]] std::uint32_t place_of(const Channel& channel) const {
    const auto behind = static_cast<std::uint32_t>(entries_.size());
    if (slots_.empty()) return behind;
    const auto is_its = [&](std::uint32_t place) { return entries_[place].channel == channel; };
    const std::uint32_t slot = slots_[slot_of(channel.hash(), is_its)];
    return slot == kFree ? behind : slot & mask();
  }
  void add(const Channel& channel) {
    if (4 * (entries_.size() + 1) > 3 * slots_.size()) grow();
    put_in_slot(channel, static_cast<std::uint32_t>(entries_.size()));
    entries_.add() = {{channel, Value{}}};
  }
  void grow() {
    constexpr std::size_t kFewest = 8;
    slots_.assign(std::max(kFewest, 2 * slots_.size()), kFree);
    for (std::uint32_t place = 0; place < entries_.size(); ++place)
      put_in_slot(entries_[place].channel, place);
  }
  /// Of a channel that is in none.
  void put_in_slot(const Channel& channel, std::uint32_t place) {
    const std::uint64_t hash = channel.hash();
    const auto none = [](std::uint32_t) { return false; };
    slots_[slot_of(hash, none)] = (static_cast<std::uint32_t>(hash) & ~mask()) | place;
  }

  static constexpr std::uint32_t kFree = UINT32_MAX;  ///< no place is as large as its low bits
  static constexpr std::uint8_t kMostWrong = 16;      ///< of 256
  ComponentBlocks<Entry> entries_;
  OwnPlace<Entry> last_;            ///< that was asked for last
  OwnPlace<Entry> guess_;           ///< the one that comes next, if it comes as the last time
  std::uint8_t wrong_guesses_ = 0;  ///< less the right ones; goes on round from 255 to 0
  std::uint32_t last_place_ = 0;
  std::uint32_t guess_place_ = 0;
  Channel last_channel_;                  ///< of `last_`, which has often left the cache
  ComponentVector<std::uint32_t> slots_;  ///< by hash; three of four are taken at most
};

}  // namespace faultline
