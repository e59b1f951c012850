// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "protocols/message_logging/channel_table.hpp"
#include "protocols/message_logging/object_channel.hpp"
#include "protocols/message_logging/seen_numbers.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::message_logging {

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
  /// That incarnation of the rank has begun: what earlier ones have sent will come again, up to the
  /// latest. True if there is anything.
  bool expect_again(Incarnation begun);
  /// How many channels still wait for a message that they have had.
  [[nodiscard]] std::uint64_t behind() const { return behind_; }
  /// The receiver goes back to an earlier state.
  void forget(const Endpoint& to);
  void clear();
  void digest(Digest& into) const { into.add(come_); }

 private:
  /// What has come on a channel.
  struct Come {
    SeenNumbers numbers;
    Incarnation sender = {};  ///< of the latest one
    bool behind = false;      ///< the latest must come again

    void digest(Digest& into) const { into.add(numbers); }
    friend bool operator==(const Come&, const Come&) = default;
  };

  ChannelTable<KindChannel, Come> come_;
  std::uint64_t behind_ = 0;
};

}  // namespace faultline::message_logging
