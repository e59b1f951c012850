// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/mark.hpp"
#include "sim/core/metrics.hpp"

namespace faultline {

inline constexpr MetricSpec kCommitTime{
    "commit_time_s", Merge::mean,
    "time from a rank's contribution to a TryBlock until its decision"};
inline constexpr MetricSpec kBlockTime{"tryblock_time_s", Merge::mean,
                                       "time from the start of a TryBlock until its decision"};
inline constexpr MetricSpec kBlocksCommitted{"blocks_committed", Merge::maximum,
                                             "accepted TryBlocks of the rank with the most"};
inline constexpr MetricSpec kBlocksRejected{"blocks_rejected", Merge::maximum,
                                            "rejected TryBlocks of the rank with the most"};
inline constexpr MetricSpec kAgreementMessages{"agreement_messages", Merge::sum,
                                               "`up`, `down` and `result-request`"};

inline constexpr Mark kContributedMark{
    "contributed",
    "a rank contributes to a TryBlock: its number in the epoch, from 1; 0: to a recovery"};
inline constexpr Mark kDecidedMark{
    "decided", "a rank has a decision, and has told nobody yet: the number, as for `contributed`"};

/// What a rank counts for its TryBlocks and agreements.
struct BlockStatistics {
  double start_s = 0.0;        ///< of the last one
  double contributed_s = 0.0;  ///< when the rank contributed to it
  double commit_time_s = 0.0;
  double block_time_s = 0.0;
  std::uint32_t committed = 0;
  std::uint32_t rejected = 0;
  std::uint64_t agreement_messages = 0;

  void on_decision(bool is_accepted, double now_s) {
    commit_time_s += now_s - contributed_s;
    block_time_s += now_s - start_s;
    ++(is_accepted ? committed : rejected);
  }
  void report(MetricTotals& totals) const {
    const auto decided = static_cast<double>(std::uint64_t{committed} + rejected);
    totals.put_weighted(kCommitTime, commit_time_s, decided);
    totals.put_weighted(kBlockTime, block_time_s, decided);
    totals.put(kBlocksCommitted, committed);
    totals.put(kBlocksRejected, rejected);
    totals.put(kAgreementMessages, agreement_messages);
  }
};

}  // namespace faultline
