// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/message_logging/object_channel.hpp"
#include "sim/core/component_memory.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// The messages of one kind from one end to another.
struct KindChannel {
  ObjectChannel ends;
  std::uint32_t kind = 0;  ///< 0 if all kinds are counted together

  [[nodiscard]] std::uint64_t hash() const { return split_mix(ends.hash() ^ kind); }
  void digest(Digest& into) const { into.add(ends, kind); }
  friend auto operator<=>(const KindChannel&, const KindChannel&) = default;  // NOLINT(*-nullptr)
};

/// Which messages have come on each channel to a rank, by numbers that ascend in the order of
/// sending (dupTable in Algorithm 1). They come in any order. And how far its senders are: what
/// comes last from one that has gone back to an earlier state must come again.
class DuplicateTable {
 public:
  /// False if that number has come before.
  bool insert(const KindChannel& channel, std::uint64_t number, Incarnation sender);
  /// The same of a number that surely comes for the first time, from a first incarnation. It is
  /// noted, and entered with others later: then they do not wait for memory one after the other.
  void note(const KindChannel& channel, std::uint64_t number, ActorId sender) {
    if (!Noted::fits(channel, number)) return enter_first(channel, number, sender);
    if (noted_.size() == kMostNoted) enter_noted();
    noted_.add() = Noted(channel, number, sender);
  }
  /// Fetches what `note` will look at.
  void fetch_ahead() const { noted_.prefetch_next(); }
  /// That incarnation of the rank has begun: what earlier ones have sent will come again, up to the
  /// latest. True if there is anything.
  bool expect_again(Incarnation begun);
  /// How many channels still wait for a message that they have had. What is noted is none of these.
  [[nodiscard]] std::uint64_t behind() const { return behind_; }
  /// The receiver goes back to an earlier state.
  void forget(const Endpoint& to);
  void clear();
  void digest(Digest& into) const;

 private:
  /// The latest number of a channel, and which of those right before it have come.
  struct Window {
    std::uint64_t first = 0;   ///< the smallest that has come
    std::uint64_t latest = 0;  ///< 0: none
    std::uint64_t before = 0;  ///< bit i: latest - 1 - i has come
    // Who has sent the latest one, in parts, so that a window fits into the cache line of its
    // channel.
    ActorId sender = kNobody;
    std::uint16_t sender_number = 0;
    bool behind = false;  ///< the latest must come again

    void digest(Digest& into) const { into.add(first, latest, before); }
    friend bool operator==(const Window&, const Window&) = default;
  };
  /// A number between the first and those of the window that has not come. There are such only
  /// where many messages have overtaken it.
  struct Missing {
    KindChannel channel;
    std::uint64_t number = 0;

    void digest(Digest& into) const { into.add(channel, number); }
    friend auto operator<=>(const Missing&, const Missing&) = default;  // NOLINT(*-nullptr)
  };

  /// A number that has come, and has not been entered, if it and its channel fit in here.
  class Noted {
   public:
    static bool fits(const KindChannel& channel, std::uint64_t number) {
      return number <= kMostNumber && channel.kind <= kMostKind;
    }
    Noted() = default;
    Noted(const KindChannel& channel, std::uint64_t number, ActorId sender)
        : from_(name_of(channel.ends.from)),
          to_(name_of(channel.ends.to)),
          sender_(sender),
          number_kind_(static_cast<std::uint32_t>(number) | channel.kind << kNumberBits |
                       (is_object(channel.ends.from) ? kFromObject : 0) |
                       (is_object(channel.ends.to) ? kToObject : 0)) {}
    [[nodiscard]] KindChannel channel() const {
      return {{end(from_, kFromObject), end(to_, kToObject)},
              number_kind_ >> kNumberBits & kMostKind};
    }
    [[nodiscard]] std::uint64_t number() const { return number_kind_ & kMostNumber; }
    [[nodiscard]] ActorId sender() const { return sender_; }

   private:
    static constexpr unsigned kNumberBits = 24;
    static constexpr unsigned kKindBits = 6;
    static constexpr std::uint64_t kMostNumber = (1U << kNumberBits) - 1;
    static constexpr std::uint32_t kMostKind = (1U << kKindBits) - 1;

    static constexpr std::uint32_t kFromObject = 1U << (kNumberBits + kKindBits);
    static constexpr std::uint32_t kToObject = kFromObject << 1U;

    static bool is_object(const Endpoint& end) { return end.rank == kNobody; }
    static std::uint32_t name_of(const Endpoint& end) {
      return is_object(end) ? end.object : end.rank;
    }
    [[nodiscard]] Endpoint end(std::uint32_t name, std::uint32_t bit) const {
      return (number_kind_ & bit) != 0 ? Endpoint{.object = name} : Endpoint{.rank = name};
    }

    std::uint32_t from_ = 0;  ///< an object, or a rank
    std::uint32_t to_ = 0;
    ActorId sender_ = kNobody;
    std::uint32_t number_kind_ = 0;  ///< both, and which ends are objects
  };
  static_assert(sizeof(Noted) == 16);
  /// So many that a run of some iterations, or a checkpoint after some, needs no table, and that
  /// else most channels of a rank are among them often. They take no more than the senders' logs.
  static constexpr std::size_t kMostNoted = 4096;
  static constexpr std::size_t kFetchedTogether = 256;  ///< whose windows stay in the cache

  void enter_noted();
  /// By value: for a reference, `note` would write every channel into memory first.
  void enter_first(KindChannel channel, std::uint64_t number, ActorId sender);
  bool enter(const KindChannel& channel, std::uint64_t number, Incarnation sender);
  bool is_new(const KindChannel& channel, Window& window, std::uint64_t number);
  void advance(const KindChannel& channel, Window& window, std::uint64_t number);
  void add_missing(const KindChannel& channel, std::uint64_t number);

  ComponentBlocks<Noted> noted_;
  ChannelTable<KindChannel, Window> windows_;
  std::vector<Missing> missing_;  ///< in order
  std::uint64_t behind_ = 0;
};

}  // namespace faultline
