// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/theory/survival.hpp"

namespace faultline::theory {

/// The shares of a distribution of faults that termination detection survives in a job.
struct SurvivalReport {
  std::int64_t processes = 1;
  faults::FaultCounts faults;
  std::vector<SurvivalRow> rows;       ///< from survival_rows()
  std::vector<std::int64_t> left_out;  ///< fanouts of the paper that are too large for this job
};

/// The report for people, laid out as Table 1 of adoption-2013-lifflander, in 80 columns.
std::string survival_table(const SurvivalReport& report);

/// The report as JSON: one row for each protocol and fanout.
std::string survival_json(const SurvivalReport& report);

/// The report as CSV. Each protocol and fanout has one record for each size of fault, and one for
/// all sizes.
std::string survival_csv(const SurvivalReport& report);

}  // namespace faultline::theory
