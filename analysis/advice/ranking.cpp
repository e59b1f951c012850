// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace faultline::advice {

std::vector<std::size_t> ranking(const Findings& findings) {
  std::vector<std::size_t> order(findings.contestants.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto group = [&](std::size_t i) {
    switch (findings.contestants[i].standing) {
      case Standing::leads:
        return 0;
      case Standing::equivalent:
      case Standing::races:
        return 1;
      case Standing::behind:
        return 2;
      default:
        return 3;
    }
  };
  const double sign = findings.rules.higher_is_better ? -1.0 : 1.0;
  const auto cost = [&](std::size_t i) {
    return sign * findings.contestants[i].objective.mean.value_or(sign * HUGE_VAL);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(group(a), cost(a)) < std::pair(group(b), cost(b));
  });
  return order;
}

std::vector<std::size_t> best_of_stacks(const Field& field, const Findings& findings) {
  std::vector<std::size_t> best;
  for (const std::size_t i : ranking(findings)) {
    const bool is_known = std::ranges::any_of(best, [&](std::size_t better) {
      return field.alternatives[better].stack == field.alternatives[i].stack;
    });
    if (!is_known) best.push_back(i);
  }
  return best;
}

std::vector<std::size_t> fit_of_stacks(const Field& field, const Findings& findings) {
  std::vector<std::size_t> fit;
  for (const std::size_t i : best_of_stacks(field, findings)) {
    const Contestant& one = findings.contestants[i];
    if (one.standing != Standing::unfit && one.objective.mean) fit.push_back(i);
  }
  return fit;
}

}  // namespace faultline::advice
