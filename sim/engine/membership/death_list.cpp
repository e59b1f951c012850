// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/death_list.hpp"

#include <algorithm>
#include <tuple>

namespace faultline::engine {

std::uint32_t DeathList::add(const Death& death) {
  const std::uint32_t number = size();
  list_.push_back(death);
  numbers_[death.dead] = number;
  if (death.daemon.actor != kNobody) hosted_[death.daemon].push_back(number);
  return number;
}

void DeathList::cover(Incarnation rank, Incarnation daemon) {
  const std::uint32_t number = numbers_.at(rank);
  Death& death = list_[number];
  if (death.daemon.actor != kNobody) return;
  death.daemon = daemon;
  death.earlier = true;
  hosted_[daemon].push_back(number);
}

void DeathList::end(Incarnation dead, double back_s) { list_[numbers_.at(dead)].back_s = back_s; }

std::optional<std::uint32_t> DeathList::number_of(Incarnation dead) const {
  const auto found = numbers_.find(dead);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::uint32_t>& DeathList::hosted_by(Incarnation daemon) const {
  static const std::vector<std::uint32_t> none;
  const auto found = hosted_.find(daemon);
  return found == hosted_.end() ? none : found->second;
}

bool DeathList::is_under(std::uint32_t death, Incarnation daemon) const {
  if (daemon.number == 0) return true;
  const auto before = static_cast<std::uint16_t>(daemon.number - 1);
  return death > numbers_.at({daemon.actor, before});
}

void DeathList::digest(Digest& into) const {
  std::vector<Death> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Death& a, const Death& b) {
    return std::tuple(a.dead, a.silent) < std::tuple(b.dead, b.silent);
  });
  for (const Death& death : sorted) into.add(death.dead, death.daemon, death.silent);
}

}  // namespace faultline::engine
