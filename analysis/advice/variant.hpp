// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/field_runs.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// The first runs of some alternatives, in the job of a question or in one that is changed.
class Variant {
 public:
  /// Those with these numbers, as they are.
  Variant(Field field, const std::vector<std::size_t>& places);
  /// These alternatives in the job of the question. Throws UsageError if none can run it.
  Variant(const Question& question, const std::vector<Alternative>& alternatives);

  /// Makes their first runs, unless the store has them. Returns false if the user has interrupted
  /// that.
  bool run(std::uint32_t runs, const std::string& objective, store::ResultStore& store,
           const AdvisorSettings& settings);

  /// The runs of the alternative with this number in the list; none if it cannot run so.
  [[nodiscard]] const std::vector<runs::RunRecord>& of(std::size_t number) const;
  /// Of all these runs.
  [[nodiscard]] double events() const { return events_; }

 private:
  Field field_;
  std::vector<std::optional<std::size_t>> places_;  ///< in the field, of each
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
