// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/tally.hpp"

#include <algorithm>
#include <iterator>

#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

constexpr unsigned kPeerBits = 30;
constexpr unsigned kCountBits = 32;

}  // namespace

void Tally::add(Entry entry, Rank peer) {
  EntriesByRank<Count>& counts = counts_[static_cast<std::size_t>(entry)];
  if (Count* known = counts.find(peer))
    ++known->count;
  else
    counts.insert(peer) = {.rank = peer, .count = 1};
}

bool Tally::empty() const {
  return std::all_of(std::begin(counts_), std::end(counts_),
                     [](const EntriesByRank<Count>& counts) { return counts.empty(); });
}

void Tally::clear() {
  for (EntriesByRank<Count>& counts : counts_) counts.clear();
}

std::vector<std::uint64_t> Tally::words() const {
  std::vector<std::uint64_t> words;
  for (std::uint64_t entry = 0; entry < std::size(counts_); ++entry)
    for (const Count& count : counts_[entry]) {
      invariant(count.rank >> kPeerBits == 0, "a rank does not fit into the words of a signal");
      words.push_back((entry << (kPeerBits + kCountBits)) |
                      (std::uint64_t{count.rank} << kCountBits) | count.count);
    }
  return words;
}

Tally::Word Tally::word(std::uint64_t packed) {
  constexpr std::uint64_t kPeers = (std::uint64_t{1} << kPeerBits) - 1;
  return {static_cast<Entry>(packed >> (kPeerBits + kCountBits)),
          static_cast<Rank>((packed >> kCountBits) & kPeers), static_cast<std::uint32_t>(packed)};
}

}  // namespace faultline::termination
