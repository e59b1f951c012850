// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "analysis/runs/run_record.hpp"

namespace faultline::runs {

/// Counts the reasons for which runs ended as `fatal-reported`. It keeps 64 reasons; runs with any
/// other are counted together, so its memory does not grow with the number of runs.
class FatalReasons {
 public:
  /// Counts a run. Ignores runs that ended otherwise.
  void add(const RunRecord& run);

  /// The three most frequent reasons, and how many runs had others, such as "120 fatal-reported:
  /// 118 the root has failed, 2 all leaders have died". Equally frequent reasons are in
  /// alphabetical order. "" if no run ended like this. Reasons are cut to a readable length and
  /// made harmless by `visible` (sim/core/visible_text); a page must still escape the text.
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::string, std::size_t> runs_;  ///< by reason
  std::size_t more_ = 0;                     ///< runs whose reasons are not kept
};

}  // namespace faultline::runs
