// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"

namespace faultline::lemmas {

/// What no message of a run under an adoption protocol shows: which parent each rank had, whether
/// it waited for others, and to which ranks it was about to send. Each rank's history ends with its
/// death. The FactLog has what ranks were told.
struct EngagementHistory {
  /// The state of a rank from some time on.
  struct Moment {
    double time_s = 0.0;
    Rank parent = kNobody;
    Rank lost_parent = kNobody;  ///< the parent before, if this one adopted the rank
    bool interior = false;       ///< whether it waits for others
    bool was_interior = false;   ///< whether it has waited since it got this parent

    [[nodiscard]] bool same_as(const Moment& other) const {
      return parent == other.parent && lost_parent == other.lost_parent &&
             interior == other.interior && was_interior == other.was_interior;
    }
  };

  explicit EngagementHistory(std::uint32_t processes) : moments(processes), last_s(processes) {}

  std::vector<std::vector<Moment>> moments;  ///< of each rank, in order
  std::vector<double> last_s;                ///< when each rank's last handler ran
  /// Sender and receiver of each application message that the detector got to send. The FactLog
  /// does not show it as sent if the sender died before the message left.
  std::set<std::pair<Rank, Rank>> about_to_send;
};

/// Returns a component that passes everything on to `detector` and records the history in
/// `history`.
std::unique_ptr<Component> watched(std::unique_ptr<Component> detector, Rank self,
                                   std::shared_ptr<EngagementHistory> history);

}  // namespace faultline::lemmas
