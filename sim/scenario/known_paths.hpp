// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "sim/json/json_path.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::scenario {

/// The places that the formulas of a study may name (sim/scenario/expression). A formula with
/// another name would read null there, and keep or drop points without a word.
class KnownPaths {
 public:
  /// Every place that the scenario of a point may state (`scenario_schema`), whether it does or
  /// not. There, each family is one component, `stacks` is a name, and nothing is swept.
  static const KnownPaths& of_scenarios();

  /// Adds every place of a tree.
  void add(const json::JsonValue& tree);
  /// Adds a place by its text, with [] for an index.
  void add(const std::string& path) { paths_.insert(path); }

  /// True if this is one of the places. Any index of a list counts, however long the list is.
  [[nodiscard]] bool contains(const json::JsonPath& path) const;

  /// The message for a path that is none of these places, with a guess at what was meant. `of`
  /// names whose path it is not, such as "the points".
  [[nodiscard]] std::string refusal(const json::JsonPath& path, const std::string& of) const;

 private:
  std::set<std::string> paths_;  ///< with [] for each index
};

}  // namespace faultline::scenario
