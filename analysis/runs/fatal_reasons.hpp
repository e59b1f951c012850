#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "analysis/runs/run_record.hpp"

namespace faultline {

/// Why runs ended as `fatal-reported`, and how many for each reason. Takes no more memory for more
/// runs: reasons that first appear when 64 are known count together.
class FatalReasons {
 public:
  /// Runs that ended otherwise do not count.
  void add(const RunRecord& run);

  /// "120 fatal-reported: 118 the root has failed, 2 all leaders have died": the three most
  /// frequent reasons, of equally frequent ones the first in the alphabet, and how many runs had
  /// others. "" where no run ended so. Reasons are cut to a readable length and shown as `visible`
  /// has it (sim/core/visible_text); a page escapes the text as any other.
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::string, std::size_t> runs_;  ///< by reason
  std::size_t more_ = 0;                     ///< of reasons that are not kept
};

}  // namespace faultline
