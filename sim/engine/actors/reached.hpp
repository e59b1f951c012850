// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace faultline::engine {

/// What a step has read or changed beyond the actor that it is about, what is common to all actors,
/// and what it has scheduled.
enum class Reach : std::uint8_t {
  actor,     ///< nothing
  channels,  ///< whether something is in flight to that actor, and from which others
  anything,
};

/// Notes how far the events of a step reach. An explorer compares steps by it.
class Reached {
 public:
  [[nodiscard]] Reach reach() const { return reach_; }
  void channels() { reach_ = std::max(reach_, Reach::channels); }
  void anything() { reach_ = Reach::anything; }
  void forget() { reach_ = Reach::actor; }

 private:
  Reach reach_ = Reach::actor;
};

}  // namespace faultline::engine
