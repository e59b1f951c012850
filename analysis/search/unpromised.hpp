#pragma once

#include <cstdint>

#include "analysis/runs/run_record.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// May a run that has gone wrong have done so, as the pages of the protocols and of the
/// disturbances stand? It may
/// - after a false report;
/// - if a cut network has lost a message that no detector sent, because nobody repeats it;
/// - if somebody has missed a death of which a cut or lossy network has lost the word;
/// - if somebody has missed a death after a process has returned, under protocols that bring
///   processes back over a ring of heartbeats, in which these have no place;
/// - if somebody has missed a death under `rdaemon` as PRRTE has it, which does not observe node 0.
/// It runs the scenario once more if it has to know what the network has lost.
bool is_unpromised(const Scenario& scenario, const RunRecord& run);

/// Did nothing happen in a run that a protocol could give up for? Deaths, reports of them, errors
/// in data that a program finds, and ranks that stall for longer than others wait.
bool was_in_peace(const RunSpec& spec, const RunRecord& run);

}  // namespace faultline::search
