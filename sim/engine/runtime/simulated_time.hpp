// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace faultline::engine {

/// From now on the runs of this process tell their simulated time [s] there now and then, for
/// somebody who shows progress. With null, which is the beginning, they tell nobody. It changes no
/// result.
void tell_simulated_time_to(std::atomic<double>* place);

/// Tells the time after an event. Returns the number of the event after which to tell it again.
std::uint64_t tell_simulated_time(double now_s, std::uint64_t event);

}  // namespace faultline::engine
