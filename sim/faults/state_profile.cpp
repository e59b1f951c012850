// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/state_profile.hpp"

#include <algorithm>
#include <cmath>

namespace faultline::faults {

double ProfileLaw::draw(Stream& random) const {
  switch (kind) {
    case Kind::det:
      return first;
    case Kind::norm: {
      const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));
      return first + second * radius * std::cos(2 * M_PI * random.uniform());
    }
    case Kind::unif:
      return first + (second - first) * random.uniform();
    case Kind::exp:
      return random.exponential(1 / first);
  }
  return first;
}

bool ProfileLaw::can_be_negative() const {
  switch (kind) {
    case Kind::unif:
      return std::min(first, second) < 0;
    case Kind::norm:
      return first < 0 || second != 0;
    case Kind::det:
    case Kind::exp:
      break;
  }
  return first < 0;
}

bool ProfileLaw::can_be_positive() const {
  switch (kind) {
    case Kind::unif:
      return std::max(first, second) > 0;
    case Kind::norm:
      return first > 0 || second != 0;
    case Kind::det:
    case Kind::exp:
      break;
  }
  return first > 0;
}

std::optional<double> ProfileWalk::next_failure_s() {
  const auto failure_s = next_switch_s(false);
  if (failure_s) back_s_ = next_switch_s(true).value_or(kNever);
  return failure_s;
}

/// The time at which the host is next switched on, or off; it is not yet.
std::optional<double> ProfileWalk::next_switch_s(bool on) {
  // The walk must end even if that never happens.
  std::size_t patience = std::max<std::size_t>(100000, 2 * profile_.events.size());
  while (patience-- > 0) {
    if (at_ == profile_.events.size()) {
      if (!profile_.loops || profile_.events.empty()) return std::nullopt;
      at_ = 0;
      time_s_ += profile_.loop_delay_s;
    }
    const ProfileEvent& event = profile_.events[at_++];
    time_s_ += std::max(0.0, event.delay_s.draw(random_));
    const bool now_on = event.state.draw(random_) != 0;
    const bool switched = on_ != now_on;
    on_ = now_on;
    if (switched && now_on == on) return time_s_;
  }
  return std::nullopt;
}

}  // namespace faultline::faults
