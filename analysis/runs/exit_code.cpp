#include "analysis/runs/exit_code.hpp"

namespace faultline {

ExitCode exit_code(Outcome outcome, bool violated) {
  switch (outcome) {
    case Outcome::terminated:
    case Outcome::finished:
    case Outcome::fatal_reported:
    case Outcome::all_failed:
      return violated ? kExitViolation : kExitGood;
    case Outcome::limit:
      return violated ? kExitViolation : kExitRun;
    case Outcome::premature:
    case Outcome::hung:
    case Outcome::deadlock:
    case Outcome::wrong_state:
    case Outcome::inconsistent:
    case Outcome::violated:
    case Outcome::unsafe_detector:
      break;
  }
  return kExitViolation;
}

ExitCode exit_code(const RunRecord& run) { return exit_code(run.outcome, !run.violations.empty()); }

ExitCode exit_code(const ReplicationRecord& record) {
  return record.run ? exit_code(*record.run) : kExitRun;
}

}  // namespace faultline
