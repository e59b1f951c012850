// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/sorted_list.hpp"
#include "sim/core/split_mix.hpp"
#include "sim/core/types.hpp"

namespace faultline::failure_detection {

/// A report that an incarnation is dead, or the news that it lives, by the kind of its message.
/// `to` is its receiver; other daemons relay it.
struct DeathReport {
  Incarnation dead;
  ActorId to = kNobody;
};

/// Reported_i of rdaemon-2019: the deaths that a member has reported or has heard of.
class ReportedDeaths {
 public:
  [[nodiscard]] bool contains(Incarnation dead) const {
    return std::binary_search(deaths_.begin(), deaths_.end(), dead);
  }
  /// Returns true if the death is new.
  bool insert(Incarnation dead) {
    // Each neighbour in the graph tells of a death, so most reports repeat the one before.
    if (dead == latest_ || !insert_sorted(deaths_, dead)) return false;
    latest_ = dead;
    summary_ ^= split_mix((std::uint64_t{dead.number} << 32U) | dead.actor);
    return true;
  }
  /// A number that differs for different sets, except with a probability of 1 in 2^64.
  [[nodiscard]] std::uint64_t summary() const { return summary_; }
  [[nodiscard]] const std::vector<Incarnation>& all() const { return deaths_; }
  void digest(Digest& into) const { into.add(deaths_); }

 private:
  std::vector<Incarnation> deaths_;  ///< sorted
  Incarnation latest_{kNobody, 0};
  std::uint64_t summary_ = 0;
};

/// Finds out that reports have been lost. Two members report deaths at different times, so their
/// summaries may differ for a while. If neither has reported anything from one heartbeat to the
/// next, and they still differ, then one of them will never hear something that the other knows.
class SummaryComparison {
 public:
  /// A heartbeat of the emitter has brought a summary. True if reports have been lost.
  bool found_loss(std::uint64_t theirs, std::uint64_t mine) {
    const bool same_as_before = differed_ && theirs == theirs_ && mine == mine_;
    differed_ = theirs != mine && !same_as_before;
    theirs_ = differed_ ? theirs : 0;
    mine_ = differed_ ? mine : 0;
    return same_as_before;
  }
  void digest(Digest& into) const { into.add(differed_, theirs_, mine_); }

 private:
  bool differed_ = false;  ///< the summaries differed at the last heartbeat
  std::uint64_t theirs_ = 0;
  std::uint64_t mine_ = 0;
};

/// The key of the timer after which a member acts on a report. It encodes the death, so that
/// nothing else needs to remember what to do.
class ReportTimer {
 public:
  static constexpr std::uint64_t kFirst = 16;  ///< smaller keys are free for other timers
  [[nodiscard]] static std::uint64_t key(Incarnation dead) {
    return kFirst + ((std::uint64_t{dead.number} << kNumberShift) | dead.actor);
  }
  [[nodiscard]] static Incarnation death(std::uint64_t key) {
    const std::uint64_t packed = key - kFirst;
    return {static_cast<ActorId>(packed), static_cast<std::uint16_t>(packed >> kNumberShift)};
  }

 private:
  static constexpr unsigned kNumberShift = 32;
};

}  // namespace faultline::failure_detection
