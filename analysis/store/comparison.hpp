// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline::store {

struct ComparisonSettings {
  /// The path whose values compete. If there are several, the combinations of their values that
  /// occur compete.
  std::vector<std::string> by;
  std::string metric;
  bool higher_is_better = false;
};

/// The difference between two contenders in one situation. It is computed replication by
/// replication, since both used the same random numbers.
struct PairedDifference {
  std::size_t first = 0;  ///< indices of contenders
  std::size_t second = 0;
  /// First minus second, over common replications. The 95 % of its interval hold for all pairs of
  /// the situation together.
  statistics::Summary difference;
  bool first_better = false;
  bool second_better = false;  ///< if neither is better, no difference is shown
  bool by_completed = false;   ///< the shares of runs that completed decide, not the metric
};

/// One of the competing values.
struct Contender {
  /// As the store has it, which tells contenders apart; of several paths an object of theirs.
  std::string value;
  std::string name;  ///< in words
  const SelectedPoint* point = nullptr;
  statistics::Summary summary;
  std::string excluded;  ///< why it cannot win ("failed", "3 bad runs, 1 cut off"); "" if it can
  statistics::Summary completed = {};  ///< the share of its runs that completed
  bool completes_less = false;         ///< than the best, so it cannot win
};

/// Points that differ only in what competes.
struct Situation {
  std::vector<json::JsonValue> key;  ///< a cell for each of the other swept paths
  std::vector<Contender> contenders;
  std::vector<PairedDifference> pairs;  ///< pairs of contenders that can win

  /// The contender that is shown to be better than every other and completes half of its runs, or
  /// null.
  [[nodiscard]] const Contender* winner() const;
};

struct Comparison {
  std::vector<std::string> paths;    ///< the paths of the keys
  std::vector<std::size_t> varying;  ///< the numbers of those that have several values
  std::string common;                ///< the swept paths with one value (common_values)
  std::vector<Situation> situations;
};

/// The paths as an option lists them: "termination,failure_detection".
std::string with_commas(const std::vector<std::string>& paths);

/// The other swept paths, but `seed`, whose values change with those at these paths, as zipped and
/// derived ones do: each combination of values at `by` has one value there.
std::vector<std::string> tied_paths(const std::vector<SelectedPoint>& points,
                                    const std::vector<std::string>& by);

/// Compares the values at some paths wherever everything else is equal: first by the share of runs
/// that completed (analysis/store/completion_ranking), then by the metric. Throws UsageError if no
/// two points differ in these paths alone, and if compared points have different random numbers.
Comparison compare(const std::vector<SelectedPoint>& points, const ComparisonSettings& settings);

/// The first contender of each value, in the order in which they appear.
std::vector<const Contender*> first_of_each_value(const Comparison& comparison);

/// The contender of a situation that has the value of another, or null.
const Contender* with_value_of(const Situation& situation, const Contender& other);

/// The unit in which to print the means of all contenders.
text::TimeUnit unit_of_means(const Comparison& comparison, const std::string& metric);

/// How many of the compared runs were cut off at a limit, as a sentence; "" if none was.
std::string cut_off_runs(const Comparison& comparison);

/// How rows show swept values: as the store has them, or in words for people.
enum class ValuesAs { stored, words };

/// One row for each pair of each situation: paths, first, second, first_mean, second_mean, pairs,
/// difference, low, high, verdict, winner, first_completed, second_completed, decided_by.
std::vector<Row> comparison_rows(const Comparison& comparison, ValuesAs values = ValuesAs::stored);

}  // namespace faultline::store
