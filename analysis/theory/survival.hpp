#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/faults/fault_counts.hpp"

namespace faultline {

/// What one concurrent fault does to a termination detector. The two add up to 1; both are kept
/// because either can be too small to survive as 1 minus the other.
struct FaultOutcome {
  double survival = 1.0;
  double failure = 0.0;
};

/// INDEP (adoption-2013-lifflander, section 5.4): `failed` of `processes` die at once, each process
/// has sent to `fanout` distinct random others; survival is [C(n-k,f) / C(n-1,f)]^k.
/// Relative error below 1e-12 in both figures (unless they underflow); time O(n^(1/3)) at most.
/// Conventions: k >= n survives with 0 (nobody is left); else k = 1 or f = 0 with 1; else f > n-k
/// with 0. Needs n >= 1, k >= 1, 0 <= f <= n-1, else throws std::invalid_argument.
FaultOutcome indep_outcome(std::int64_t processes, std::int64_t failed, std::int64_t fanout);

/// REL-LAZY and REL-EAGER (section 6.4, the "REL*" of Table 1): survival is (1 - (k-1)/(n-1))^k.
/// Same conventions and precision as `indep_outcome`, whose case f = 1 it equals.
FaultOutcome rel_outcome(std::int64_t processes, std::int64_t failed);

/// Faults of one size within a distribution.
struct SizeSurvival {
  std::int64_t failed = 1;
  std::int64_t count = 1;
  FaultOutcome given_fault;          ///< of one fault of this size
  double failure_probability = 0.0;  ///< that a fault has this size and is not survived
};

/// One row of Table 1: a protocol against a whole distribution of faults.
struct SurvivalRow {
  std::string protocol;                ///< `indep` or `rel`
  std::optional<std::int64_t> fanout;  ///< none for `rel`, which does not depend on it
  double survival_percent = 100.0;     ///< of the faults
  double failure_probability = 0.0;    ///< sum of those by size
  std::vector<SizeSurvival> by_size;   ///< in the order of the distribution
};

SurvivalRow indep_row(std::int64_t processes, std::int64_t fanout, const FaultCounts& faults);
SurvivalRow rel_row(std::int64_t processes, const FaultCounts& faults);

/// Table 1: one `indep` row per fanout, then the `rel` row.
std::vector<SurvivalRow> survival_rows(std::int64_t processes,
                                       const std::vector<std::int64_t>& fanouts,
                                       const FaultCounts& faults);

}  // namespace faultline
