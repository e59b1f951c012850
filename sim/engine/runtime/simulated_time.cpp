// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/runtime/simulated_time.hpp"

#include <limits>

namespace faultline::engine {

namespace {

std::atomic<double>* time_place = nullptr;

}  // namespace

void tell_simulated_time_to(std::atomic<double>* place) { time_place = place; }

std::uint64_t tell_simulated_time(double now_s, std::uint64_t event) {
  constexpr std::uint64_t kSeldom = 1 << 16;
  if (time_place == nullptr) return std::numeric_limits<std::uint64_t>::max();
  time_place->store(now_s, std::memory_order_relaxed);
  return event + kSeldom;
}

}  // namespace faultline::engine
