// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/faults/fault_counts.hpp"

namespace faultline::faults {

/// The faults of one size, as a part of all faults of a source.
struct Stratum {
  std::int64_t failed = 1;  ///< nodes or processes that fail together
  double weight = 1.0;      ///< share of the faults that have this size
};

/// Deals the sizes of recorded faults to replications, so that rare sizes get more runs than by
/// chance and the mean over all faults becomes more certain. Which size a replication has depends
/// on its number alone.
///
/// A quarter of the runs is dealt by weight. The others go to the sizes above 1, by their weight
/// among these, since nearly every protocol survives a single failure. Runs of one size are spread
/// evenly, so that the first n replications have about n times its share, for each n.
class SizeStrata {
 public:
  explicit SizeStrata(const FaultCounts& counts);

  [[nodiscard]] Stratum of(std::uint64_t replication) const;

 private:
  std::vector<Stratum> strata_;
  std::vector<double> shares_up_to_;  ///< of the runs, cumulative: that of each stratum and before
};

}  // namespace faultline::faults
