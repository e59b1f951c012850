// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/told_time.hpp"

#include <sys/mman.h>

#include <new>

#include "sim/engine/runtime/simulated_time.hpp"

namespace faultline::runs {

ToldTime::~ToldTime() {
  if (place_ != nullptr) munmap(place_, sizeof *place_);
}

void ToldTime::forget() {
  if (place_ == nullptr) {
    void* const memory =
        mmap(nullptr, sizeof *place_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    place_ = new (memory) std::atomic<double>(0.0);
  }
  place_->store(0.0, std::memory_order_relaxed);
}

void ToldTime::tell_from_here() { engine::tell_simulated_time_to(place_); }

double ToldTime::simulated_s() const {
  return place_ == nullptr ? 0.0 : place_->load(std::memory_order_relaxed);
}

}  // namespace faultline::runs
