// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "protocols/transactions/agreement.hpp"
#include "protocols/transactions/asked.hpp"
#include "protocols/transactions/world_members.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/recovery_context.hpp"
#include "sim/core/transaction_requests.hpp"

namespace faultline::transactions {

inline constexpr MetricSpec kCommitTime{
    "commit_time_s", Merge::mean,
    "time from a rank's contribution to a TryBlock until its decision", Trend::of_merge,
    families(Family::transactions)};
inline constexpr MetricSpec kBlockTime{"tryblock_time_s", Merge::mean,
                                       "time from the start of a TryBlock until its decision"};
inline constexpr MetricSpec kBlocksCommitted{"blocks_committed", Merge::maximum,
                                             "accepted TryBlocks of the rank with the most"};
inline constexpr MetricSpec kBlocksRejected{"blocks_rejected", Merge::maximum,
                                            "rejected TryBlocks of the rank with the most"};

/// What a rank counts for its TryBlocks.
struct BlockStatistics {
  double start_s = 0.0;        ///< of the last one
  double contributed_s = 0.0;  ///< when the rank contributed to it
  double commit_time_s = 0.0;
  double block_time_s = 0.0;
  std::uint32_t committed = 0;
  std::uint32_t rejected = 0;

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
  }
};

/// The TryBlock that the program of a rank has begun last: what the program has asked about it, and
/// how it has ended.
class ProgramBlock {
 public:
  /// After `request_timeout_s`, a request inside has failed.
  explicit ProgramBlock(double request_timeout_s) : request_timeout_s_(request_timeout_s) {}

  /// The program begins the next TryBlock. An outcome stays until `forget_outcome`.
  void start(RecoveryContext& context, const StackRequest& request) {
    attempt_ = static_cast<std::uint32_t>(request.get<StartBlock>().attempt);
    start_request_ = request;
    statistics.start_s = context.now_s();
    context.answer(request, BlockStarted{attempt_, request_timeout_s_, 0});
  }
  /// Tells the program that another rank gives this TryBlock up.
  void release(RecoveryContext& context) const {
    context.answer(*start_request_, BlockStarted{attempt_, request_timeout_s_, 1});
  }
  [[nodiscard]] bool has_started() const { return start_request_.has_value(); }
  /// Its number in the epoch; 0: the program has begun none in this world.
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  /// In a new world, none has begun.
  void reset() {
    attempt_ = 0;
    outcome_.reset();
  }
  void forget_requests() {
    start_request_.reset();
    wait_request_.reset();
  }

  /// The program waits for the outcome.
  void wait(const StackRequest& request) { wait_request_ = request; }
  [[nodiscard]] bool is_awaited() const { return wait_request_.has_value(); }
  /// Tells the program that the TryBlock has ended so. `is_local`: for this rank alone.
  void answer(RecoveryContext& context, BlockVerdict verdict, bool is_local = false) {
    context.answer(*std::exchange(wait_request_, std::nullopt),
                   BlockOutcome{attempt_, verdict, is_local ? 1U : 0U});
  }
  /// Tells it the outcome.
  void answer_outcome(RecoveryContext& context, bool is_local = false) {
    const bool is_accepted = outcome_->accepts();
    answer(context, is_accepted ? BlockVerdict::accepted : BlockVerdict::rejected, is_local);
  }
  /// Tells it which ranks the outcome names as dead.
  void answer_query(RecoveryContext& context, const StackRequest& request,
                    const WorldMembers& members) const {
    const std::uint64_t index = request.get<QueryBlock>().index;
    FailedGroup group;
    if (outcome_) group.count = outcome_->failed.size();
    if (index < group.count) group.failed = members.process_with(outcome_->failed[index]);
    context.answer(request, group);
  }

  /// What the ranks have agreed on.
  [[nodiscard]] const std::optional<AgreementValue>& outcome() const { return outcome_; }
  void set_outcome(const AgreementValue& value) { outcome_ = value; }
  void forget_outcome() { outcome_.reset(); }

  BlockStatistics statistics;

  void digest(Digest& into) const { into.add(attempt_, outcome_, start_request_, wait_request_); }

 private:
  double request_timeout_s_;
  std::uint32_t attempt_ = 0;
  std::optional<AgreementValue> outcome_;
  std::optional<Asked> start_request_;
  std::optional<Asked> wait_request_;
};

}  // namespace faultline::transactions
