// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/advice/tuning.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/store/result_store.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::advice {

/// Values of a path for which one choice is as good as any.
struct Stretch {
  double from = 0;
  double to = 0;
  std::string use;  ///< a stack; "" if none is fit
};

/// A value of a path at which the alternatives have raced.
struct RacedValue {
  double value = 0;
  std::map<std::string, statistics::Summary> means;  ///< of the objective, by stack
};

/// Where the choice changes along a path.
struct Crossovers {
  std::string path;
  std::vector<Stretch> stretches;  ///< ascending; between two of them the choice changes
  bool matters = false;            ///< any mean differs between two values
  RaceEnd end = RaceEnd::decided;  ///< why no further values were looked at
  std::vector<RacedValue> raced;   ///< ascending
  double events = 0;               ///< of all their runs
};

/// The values of a range at which the alternatives race in any case.
json::JsonValue::List first_values(const Range& range);

/// Throws UsageError if a path of `over` changes no alternative, or if no alternative can run the
/// job at one of its first values.
void check_paths(const Question& question);

/// Races the alternatives at values of each path of `over`, and looks for the least number of
/// choices with which one is never shown to be worse than another: a choice is kept as long as it
/// is as good as any, and where it is not any more is found by bisection, to a factor of 1.25. Each
/// race by itself is right with the question's confidence. All of them together take as many events
/// as are left. The paths have been checked.
std::vector<Crossovers> crossovers(const Question& question, double events_left,
                                   store::ResultStore& store, const AdvisorSettings& settings);

}  // namespace faultline::advice
