// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/failure_detection/member_circle.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::failure_detection {

/// Whom a member that has been started again tells that it lives: its neighbours in the graph over
/// which reports spread. If nobody has asked it for heartbeats a period later, it tells them again,
/// and one other member more, since all neighbours may be dead. That goes round the circle.
class Announcements {
 public:
  /// Calls `tell` with each member that is to be told now. `distances` are those of the neighbours.
  template <class Tell>
  void next(const MemberCircle& circle, ActorId self, const std::vector<std::uint32_t>& distances,
            const Tell& tell) {
    for (const std::uint32_t distance : distances) tell(circle.after(self, distance));
    if (again_ > 0) tell(circle.after(self, again_));
    again_ = again_ + 1 < circle.members ? again_ + 1 : 1;
  }
  /// It has told others before.
  [[nodiscard]] bool have_begun() const { return again_ > 0; }
  void digest(Digest& into) const { into.add(again_); }

 private:
  std::uint32_t again_ = 0;  ///< 0: it has told nobody yet; else the distance of the next one more
};

}  // namespace faultline::failure_detection
