// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/size_strata.hpp"

#include <algorithm>

namespace faultline::faults {

namespace {

/// The share of the runs that is dealt by weight among all sizes.
constexpr double kAmongAll = 0.25;

/// Evenly spread numbers from 0 to 1: multiples of the golden ratio, without their whole part.
double spread(std::uint64_t number) {
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;  // of 2^64
  constexpr double kUnit = 1.0 / 9007199254740992.0;           // 2^-53
  return static_cast<double>(((number + 1) * kGoldenRatio) >> 11U) * kUnit;
}

}  // namespace

SizeStrata::SizeStrata(const FaultCounts& counts) {
  double above_one = 0.0;
  for (const FaultCount& size : counts.by_size) {
    const double weight = static_cast<double>(size.count) / static_cast<double>(counts.total);
    strata_.push_back({size.failed, weight});
    above_one += size.failed > 1 ? weight : 0.0;
  }
  const double among_all = above_one > 0.0 ? kAmongAll : 1.0;
  double sum = 0.0;
  for (const Stratum& stratum : strata_) {
    sum += among_all * stratum.weight;
    if (stratum.failed > 1) sum += (1.0 - among_all) * stratum.weight / above_one;
    shares_up_to_.push_back(sum);
  }
}

Stratum SizeStrata::of(std::uint64_t replication) const {
  const auto place =
      std::upper_bound(shares_up_to_.begin(), shares_up_to_.end(), spread(replication));
  // The last sum may be below 1 by a rounding error.
  const auto index = std::min<std::size_t>(static_cast<std::size_t>(place - shares_up_to_.begin()),
                                           strata_.size() - 1);
  return strata_[index];
}

}  // namespace faultline::faults
