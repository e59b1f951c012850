// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "sim/core/invariant.hpp"
#include "sim/core/types.hpp"

namespace faultline::termination {

/// A table of entries, each with its own `rank`, in the order of ranks. It is one sorted array
/// while it is small, and is cut into blocks when it grows: an insertion or removal moves the
/// entries of one block, not all. The memory of removed entries is used for new ones.
template <class Entry>
class EntriesByRank {
  struct Block {
    std::vector<Entry> entries;  ///< the first `size` in order of ranks, then removed ones
    std::size_t size = 0;

    [[nodiscard]] std::size_t place_of(Rank rank) const {
      const auto end = entries.begin() + static_cast<std::ptrdiff_t>(size);
      const auto before = [](const Entry& entry, Rank wanted) { return entry.rank < wanted; };
      return static_cast<std::size_t>(std::lower_bound(entries.begin(), end, rank, before) -
                                      entries.begin());
    }
    /// True if the entry of that rank is at the place that place_of() returned.
    [[nodiscard]] bool holds(Rank rank, std::size_t place) const {
      return place < size && entries[place].rank == rank;
    }
  };

  template <class Blocks, class Value>
  class Walk {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    Walk(Blocks* blocks, std::size_t block) : blocks_(blocks), block_(block) { skip_empty(); }
    reference operator*() const { return (*blocks_)[block_].entries[place_]; }
    pointer operator->() const { return &**this; }
    Walk& operator++() {
      if (++place_ == (*blocks_)[block_].size) {
        place_ = 0;
        ++block_;
        skip_empty();
      }
      return *this;
    }
    Walk operator++(int) {
      const Walk before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Walk& a, const Walk& b) {
      return a.block_ == b.block_ && a.place_ == b.place_;
    }

   private:
    void skip_empty() {
      while (block_ < blocks_->size() && (*blocks_)[block_].size == 0) ++block_;
    }

    Blocks* blocks_;
    std::size_t block_;
    std::size_t place_ = 0;
  };

 public:
  [[nodiscard]] auto begin() { return Walk<std::vector<Block>, Entry>(&blocks_, 0); }
  [[nodiscard]] auto end() { return Walk<std::vector<Block>, Entry>(&blocks_, blocks_.size()); }
  [[nodiscard]] auto begin() const {
    return Walk<const std::vector<Block>, const Entry>(&blocks_, 0);
  }
  [[nodiscard]] auto end() const {
    return Walk<const std::vector<Block>, const Entry>(&blocks_, blocks_.size());
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const Block& block : blocks_) sum += block.size;
    return sum;
  }
  [[nodiscard]] bool empty() const { return begin() == end(); }

  /// Returns the entry of that rank, null if there is none.
  [[nodiscard]] Entry* find(Rank rank) {
    if (blocks_.empty()) return nullptr;
    Block& block = block_of(rank);
    const std::size_t place = block.place_of(rank);
    return block.holds(rank, place) ? &block.entries[place] : nullptr;
  }

  /// Makes room for an entry that the table lacks and returns it. The caller must assign the entry,
  /// with that rank, before using the table again; until then it holds a removed entry, or a
  /// default one.
  Entry& insert(Rank rank) {
    if (blocks_.empty()) blocks_.emplace_back();
    Block& found = block_of(rank);
    Block& block = found.size == kMost ? split(found, rank) : found;
    const auto place = static_cast<std::ptrdiff_t>(block.place_of(rank));
    invariant(!block.holds(rank, static_cast<std::size_t>(place)),
              "the table already has the inserted entry");
    if (block.size == block.entries.size()) block.entries.emplace_back();
    const auto begin = block.entries.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(block.size);
    std::rotate(begin + place, end, end + 1);
    ++block.size;
    return block.entries[static_cast<std::size_t>(place)];
  }

  /// Removes the entry of that rank, which must be there.
  void erase(Rank rank) {
    invariant(!blocks_.empty(), "an entry is removed from an empty table");
    Block& block = block_of(rank);
    const auto place = static_cast<std::ptrdiff_t>(block.place_of(rank));
    invariant(block.holds(rank, static_cast<std::size_t>(place)),
              "the table lacks the entry to be removed");
    const auto begin = block.entries.begin();
    std::rotate(begin + place, begin + place + 1, begin + static_cast<std::ptrdiff_t>(block.size));
    --block.size;
    if (block.size == 0 && blocks_.size() > 1)
      blocks_.erase(blocks_.begin() + (&block - &blocks_[0]));
  }

  void clear() {
    if (blocks_.size() > 1) blocks_.resize(1);
    for (Block& block : blocks_) block.size = 0;
  }

 private:
  static constexpr std::size_t kMost = 64;  ///< in a block

  /// The last block that begins at or before that rank. Only a single block can be empty.
  Block& block_of(Rank rank) {
    if (blocks_.size() == 1) return blocks_.front();
    const auto after = std::upper_bound(
        blocks_.begin() + 1, blocks_.end(), rank,
        [](Rank wanted, const Block& block) { return wanted < block.entries.front().rank; });
    return *(after - 1);
  }

  /// Cuts a full block in two, and returns the half that the rank belongs in.
  Block& split(Block& block, Rank rank) {
    const auto half = block.entries.begin() + static_cast<std::ptrdiff_t>(block.size / 2);
    Block upper{{std::make_move_iterator(half), std::make_move_iterator(block.entries.end())},
                block.size - block.size / 2};
    block.entries.resize(block.size / 2);
    block.size = block.entries.size();
    const bool in_upper = upper.entries.front().rank < rank;
    const auto place = &block - &blocks_[0];
    const auto inserted = blocks_.insert(blocks_.begin() + place + 1, std::move(upper));
    return in_upper ? *inserted : *(inserted - 1);
  }

  std::vector<Block> blocks_;
};

}  // namespace faultline::termination
