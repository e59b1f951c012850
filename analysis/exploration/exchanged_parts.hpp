// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/exploration/part_table.hpp"
#include "analysis/exploration/rank_exchange.hpp"

namespace faultline::exploration {

/// Finds out what parts of states become when ranks change places. Nothing else knows that: the
/// search takes each new step both in the state and in what the state becomes under each exchange,
/// and notes which parts are at the same places afterwards. If a part becomes two different ones,
/// or two become one, the ranks are not alike.
///
/// Threads can share it, as they share a PartTable: a thread can look up what it has noted, or has
/// got from a thread that has.
class ExchangedParts {
 public:
  ExchangedParts(const PartTable& parts, std::vector<RankExchange> exchanges);

  /// The number of exchanges.
  [[nodiscard]] std::size_t size() const { return exchanges_.size(); }
  [[nodiscard]] const RankExchange& operator[](std::size_t exchange) const {
    return exchanges_[exchange];
  }

  /// Notes that a state becomes `other` under an exchange. False if it cannot: one of them has a
  /// part to which nothing in the other corresponds, or which was noted to become something else.
  [[nodiscard]] bool note(std::size_t exchange, const PartNumbers& state, const PartNumbers& other);
  /// Notes that these states, all that a state becomes by exchange, become each other. False if
  /// they cannot.
  [[nodiscard]] bool note_all(const std::vector<PartNumbers>& others);
  /// What a part becomes; kNoPart if unknown.
  [[nodiscard]] PartNumber exchanged(std::size_t exchange, PartNumber part) const;
  /// What a state becomes, with the scheduled parts in the same order. Nothing if unknown.
  [[nodiscard]] std::optional<PartNumbers> exchanged(std::size_t exchange,
                                                     const PartNumbers& state) const;
  /// The least of the digests of a state and of what it becomes under each exchange: the same for
  /// all of these. Nothing if one of them is unknown. `earlier` is overwritten.
  [[nodiscard]] std::optional<StateDigest> least_digest(const PartNumbers& state,
                                                        std::vector<std::uint64_t>& earlier) const;
  [[nodiscard]] std::size_t bytes() const;

  static constexpr PartNumber kNoPart = 0xffffffff;

 private:
  static constexpr std::size_t kChunk = 4096;
  using Chunk = std::array<PartNumber, kChunk>;
  using Chunks = std::vector<std::unique_ptr<Chunk>>;

  [[nodiscard]] bool fits(std::size_t exchange, PartNumber part, PartNumber other) const;
  [[nodiscard]] bool pair(std::size_t exchange, PartNumber part, PartNumber other);
  void set(std::size_t exchange, PartNumber part, PartNumber other);

  const PartTable& parts_;
  std::vector<RankExchange> exchanges_;
  std::vector<std::size_t> inverses_;  ///< for each exchange, the place of its inverse
  std::mutex mutex_;
  std::vector<Chunks> exchanged_;  ///< for each exchange, by number
};

}  // namespace faultline::exploration
