// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/failures/gap_fits.hpp"
#include "analysis/statistics/summary.hpp"
#include "sim/faults/fault_counts.hpp"
#include "sim/faults/fault_trace.hpp"

namespace faultline::failures {

/// Times between successive failures (gaps), and the laws fitted to them.
struct GapSummary {
  std::uint64_t simultaneous = 0;  ///< gaps of zero, which no continuous law fits
  statistics::Summary gaps_s;      ///< the gaps above zero
  std::optional<WeibullFit> weibull;
  std::optional<LognormalFit> lognormal;
  std::optional<double> exponential_log_likelihood;
};

/// The failures of one system in a trace.
struct SystemSummary {
  std::int64_t system = 0;
  std::uint64_t failures = 0;
  std::uint64_t nodes = 0;  ///< nodes that failed at least once
};

/// A summary of a trace.
struct TraceSummary {
  std::uint64_t failures = 0;
  std::vector<SystemSummary> systems;
  double first_s = 0.0;
  double last_s = 0.0;
  std::vector<faults::FaultCount>
      by_size;                  ///< by the number of distinct nodes that failed together
  std::uint64_t faults = 0;     ///< the sum over by_size
  GapSummary between_faults;    ///< of one system, from first failure to first failure
  GapSummary between_failures;  ///< of any nodes of one system; pooled over systems
  GapSummary between_failures_of_node;
  std::optional<statistics::Summary> repairs_s;
  std::optional<LognormalFit> repair_law;
};

/// Summarises the failures of one system, or of all if `system` is empty. A fault is a failure and
/// all others of the same system that begin at most `window_s` after it. Returns nothing if there
/// are no failures to summarise.
std::optional<TraceSummary> summarize_trace(const faults::FaultTrace& trace, double window_s,
                                            std::optional<std::int64_t> system);

}  // namespace faultline::failures
