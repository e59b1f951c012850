// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "analysis/statistics/strata.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

/// Which replications of a point there are, and how many it needs. With a precision, their results
/// say that, taken one by one from 0 on, so that it does not depend on the order in which they
/// come. What was cut off at a limit is no result, so it makes no mean more precise but that of
/// `completed`, which the limit decides.
class PointRuns {
 public:
  PointRuns(const scenario::Study& study, std::size_t point);

  /// Adds a replication. Does nothing if it is there already.
  void add(const runs::RunRecord& run);

  [[nodiscard]] bool has(std::size_t replication) const {
    return replication < has_.size() && has_[replication];
  }
  /// How many of the replications from `first` up to `end` are missing.
  [[nodiscard]] std::size_t missing(std::size_t first, std::size_t end) const;

  [[nodiscard]] bool empty() const { return has_.empty(); }
  /// The number of replications from 0 on without a gap.
  [[nodiscard]] std::size_t without_gap() const { return without_gap_; }

  /// The number of replications that the point needs, from 0 on. Until it has them all, a precision
  /// can need more.
  [[nodiscard]] std::size_t needed() const { return needed_; }
  [[nodiscard]] bool complete() const { return trouble_.empty() && without_gap_ >= needed_; }
  /// True if it has more replications than it needs.
  [[nodiscard]] bool beyond() const { return complete() && has_.size() > needed_; }

  /// Why no replications can complete the point: the metric is text, or no run has it. "" if they
  /// can.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  /// What the precision needs of a run.
  struct Value {
    bool known = false;      ///< the run has such a number, perhaps without a value
    bool is_result = false;  ///< it was not cut off, or may count nevertheless
    std::optional<double> number;
    std::optional<statistics::Stratum> stratum;
  };

  [[nodiscard]] Value value_of(const runs::RunRecord& run) const;
  void take(const Value& value);
  [[nodiscard]] bool is_precise() const;

  std::optional<scenario::Precision> precision_;
  std::size_t first_needed_;
  std::size_t needed_;
  std::vector<bool> has_;
  std::size_t without_gap_ = 0;
  std::string trouble_;

  // The rest is only of a point with a precision.
  std::map<std::size_t, Value> waiting_;  ///< values of replications after a gap
  std::vector<double> values_;            ///< of results
  statistics::StratifiedSample strata_;   ///< of results, if they have strata
  std::size_t results_ = 0;               ///< runs whose values count
  bool known_ = false;
  bool settled_ = false;  ///< true once `needed_` is final
};

}  // namespace faultline::store
