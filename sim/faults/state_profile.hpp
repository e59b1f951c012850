// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/core/types.hpp"

namespace faultline::faults {

/// A probability law of SimGrid's stochastic profiles.
struct ProfileLaw {
  enum class Kind : std::uint8_t { det, norm, unif, exp };
  Kind kind = Kind::det;
  double first = 0.0;   ///< the value (det), mean (norm), least value (unif) or rate (exp)
  double second = 0.0;  ///< the standard deviation (norm) or largest value (unif)

  [[nodiscard]] double draw(Stream& random) const;
  /// True if a draw could be below zero.
  [[nodiscard]] bool can_be_negative() const;
  /// True if a draw could be above zero.
  [[nodiscard]] bool can_be_positive() const;
  bool operator==(const ProfileLaw&) const = default;
};

/// An event of a profile: after the delay the host gets the state. State 0 means off.
struct ProfileEvent {
  ProfileLaw delay_s;
  ProfileLaw state;

  bool operator==(const ProfileEvent&) const = default;
};

/// A state profile of SimGrid, with the meaning that SimGrid 3.32 gives it.
struct StateProfile {
  std::vector<ProfileEvent> events;
  bool stochastic = false;
  bool loops = false;
  double loop_delay_s = 0.0;  ///< from the last event to the start of the next loop

  bool operator==(const StateProfile&) const = default;
};

/// Goes through a profile, loop after loop.
class ProfileWalk {
 public:
  ProfileWalk(const StateProfile& profile, Stream random) : profile_(profile), random_(random) {}

  /// The next time at which the host is switched off, or nothing if that does not happen any more.
  std::optional<double> next_failure_s();
  /// When the host is on again after the failure returned last. kNever if it stays off.
  [[nodiscard]] double back_s() const { return back_s_; }

 private:
  std::optional<double> next_switch_s(bool on);

  const StateProfile& profile_;
  Stream random_;
  std::size_t at_ = 0;
  double time_s_ = 0.0;
  double back_s_ = kNever;
  bool on_ = true;
};

}  // namespace faultline::faults
