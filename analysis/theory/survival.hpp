// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/faults/fault_counts.hpp"

namespace faultline::theory {

/// The probabilities that a termination detector survives one concurrent fault, and that it does
/// not. They add up to 1. Both are kept, because 1 minus one of them can lose all digits of the
/// other.
struct FaultOutcome {
  double survival = 1.0;
  double failure = 0.0;
};

/// INDEP (adoption-2013-lifflander, section 5.4): k = `failed` of n = `processes` die at once, and
/// each process has sent to f = `fanout` distinct random others.
/// Survival is [C(n-k,f) / C(n-1,f)]^k.
///
/// The relative error of both probabilities is below 1e-12 (unless they underflow), and the time at
/// most O(n^(1/3)). Edge cases, in this order: survival is 0 if k >= n (nobody is left), 1 if k = 1
/// or f = 0, and 0 if f > n-k. Needs n >= 1, k >= 1, 0 <= f <= n-1, else throws
/// std::invalid_argument.
FaultOutcome indep_outcome(std::int64_t processes, std::int64_t failed, std::int64_t fanout);

/// REL-LAZY and REL-EAGER (section 6.4, the "REL*" of Table 1): survival is (1 - (k-1)/(n-1))^k.
/// Equals `indep_outcome` for f = 1, with the same edge cases and precision.
FaultOutcome rel_outcome(std::int64_t processes, std::int64_t failed);

/// Faults of one size, in a distribution of sizes.
struct SizeSurvival {
  std::int64_t failed = 1;
  std::int64_t count = 1;
  FaultOutcome given_fault;          ///< the outcome of one fault of this size
  double failure_probability = 0.0;  ///< probability that a fault has this size and is fatal
};

/// One row of Table 1: a protocol against a whole distribution of faults.
struct SurvivalRow {
  std::string protocol;                ///< `indep` or `rel`
  std::optional<std::int64_t> fanout;  ///< none for `rel`, which does not depend on it
  double survival_percent = 100.0;     ///< share of all faults
  double failure_probability = 0.0;    ///< the sum over all sizes
  std::vector<SizeSurvival> by_size;   ///< in the order of the distribution
};

SurvivalRow indep_row(std::int64_t processes, std::int64_t fanout,
                      const faults::FaultCounts& faults);
SurvivalRow rel_row(std::int64_t processes, const faults::FaultCounts& faults);

/// Table 1: one `indep` row per fanout, then the `rel` row.
std::vector<SurvivalRow> survival_rows(std::int64_t processes,
                                       const std::vector<std::int64_t>& fanouts,
                                       const faults::FaultCounts& faults);

}  // namespace faultline::theory
