// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/lemmas/fault_schedule.hpp"
#include "analysis/lemmas/protocol_stack.hpp"

namespace faultline::lemmas {

/// A stack of protocols for which the search tests the lemmas, with its name in data files
/// ("rel-lazy fallback").
struct LemmaSubject {
  std::string name;
  ProtocolStack stack;
  /// Draws the schedule of that number for it.
  std::function<FaultSchedule(std::uint64_t)> draw = draw_schedule;
};

/// The subjects of this family: detectors of termination under the oracle or of failures, or
/// protocols of message logging or of transactions. Schedules on simgrid take them in turn.
const std::vector<LemmaSubject>& lemma_subjects(Family family = Family::termination);

/// The protocols of transactions under wide schedules, over the oracle and over each detector, as
/// far as the detector watches processes that have been started again.
const std::vector<LemmaSubject>& wide_block_subjects();

}  // namespace faultline::lemmas
