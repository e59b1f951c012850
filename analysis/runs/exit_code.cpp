// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/exit_code.hpp"

namespace faultline::runs {

ExitCode exit_code(engine::Outcome outcome, bool violated) {
  switch (outcome) {
    case engine::Outcome::terminated:
    case engine::Outcome::finished:
    case engine::Outcome::fatal_reported:
    case engine::Outcome::all_failed:
      return violated ? kExitViolation : kExitGood;
    case engine::Outcome::limit:
      return violated ? kExitViolation : kExitRun;
    case engine::Outcome::premature:
    case engine::Outcome::hung:
    case engine::Outcome::deadlock:
    case engine::Outcome::wrong_state:
    case engine::Outcome::inconsistent:
    case engine::Outcome::violated:
    case engine::Outcome::missed_death:
    case engine::Outcome::unsafe_detector:
      break;
  }
  return kExitViolation;
}

ExitCode exit_code(const RunRecord& run) { return exit_code(run.outcome, !run.violations.empty()); }

ExitCode exit_code(const ReplicationRecord& record) {
  return record.run ? exit_code(*record.run) : kExitRun;
}

}  // namespace faultline::runs
