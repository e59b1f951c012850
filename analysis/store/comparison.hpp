// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline::store {

struct ComparisonSettings {
  std::string by;  ///< the path whose values compete
  std::string metric;
  bool higher_is_better = false;
};

/// The difference between two values of the path in one situation. It is computed replication by
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

/// One of the competing values of the path.
struct Contender {
  std::string value;  ///< as the store has it, which tells contenders apart
  std::string name;   ///< the value in words
  const SelectedPoint* point = nullptr;
  statistics::Summary summary;
  std::string excluded;  ///< why it cannot win ("failed", "3 bad runs, 1 cut off"); "" if it can
  statistics::Summary completed = {};  ///< the share of its runs that completed
  bool completes_less = false;         ///< than the best, so it cannot win
};

/// Points that differ only in the path.
struct Situation {
  std::vector<json::JsonValue> key;  ///< a cell for each of the other swept paths
  std::vector<Contender> contenders;
  std::vector<PairedDifference> pairs;  ///< pairs of contenders that can win

  /// The contender that is shown to be better than every other and completes half of its runs, or
  /// null.
  [[nodiscard]] const Contender* winner() const;
};

struct Comparison {
  std::vector<std::string> paths;  ///< the paths of the keys
  std::vector<Situation> situations;
};

/// Compares the values of a path wherever everything else is equal: first by the share of runs that
/// completed (analysis/store/completion_ranking), then by the metric. Throws UsageError for a path
/// in which no two points differ alone, and for one that changes the random numbers.
Comparison compare(const std::vector<SelectedPoint>& points, const ComparisonSettings& settings);

/// The first contender of each value, in the order in which they appear.
std::vector<const Contender*> first_of_each_value(const Comparison& comparison);

/// The contender of a situation that has the value of another, or null.
const Contender* with_value_of(const Situation& situation, const Contender& other);

/// The unit in which to print the means of all contenders.
text::TimeUnit unit_of_means(const Comparison& comparison, const std::string& metric);

/// A warning if the runs of one contender complete more often than those of another, since giving
/// up early is cheap; "" if all complete equally often.
std::string unequal_endings(const Comparison& comparison);

/// How many of the compared runs were cut off at a limit, as a sentence; "" if none was.
std::string cut_off_runs(const Comparison& comparison);

/// How rows show swept values: as the store has them, or in words for people.
enum class ValuesAs { stored, words };

/// One row for each pair of each situation: paths, first, second, first_mean, second_mean, pairs,
/// difference, low, high, verdict, winner, first_completed, second_completed, decided_by.
std::vector<Row> comparison_rows(const Comparison& comparison, ValuesAs values = ValuesAs::stored);

/// The comparison as tables for people: means and winners, then the differences. `width` is in
/// characters.
std::string comparison_table(const Comparison& comparison, const ComparisonSettings& settings,
                             std::size_t width = text::kUsualWidth);

}  // namespace faultline::store
