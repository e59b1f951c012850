// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/size_strata.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>

namespace faultline::faults {

namespace {

FaultCounts counts_of(std::vector<FaultCount> by_size) {
  FaultCounts counts;
  counts.by_size = std::move(by_size);
  for (const FaultCount& size : counts.by_size) counts.total += size.count;
  return counts;
}

/// The number of runs that each size has among the first replications.
std::map<std::int64_t, std::uint64_t> dealt(const SizeStrata& strata, std::uint64_t replications) {
  std::map<std::int64_t, std::uint64_t> runs;
  for (std::uint64_t i = 0; i < replications; ++i) ++runs[strata.of(i).failed];
  return runs;
}

}  // namespace

TEST_CASE("[strata] weights are the shares of the recorded faults") {
  const SizeStrata strata(counts_of({{1, 90}, {2, 6}, {40, 4}}));
  std::map<std::int64_t, double> weights;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Stratum stratum = strata.of(i);
    weights[stratum.failed] = stratum.weight;
  }
  CHECK(weights == std::map<std::int64_t, double>{{1, 0.9}, {2, 0.06}, {40, 0.04}});
}

TEST_CASE("[strata] at each moment a size has its share of the runs, but for a few") {
  // A quarter by weight: 22.5 % for size 1. The rest to the others, 6 to 4.
  const SizeStrata strata(counts_of({{1, 90}, {2, 6}, {40, 4}}));
  for (const std::uint64_t replications : {1U, 7U, 40U, 333U, 1000U, 30000U}) {
    const auto runs = dealt(strata, replications);
    const auto total = static_cast<double>(replications);
    for (const auto& [failed, share] : std::map<std::int64_t, double>{
             {1, 0.225}, {2, 0.25 * 0.06 + 0.75 * 0.6}, {40, 0.25 * 0.04 + 0.75 * 0.4}}) {
      const auto found = runs.find(failed);
      const auto count = static_cast<double>(found == runs.end() ? 0 : found->second);
      INFO("size " << failed << " of " << replications);
      // Multiples of the golden ratio are spread with a discrepancy of the order of log n.
      CHECK(std::fabs(count - share * total) <= 1.0 + std::log(total + 1.0));
    }
  }
}

TEST_CASE("[strata] with one size, or with no single failures, all runs are dealt by weight") {
  CHECK(dealt(SizeStrata(counts_of({{1, 5}})), 100).at(1) == 100);
  const auto runs = dealt(SizeStrata(counts_of({{2, 3}, {3, 1}})), 1000);
  CHECK(std::fabs(static_cast<double>(runs.at(2)) - 750) < 5);
}

}  // namespace faultline::faults
