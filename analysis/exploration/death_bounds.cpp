// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/death_bounds.hpp"

#include <algorithm>

#include "sim/core/split_mix.hpp"

namespace faultline::exploration {

bool is_calm(const std::vector<engine::Event>& next) {
  return std::all_of(next.begin(), next.end(), [](const engine::Event& event) {
    return event.kind() == engine::EventKind::compute_done;
  });
}

bool DeathBounds::between_steps(std::uint32_t deaths, bool in_calm, bool after_death) const {
  if (deaths >= request_.faults || request_.crash == CrashPlaces::none) return false;
  const bool only_in_calm =
      request_.crash == CrashPlaces::calm || request_.crash == CrashPlaces::calm_together;
  if (!only_in_calm || (after_death && request_.crash == CrashPlaces::calm_together)) return true;
  return in_calm;
}

bool DeathBounds::may_be_next(ActorId actor, std::uint32_t deaths) const {
  const std::vector<ActorId>& victims = request_.victims;
  if (victims.empty()) return true;
  if (request_.in_order) return deaths < victims.size() && victims[deaths] == actor;
  return std::find(victims.begin(), victims.end(), actor) != victims.end();
}

/// They die at once, so the first of the list may do so in any order.
bool DeathBounds::allow(const std::vector<engine::Cut>& at_start) const {
  const std::vector<ActorId>& victims = request_.victims;
  if (victims.empty()) return true;
  const auto last = request_.in_order && at_start.size() < victims.size()
                        ? victims.begin() + static_cast<std::ptrdiff_t>(at_start.size())
                        : victims.end();
  return std::all_of(at_start.begin(), at_start.end(), [&](const engine::Cut& cut) {
    return std::find(victims.begin(), last, cut.actor) != last;
  });
}

StateDigest DeathBounds::with_mishaps(StateDigest digest, const Mishaps& mishaps,
                                      bool after_death) const {
  constexpr std::uint64_t kEach = 256;
  digest.low ^= split_mix(mishaps.deaths + kEach * (mishaps.losses + kEach * mishaps.stalled));
  if (after_death && request_.crash == CrashPlaces::calm_together) digest.low ^= split_mix(~0U);
  return digest;
}

}  // namespace faultline::exploration
