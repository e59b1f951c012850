// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace faultline::scenario {

/// What follows, in a refusal that `allow_unsafe` lifts, after what would work.
inline constexpr const char* kOrAllow = ", or set \"allow_unsafe\": true";

/// Refusals of combinations, each of which says what does not work, and then what would: that is
/// said once, however many components and points do not work.
class ToldOnce {
 public:
  /// The line, without what would work if an earlier line has said the same.
  std::string shortened(const std::string& line);

 private:
  std::set<std::string> told_;
};

/// The lines of a text, shortened in their order.
std::string told_once(const std::string& lines);

}  // namespace faultline::scenario
