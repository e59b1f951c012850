// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "sim/json/json_path.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

/// The places that the formulas of a study may name (sim/scenario/expression). A formula with
/// another name would be computed with null, and keep or drop points without a word.
class KnownPaths {
 public:
  /// Every place that the scenario of a point may state (`scenario_schema`), whether it does or
  /// not: each family is one component there, and nothing is swept.
  static const KnownPaths& of_scenarios();

  /// Adds every place of a tree.
  void add(const JsonValue& tree);
  /// Adds a place by its text, with [] for an index.
  void add(const std::string& path) { paths_.insert(path); }

  /// Is this one of them? An index of a list counts whether the list is so long or not.
  [[nodiscard]] bool contains(const JsonPath& path) const;

  /// Says of a path that is none of them what it may have been meant for. `of` is whose path it is
  /// not: "the points".
  [[nodiscard]] std::string refusal(const JsonPath& path, const std::string& of) const;

 private:
  std::set<std::string> paths_;  ///< with [] for each index
};

}  // namespace faultline
