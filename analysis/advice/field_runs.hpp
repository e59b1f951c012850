// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/alternatives.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

struct AdvisorSettings {
  unsigned jobs = 1;
  bool progress = false;  ///< on stderr
  bool is_quick = false;  ///< at most 40 runs each, and nothing but the answer
  /// No further runs are begun after that.
  std::optional<std::chrono::steady_clock::time_point> until;

  [[nodiscard]] bool is_late() const { return until && std::chrono::steady_clock::now() > *until; }
};

/// The runs of the alternatives of a field. A store keeps them, and may have some already, also of
/// another question: these are not made again.
class FieldRuns {
 public:
  /// Each run keeps only the metrics that are named here, `completed`, and what strata need.
  FieldRuns(Field& field, store::ResultStore& store, const AdvisorSettings& settings,
            std::vector<std::string> metrics);

  /// Makes the first so many runs of the alternatives that are named. Returns false if the user has
  /// interrupted that.
  bool make(const std::vector<std::size_t>& alternatives, std::uint32_t runs);

  /// In the order of the replications, by alternative.
  [[nodiscard]] const std::vector<std::vector<runs::RunRecord>>& of_all() const { return runs_; }
  /// Why the runs of an alternative fail; "" if they do not.
  [[nodiscard]] const std::string& failure(std::size_t alternative) const {
    return failures_[alternative];
  }
  /// The events of all these runs.
  [[nodiscard]] double events() const;

 private:
  void look_elsewhere();
  void take_from_elsewhere(std::size_t alternative);
  [[nodiscard]] std::optional<std::size_t> alternative_of(const store::StoredPoint& point) const;
  void take(std::size_t alternative);
  [[nodiscard]] runs::RunRecord what_counts(runs::RunRecord run) const;

  scenario::Study& study_;
  store::ResultStore& store_;
  const AdvisorSettings& settings_;
  std::vector<std::string> metrics_;
  std::int64_t study_id_;
  std::vector<std::uint32_t> wanted_;  ///< replications, by alternative
  std::vector<std::vector<runs::RunRecord>> runs_;
  std::vector<std::string> failures_;
  std::vector<std::vector<store::PointRange>> elsewhere_;  ///< the same jobs in other studies
};

/// The events of runs together.
double events_of(const std::vector<runs::RunRecord>& runs);

}  // namespace faultline::advice
