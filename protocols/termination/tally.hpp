// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/termination/entries_by_rank.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::termination {

/// What one process under Venkatesan's detector has counted on each channel since its last signal.
class Tally {
 public:
  enum class Entry : std::uint8_t { sent, received, flushed };
  struct Word {
    Entry entry;
    Rank peer;
    std::uint32_t count;
  };

  void add(Entry entry, Rank peer);
  [[nodiscard]] bool empty() const;
  void clear();
  /// The words of a signal: one for each count, sorted by entry and peer.
  [[nodiscard]] std::vector<std::uint64_t> words() const;
  [[nodiscard]] static Word word(std::uint64_t packed);
  void digest(Digest& into) const { into.add(counts_); }

 private:
  struct Count {
    Rank rank = kNobody;
    std::uint32_t count = 0;

    void digest(Digest& into) const { into.add(rank, count); }
  };

  EntriesByRank<Count> counts_[3];  ///< by entry
};

}  // namespace faultline::termination
