// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/stack.hpp"
#include "sim/core/types.hpp"

namespace faultline::engine {

/// An on_sent that is to come.
struct SentPromise {
  ActorId from;  ///< kNobody once nobody waits for it any more
  ActorId to;
  std::uint16_t kind;
  std::uint16_t incarnation;
  Family channel;

  void digest(Digest& into) const { into.add(from, to, kind, channel); }
};

/// All of them. The event of one names it by its number, which another one gets afterwards.
class SentPromises {
 public:
  /// Returns its number.
  std::uint32_t add(const SentPromise& promise) {
    if (free_.empty()) {
      list_.push_back(promise);
      return static_cast<std::uint32_t>(list_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    list_[number] = promise;
    return number;
  }
  /// It comes now.
  SentPromise take(std::uint32_t number) {
    free_.push_back(number);
    return list_[number];
  }
  [[nodiscard]] const SentPromise& operator[](std::uint32_t number) const { return list_[number]; }
  /// No component above that layer of the sender waits for any of them.
  void forget_above(Incarnation sender, Family layer) {
    for (SentPromise& promise : list_)
      if (Incarnation{promise.from, promise.incarnation} == sender &&
          index_of(promise.channel) < index_of(layer))
        promise.from = kNobody;
  }
  /// How many are to come.
  [[nodiscard]] std::size_t size() const { return list_.size() - free_.size(); }

 private:
  std::vector<SentPromise> list_;
  std::vector<std::uint32_t> free_;
};

}  // namespace faultline::engine
