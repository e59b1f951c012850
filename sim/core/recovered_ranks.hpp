#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

/// How a program gets a communicator without holes after it has lost processes (Hassani et al.,
/// 2015, section 3.3).
enum class WorldRecovery : std::uint8_t {
  rebuild,  ///< new processes take the ranks of the lost ones: nobody moves
  merge,    ///< those above a lost one move down, the new processes become the last ranks
  shrink,   ///< those above a lost one move down, and nobody is replaced
};

/// The ranks before and after a recovery. Memory grows with the number of lost ranks.
class RecoveredRanks {
 public:
  /// `lost` are ranks of a world of `size` ranks, ascending.
  RecoveredRanks(WorldRecovery recovery, std::uint32_t size, std::vector<Rank> lost)
      : recovery_(recovery), before_(size), lost_(std::move(lost)) {}

  [[nodiscard]] std::uint32_t size() const {
    return recovery_ == WorldRecovery::shrink ? survivors() : before_;
  }
  /// The new rank of one that had this rank; kNobody if it is lost.
  [[nodiscard]] Rank after(Rank before) const {
    const auto place = std::lower_bound(lost_.begin(), lost_.end(), before);
    if (place != lost_.end() && *place == before) return kNobody;
    return keeps_ranks() ? before : before - static_cast<Rank>(place - lost_.begin());
  }
  /// The rank that one had who has this rank now; kNobody if it is new.
  [[nodiscard]] Rank before(Rank after) const {
    if (keeps_ranks())
      return std::binary_search(lost_.begin(), lost_.end(), after) ? kNobody : after;
    if (after >= survivors()) return kNobody;
    Rank rank = after;
    for (const Rank lost : lost_)
      if (lost <= rank) ++rank;
    return rank;
  }
  /// The rank of the process that replaces lost[i]; kNobody if nobody does.
  [[nodiscard]] Rank replacement(std::uint32_t i) const {
    if (recovery_ == WorldRecovery::shrink) return kNobody;
    return keeps_ranks() ? lost_[i] : survivors() + i;
  }
  /// The survivors whose rank has changed: all above the first lost one, or none.
  [[nodiscard]] std::uint32_t moved() const {
    return keeps_ranks() || lost_.empty() ? 0 : survivors() - lost_.front();
  }

 private:
  [[nodiscard]] bool keeps_ranks() const { return recovery_ == WorldRecovery::rebuild; }
  [[nodiscard]] std::uint32_t survivors() const {
    return before_ - static_cast<std::uint32_t>(lost_.size());
  }

  WorldRecovery recovery_;
  std::uint32_t before_;
  std::vector<Rank> lost_;
};

}  // namespace faultline
