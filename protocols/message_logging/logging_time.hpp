// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "protocols/message_logging/logging_options.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/recovery_context.hpp"

namespace faultline::message_logging {

/// The processor time that logging takes at one rank.
class LoggingTime {
 public:
  explicit LoggingTime(const MessageLogOptions& options)
      : bookkeeping_s_(options.bookkeeping_s),
        log_message_s_(options.log_message_s),
        log_byte_s_(options.log_byte_s) {}

  /// For the identity of a message.
  void bookkeep(RecoveryContext& context) {
    spend(context, CostFactor::bookkeeping, bookkeeping_s_);
  }
  /// For a message in the log.
  void log(RecoveryContext& context, const Message& message) {
    spend(context, CostFactor::logging, log_message_s_ + log_byte_s_ * message.bytes);
  }
  void spend(RecoveryContext& context, CostFactor on, double duration_s) {
    if (duration_s <= 0.0) return;
    context.spend(duration_s);
    spent_s_[static_cast<std::size_t>(on)] += duration_s;
  }
  /// `iterations`: of the program, 0 for what is not the whole of a rank.
  void report(MetricTotals& totals, double iterations) const;

 private:
  double bookkeeping_s_;
  double log_message_s_;
  double log_byte_s_;
  std::array<double, kCostFactors> spent_s_{};  ///< by this incarnation
};

/// The metrics that all protocols have that log messages, and behind them those of one of them.
MetricSpecs logging_metrics(const MetricSpecs& own = {});

}  // namespace faultline::message_logging
