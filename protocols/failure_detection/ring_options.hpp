// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/core/registry.hpp"

namespace faultline::failure_detection {

/// A shorter time would vanish beside the times of a run.
inline constexpr double kShortestTime_s = 1e-9;

/// Declares the options that every detector with heartbeats has: the period and the timeout.
template <class Options>
void add_ring_options(OptionSet<Options>& set, const std::string& source) {
  set.option("heartbeat_period_s", &Options::heartbeat_period_s,
             {.doc = "delta: time from one heartbeat to the next",
              .unit = "s",
              .source = source,
              .minimum = kShortestTime_s,
              .maximum = 1e6})
      .option("timeout_s", &Options::timeout_s,
              {.doc = "eta: time from the last heartbeat to the suspicion; above "
                      "`heartbeat_period_s`",
               .unit = "s",
               .source = source,
               .minimum = kShortestTime_s,
               .maximum = 1e6,
               .awaits_message = true});
}

/// What a ring needs for a death that its own deadlines find, without the slack at the start, if
/// each of them runs out `deadline_s` after the last one at most: three deadlines for each of
/// `deaths`. The first finds it, the second is that of the member that takes over the watch, and
/// the third that of the member in the place of the dead one, if it comes back and takes over.
inline double ring_bound_s(double deadline_s, double deaths) { return 3.0 * deadline_s * deaths; }

/// Can so many deaths cut a member off from the others, if each has so many neighbours in the
/// graph? Of two members, one may die while the other comes back and observes nobody yet.
inline bool can_cut_off(std::uint32_t deaths, std::size_t neighbours) {
  return deaths >= std::max<std::size_t>(neighbours, 2);
}

/// The most hops of a report over a binomial graph. Without other deaths, half of the 2 log2 N
/// would do.
inline std::uint32_t most_hops(std::uint32_t members, std::uint32_t deaths) {
  return deaths > 1 ? members : 2 * static_cast<std::uint32_t>(std::bit_width(members)) + 2;
}

/// With a timeout no longer than the period, each member would suspect its emitter.
inline std::vector<OptionProblem> ring_problems(double heartbeat_period_s, double timeout_s) {
  if (timeout_s > heartbeat_period_s) return {};
  return {{"timeout_s",
           "expected more than heartbeat_period_s, or each heartbeat would come too late"}};
}

}  // namespace faultline::failure_detection
