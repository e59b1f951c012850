// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/audit/run_observer.hpp"

namespace faultline::search {

/// What happens in a run, and when, separately for each kind of message, each mark and each change
/// of a process. So a fault can be aimed at rare events as often as at frequent ones.
class RunTrack final : public audit::RunObserver {
 public:
  /// An event.
  struct Moment {
    double time_s = 0.0;
    ActorId actor = kNobody;
    ActorId peer = kNobody;  ///< the other end of a message, or the subject of a notice
    std::int64_t value = 0;  ///< value of a mark
  };
  /// The kind of an event.
  struct Kind {
    audit::Sight::Kind kind = audit::Sight::Kind::placed;
    Family channel = Family::workload;  ///< family of a message
    std::uint32_t message = 0;          ///< its kind in its component
    std::string mark = {};
    friend auto operator<=>(const Kind&, const Kind&) = default;  // NOLINT(*-nullptr)
  };
  using Moments = std::vector<Moment>;

  void see(const audit::Sight& sight) override;

  /// The events of each kind, in the order in which they happened.
  [[nodiscard]] const std::map<Kind, Moments>& moments() const { return moments_; }
  /// The time of the last event [s].
  [[nodiscard]] double last_s() const { return last_s_; }
  /// The time of the last death [s]; 0 if nobody died.
  [[nodiscard]] double last_death_s() const { return last_death_s_; }
  /// The node on which an actor was last seen.
  [[nodiscard]] NodeId node_of(ActorId actor) const { return nodes_.at(actor); }
  /// The number of ranks and daemons.
  [[nodiscard]] std::size_t actors() const { return nodes_.size(); }

 private:
  std::map<Kind, Moments> moments_;
  std::vector<NodeId> nodes_;
  double last_s_ = 0.0;
  double last_death_s_ = 0.0;
};

}  // namespace faultline::search
