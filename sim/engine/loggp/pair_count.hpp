// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory_resource>
#include <unordered_map>

#include "sim/core/types.hpp"

namespace faultline::engine {

/// Counts things between a sender and a receiver. Takes room only for pairs that have some.
class PairCount {
 public:
  explicit PairCount(std::pmr::memory_resource* memory) : counts_(memory) {}
  void add(ActorId from, ActorId to) { ++counts_[key(from, to)]; }
  /// There is one.
  void remove(ActorId from, ActorId to) {
    const auto found = counts_.find(key(from, to));
    if (--found->second == 0) counts_.erase(found);
  }
  [[nodiscard]] bool holds(ActorId from, ActorId to) const {
    return !counts_.empty() && counts_.find(key(from, to)) != counts_.end();
  }

 private:
  static std::uint64_t key(ActorId from, ActorId to) { return std::uint64_t{from} << 32 | to; }
  std::pmr::unordered_map<std::uint64_t, std::uint32_t> counts_;  ///< never iterated over
};

}  // namespace faultline::engine
