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

namespace faultline {

/// What parts of states become when ranks change places. Nobody says so: a search takes each step
/// that it has not met before in the state and in what the state becomes under each exchange, and
/// notes which parts stand at the same places afterwards. If a part becomes two different ones, or
/// two become one, the ranks are not alike.
///
/// Threads can share it, as they do a PartTable: what a thread has noted, or has got from a thread
/// that has, it can look up.
class ExchangedParts {
 public:
  ExchangedParts(const PartTable& parts, std::vector<RankExchange> exchanges);

  /// How many exchanges there are.
  [[nodiscard]] std::size_t size() const { return exchanges_.size(); }
  [[nodiscard]] const RankExchange& operator[](std::size_t exchange) const {
    return exchanges_[exchange];
  }

  /// Notes that a state becomes `other` under an exchange. False if it cannot: one of them has a
  /// part that the other has nothing for, or that has been noted to become something else.
  [[nodiscard]] bool note(std::size_t exchange, const PartNumbers& state, const PartNumbers& other);
  /// The same of all that a state becomes, by exchange, among each other.
  [[nodiscard]] bool note_all(const std::vector<PartNumbers>& others);
  /// What a part becomes; kNoPart if that is not known.
  [[nodiscard]] PartNumber exchanged(std::size_t exchange, PartNumber part) const;
  /// What a state becomes, with what is scheduled in the same order. Nothing, if that is not known.
  [[nodiscard]] std::optional<PartNumbers> exchanged(std::size_t exchange,
                                                     const PartNumbers& state) const;
  /// The least of the digests of a state and of what it becomes under each exchange: the same for
  /// all of these. Nothing, if one of them is not known. `earlier` is overwritten.
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
  std::vector<std::size_t> inverses_;  ///< of each exchange, its place among them
  std::mutex mutex_;
  std::vector<Chunks> exchanged_;  ///< for each exchange, by number
};

}  // namespace faultline
