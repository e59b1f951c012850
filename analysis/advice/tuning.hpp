// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::advice {

/// Part of what a path of a scenario can be. Both ends belong to it, and are above 0.
struct Range {
  double from = 0;
  double to = 0;
  bool is_whole = false;  ///< only whole numbers
};

/// A path of which each alternative tries several values.
struct Tuned {
  std::string path;
  json::JsonValue::List values = {};
  /// Checkpoints around Daly's interval, which differs from stack to stack.
  bool is_daly = false;
  std::map<std::string, json::JsonValue::List> of_stack = {};  ///< more values, by the stack's name
};

/// A path along which the best choice may change.
struct PathRange {
  std::string path;
  Range range;
};

/// A value of the range, as JSON: a whole number where only these are meant, else three digits.
json::JsonValue value_in(const Range& range, double value);

/// Both ends, and values between them that grow by the same factor: by 2 or a little less, or by
/// more where that would take more than `most` values.
json::JsonValue::List ladder(const Range& range, std::size_t most);

/// Reads `tune`: by path the values, or {"from", "to"}, or "daly". What is wrong becomes a problem.
std::vector<Tuned> read_tune(const json::JsonValue& value, json::Problems& problems);

/// Reads `over`: {"from", "to"} by path.
std::vector<PathRange> read_over(const json::JsonValue& value, json::Problems& problems);

}  // namespace faultline::advice
