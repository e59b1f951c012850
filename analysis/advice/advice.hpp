// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/crossovers.hpp"
#include "analysis/advice/engine_check.hpp"
#include "analysis/advice/gaps.hpp"
#include "analysis/advice/sensitivity.hpp"

namespace faultline::advice {

/// All that has been found out about a question.
struct Advice {
  Findings findings = {};
  Gaps gaps = {};
  std::vector<Crossovers> crossovers = {};  ///< of each path of `over`
  Sensitivity sensitivity = {};
  std::optional<EngineCheck> engine_check = {};
  double events_for_values = 0;  ///< of runs that only tell what values to try

  [[nodiscard]] bool is_interrupted() const;
  /// The events of all runs together.
  [[nodiscard]] double events() const;
};

/// Races the alternatives of the question, and then looks at what the answer rests on, as far as
/// the budget goes. A quick one only races, and finds crossovers. `field` is that of the question,
/// and gets further alternatives if options are tuned around Daly's interval.
Advice advise(const Question& question, Field& field, store::ResultStore& store,
              const AdvisorSettings& settings);

}  // namespace faultline::advice
