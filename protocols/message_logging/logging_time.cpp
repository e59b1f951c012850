// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/logging_time.hpp"

#include <numeric>

#include "protocols/message_logging/checkpointed_program.hpp"

namespace faultline::message_logging {

namespace {

constexpr MetricSpec kSpent{"logging_cost_s", Merge::mean,
                            "processor time that logging takes, per process and iteration; the "
                            "messages of the protocol cost time beside it",
                            Trend::of_merge, families(Family::message_logging)};
/// By CostFactor.
constexpr MetricSpec kShares[kCostFactors] = {
    {"logging_share_determinants", Merge::mean, "share of that time: to make determinants"},
    {"logging_share_piggybacking", Merge::mean, "the same: to send determinants with messages"},
    {"logging_share_log", Merge::mean, "the same: to log messages"},
    {"logging_share_bookkeeping", Merge::mean, "the same: for the identities of messages"}};

}  // namespace

MetricSpecs logging_metrics(const MetricSpecs& own) {
  MetricSpecs metrics{&kSpent};
  for (const MetricSpec& share : kShares) metrics.push_back(&share);
  metrics.insert(metrics.end(), own.begin(), own.end());
  return program_metrics(metrics);
}

void LoggingTime::report(MetricTotals& totals, double iterations) const {
  const double all_s = std::accumulate(spent_s_.begin(), spent_s_.end(), 0.0);
  totals.put_weighted(kSpent, all_s, iterations);
  for (std::size_t factor = 0; factor < kCostFactors; ++factor)
    totals.put_weighted(kShares[factor], spent_s_[factor], all_s);
}

}  // namespace faultline::message_logging
