#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/theory/survival.hpp"

namespace faultline {

/// Which share of the faults of a distribution termination detection survives in a job.
struct SurvivalReport {
  std::int64_t processes = 1;
  FaultCounts faults;
  std::vector<SurvivalRow> rows;       ///< as survival_rows has them
  std::vector<std::int64_t> left_out;  ///< fanouts of the paper that so small a job cannot have
};

/// For people: laid out as Table 1 of adoption-2013-lifflander, in 80 columns.
std::string survival_table(const SurvivalReport& report);

/// For machines: one row for each protocol and fanout.
std::string survival_json(const SurvivalReport& report);

/// The same as CSV: one record for each protocol, fanout and size of fault, and one for all sizes.
std::string survival_csv(const SurvivalReport& report);

}  // namespace faultline
