// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/field_runs.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// The first runs of alternatives of a question, and of the same with something changed.
class Variants {
 public:
  explicit Variants(const Question& question) : question_(question) {}

  /// Adds an alternative, which sets these values of the job, too. Returns its number. Two of them
  /// have different names.
  std::size_t add(Alternative alternative, const std::string& change = {},
                  const json::JsonValue::Object& sets = {});

  /// Makes their first runs, unless the store has them. Returns false if the user has interrupted
  /// that. Throws UsageError if none of them can run.
  bool run(std::uint32_t runs, const std::string& objective, store::ResultStore& store,
           const AdvisorSettings& settings);

  /// The runs of the one with this number; none if it cannot run so.
  [[nodiscard]] const std::vector<runs::RunRecord>& of(std::size_t number) const;
  /// The events of all these runs.
  [[nodiscard]] double events() const { return events_; }

 private:
  const Question& question_;
  std::vector<Alternative> alternatives_;
  std::vector<std::optional<std::size_t>> places_;  ///< among the runs, of each
  std::vector<std::vector<runs::RunRecord>> runs_;
  double events_ = 0;
};

/// Means of the objective over the replications that count in all of some lists of runs.
struct CommonMeans {
  std::size_t runs = 0;
  std::vector<double> means;  ///< of each list, 0 if no replication counts in all
};

CommonMeans means_in_common(const std::vector<const std::vector<runs::RunRecord>*>& lists,
                            const std::string& objective);

}  // namespace faultline::advice
