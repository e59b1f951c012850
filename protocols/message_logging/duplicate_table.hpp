// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/message_logging/object_channel.hpp"
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
  /// noted, and entered with others when somebody asks: mostly nobody does before `clear`.
  void note(const KindChannel& channel, std::uint64_t number, ActorId sender) {
    if (noted_.size() == kMostNoted) enter_noted();
    noted_.push_back({channel, number, sender});
  }
  /// That incarnation of the rank has begun: what earlier ones have sent will come again, up to the
  /// latest. True if there is anything.
  bool expect_again(Incarnation begun);
  /// How many channels still wait for a message that they have had.
  /// What is noted is none of these.
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
    Incarnation sender = {};   ///< of the latest one
    bool behind = false;       ///< the latest must come again

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

  /// A number that has come, and has not been entered.
  struct Noted {
    KindChannel channel;
    std::uint64_t number = 0;
    ActorId sender = kNobody;
  };
  /// So many that a run of some iterations, or a checkpoint after some, needs no table.
  static constexpr std::size_t kMostNoted = 4096;

  void enter_noted();
  bool enter(const KindChannel& channel, std::uint64_t number, Incarnation sender);
  bool is_new(const KindChannel& channel, Window& window, std::uint64_t number);
  void advance(const KindChannel& channel, Window& window, std::uint64_t number);
  void add_missing(const KindChannel& channel, std::uint64_t number);

  std::vector<Noted> noted_;
  ChannelTable<KindChannel, Window> windows_;
  std::vector<Missing> missing_;  ///< in order
  std::uint64_t behind_ = 0;
};

}  // namespace faultline
