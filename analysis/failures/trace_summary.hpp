#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/failures/gap_fits.hpp"
#include "analysis/statistics/summary.hpp"
#include "sim/faults/fault_counts.hpp"
#include "sim/faults/fault_trace.hpp"

namespace faultline {

/// Times between failures, and the laws that fit them.
struct GapSummary {
  std::uint64_t simultaneous = 0;  ///< gaps of zero, which no law of a continuous time has
  Summary gaps_s;                  ///< of the others
  std::optional<WeibullFit> weibull;
  std::optional<LognormalFit> lognormal;
  std::optional<double> exponential_log_likelihood;
};

/// The failures of one system of a trace.
struct SystemSummary {
  std::int64_t system = 0;
  std::uint64_t failures = 0;
  std::uint64_t nodes = 0;  ///< that failed at least once
};

/// What a trace says.
struct TraceSummary {
  std::uint64_t failures = 0;
  std::vector<SystemSummary> systems;
  double first_s = 0.0;
  double last_s = 0.0;
  std::vector<FaultCount> by_size;  ///< distinct nodes of a system that failed together
  std::uint64_t faults = 0;         ///< so many faults of one or more nodes
  GapSummary between_failures;      ///< of a system, whichever node fails; pooled over systems
  GapSummary between_failures_of_node;
  std::optional<Summary> repairs_s;
  std::optional<LognormalFit> repair_law;
};

/// Summarises the failures of one system, or of all. A fault begins with a failure and takes all of
/// that system that begin at most `window_s` after it. Nothing where no failure is of that system.
std::optional<TraceSummary> summarize_trace(const FaultTrace& trace, double window_s,
                                            std::optional<std::int64_t> system);

}  // namespace faultline
