#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"

namespace faultline {

/// The history of one run under an adoption protocol that no message shows: whom each rank had for
/// a parent, whether it waited for others, and to whom it was about to send. Each rank's part ends
/// with its death. What ranks were told is in the FactLog.
struct EngagementHistory {
  /// What a rank was from some time on.
  struct Moment {
    double time_s = 0.0;
    Rank parent = kNobody;
    Rank lost_parent = kNobody;  ///< the one in whose place the parent has adopted it, if it has
    bool interior = false;       ///< does it wait for others?
    bool was_interior = false;   ///< has it waited since it has this parent?

    [[nodiscard]] bool same_as(const Moment& other) const {
      return parent == other.parent && lost_parent == other.lost_parent &&
             interior == other.interior && was_interior == other.was_interior;
    }
  };

  explicit EngagementHistory(std::uint32_t processes) : moments(processes), last_s(processes) {}

  std::vector<std::vector<Moment>> moments;  ///< of each rank, in order
  std::vector<double> last_s;                ///< when a handler of each rank ran for the last time
  /// Sender and receiver of application messages that were handed to the detector. The sender may
  /// have died before they left it, so that the FactLog does not show them as sent.
  std::set<std::pair<Rank, Rank>> about_to_send;
};

/// Passes everything on to a detector, and notes in `history` what becomes of it.
std::unique_ptr<Component> watched(std::unique_ptr<Component> detector, Rank self,
                                   std::shared_ptr<EngagementHistory> history);

}  // namespace faultline
