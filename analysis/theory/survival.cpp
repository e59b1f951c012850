// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/survival.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/statistics/compensated_sum.hpp"

namespace faultline::theory {
namespace {

/// exp of anything below this is 0 in a double, so a product may stop here.
constexpr double log_of_zero = -746.0;

constexpr FaultOutcome kSurvived{1.0, 0.0};
constexpr FaultOutcome not_survived{0.0, 1.0};

/// ln((whole - removed) / whole). Each of the two formulas alone would lose digits: log1p if nearly
/// all is removed, since 1 - removed/whole cancels; log if hardly anything is, since the ratio is
/// rounded next to 1.
double log_kept(std::int64_t removed, std::int64_t whole) {
  const auto total = static_cast<double>(whole);
  if (removed <= whole / 2) return std::log1p(-static_cast<double>(removed) / total);
  return std::log(static_cast<double>(whole - removed) / total);
}

FaultOutcome outcome_of_log(double log_survival) {
  return {std::exp(log_survival), -std::expm1(log_survival)};
}

void check_job(std::int64_t processes, std::int64_t failed) {
  if (processes < 1) throw std::invalid_argument("survival: a job has at least one process");
  if (failed < 1) throw std::invalid_argument("survival: a fault has at least one victim");
}

/// The row of one protocol, over all sizes of `faults`.
template <typename OutcomeOfSize>
SurvivalRow row_over(const faults::FaultCounts& faults, OutcomeOfSize outcome_of_size) {
  SurvivalRow row;
  const auto total = static_cast<double>(faults.total);
  statistics::CompensatedSum survived_faults;
  statistics::CompensatedSum failed_faults;
  for (const faults::FaultCount& size : faults.by_size) {
    const FaultOutcome outcome = outcome_of_size(size.failed);
    const auto count = static_cast<double>(size.count);
    row.by_size.push_back({size.failed, size.count, outcome, count * outcome.failure / total});
    survived_faults.add(count * outcome.survival);
    failed_faults.add(count * outcome.failure);
  }
  // 100 (1 - failure) would have no correct digit if nearly every fault is fatal.
  row.survival_percent = 100.0 * (survived_faults.value() / total);
  row.failure_probability = failed_faults.value() / total;
  return row;
}

}  // namespace

FaultOutcome indep_outcome(std::int64_t processes, std::int64_t failed, std::int64_t fanout) {
  check_job(processes, failed);
  if (fanout < 0 || fanout >= processes) {
    throw std::invalid_argument("survival: a process has from 0 to processes - 1 successors");
  }
  if (failed >= processes) return not_survived;
  if (failed == 1 || fanout == 0) return kSurvived;
  if (fanout > processes - failed) return not_survived;
  // C(n-k,f)/C(n-1,f) = prod_{j=1}^{k-1} (1 - f/(n-j)) = prod_{j=1}^{f} (1 - (k-1)/(n-j)). This
  // takes the shorter product. lgamma would leave only half of the digits.
  const std::int64_t terms = std::min(failed - 1, fanout);
  const std::int64_t removed = std::max(failed - 1, fanout);
  const auto power = static_cast<double>(failed);
  statistics::CompensatedSum log_no_partner_died;
  for (std::int64_t j = 1; j <= terms; ++j) {
    log_no_partner_died.add(log_kept(removed, processes - j));
    if (power * log_no_partner_died.value() < log_of_zero) return not_survived;
  }
  return outcome_of_log(power * log_no_partner_died.value());
}

FaultOutcome rel_outcome(std::int64_t processes, std::int64_t failed) {
  check_job(processes, failed);
  if (failed >= processes) return not_survived;
  if (failed == 1) return kSurvived;
  return outcome_of_log(static_cast<double>(failed) * log_kept(failed - 1, processes - 1));
}

SurvivalRow indep_row(std::int64_t processes, std::int64_t fanout,
                      const faults::FaultCounts& faults) {
  SurvivalRow row = row_over(
      faults, [=](std::int64_t failed) { return indep_outcome(processes, failed, fanout); });
  row.protocol = "indep";
  row.fanout = fanout;
  return row;
}

SurvivalRow rel_row(std::int64_t processes, const faults::FaultCounts& faults) {
  SurvivalRow row =
      row_over(faults, [=](std::int64_t failed) { return rel_outcome(processes, failed); });
  row.protocol = "rel";
  return row;
}

std::vector<SurvivalRow> survival_rows(std::int64_t processes,
                                       const std::vector<std::int64_t>& fanouts,
                                       const faults::FaultCounts& faults) {
  std::vector<SurvivalRow> rows;
  rows.reserve(fanouts.size() + 1);
  for (const std::int64_t fanout : fanouts) rows.push_back(indep_row(processes, fanout, faults));
  rows.push_back(rel_row(processes, faults));
  return rows;
}

}  // namespace faultline::theory
