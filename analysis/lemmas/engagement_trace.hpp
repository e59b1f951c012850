#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"

namespace faultline {

/// What is seen from outside of the ranks of one run under an adoption protocol. Each rank's part
/// ends with its death.
struct EngagementTrace {
  /// What a rank was from some time on.
  struct Moment {
    double time_s = 0.0;
    Rank parent = kNobody;
    Rank lost_parent = kNobody;  ///< the one in whose place the parent has adopted it, if it has
    bool interior = false;       ///< does it wait for others?
    bool was_interior = false;   ///< has it, since the parent is its parent?

    [[nodiscard]] bool same_as(const Moment& other) const {
      return parent == other.parent && lost_parent == other.lost_parent &&
             interior == other.interior && was_interior == other.was_interior;
    }
  };
  using Pair = std::pair<Rank, Rank>;

  explicit EngagementTrace(std::uint32_t processes) : moments(processes), last_s(processes) {}

  std::vector<std::vector<Moment>> moments;  ///< of each rank, in order
  std::vector<double> last_s;                ///< when each rank has done anything for the last time
  std::map<Pair, std::uint32_t> sent;        ///< application messages, by sender and receiver
  std::map<Pair, std::uint32_t> received;
  std::map<Pair, std::uint32_t> acknowledged;  ///< by sender and receiver of the messages
  std::set<Pair> replied;                      ///< by child and the one that has adopted it
  std::set<Pair> recovered;                    ///< a failed child and the one that has recovered it
};

/// Watches a detector: passes everything on to it, and notes what passes.
std::unique_ptr<Component> watched(std::unique_ptr<Component> detector, Rank self,
                                   std::shared_ptr<EngagementTrace> trace);

}  // namespace faultline
