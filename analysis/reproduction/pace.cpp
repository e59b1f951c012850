// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/pace.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace faultline::reproduction {

ReproductionPace::ReproductionPace(std::vector<double> estimates_s)
    : estimates_s_(std::move(estimates_s)),
      total_s_(std::accumulate(estimates_s_.begin(), estimates_s_.end(), 0.0)) {}

void ReproductionPace::begin_item(double work) {
  work_ = work;
  done_ = 0;
}

void ReproductionPace::worked(double work) { done_ += work; }

void ReproductionPace::end_item() {
  ended_s_ += estimates_s_[item_++];
  begin_item(0);
}

double ReproductionPace::share() const {
  if (item_ == estimates_s_.size()) return 1;
  if (total_s_ <= 0) return 0;
  const double of_item = work_ > 0 ? std::min(1.0, done_ / work_) : 0;
  return (ended_s_ + of_item * estimates_s_[item_]) / total_s_;
}

std::optional<double> ReproductionPace::left_s(double elapsed_s) const {
  constexpr double kEnough = 0.01;
  const double done = share();
  if (done < kEnough) return std::nullopt;
  return elapsed_s * (1 - done) / done;
}

}  // namespace faultline::reproduction
