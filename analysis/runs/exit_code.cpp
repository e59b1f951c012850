#include "analysis/runs/exit_code.hpp"

#include "analysis/runs/replications.hpp"

namespace faultline {

ExitCode exit_code(const std::string& outcome, bool violated) {
  const bool limit = outcome == "limit";
  const bool good = outcome == "terminated" || outcome == "finished" ||
                    outcome == "fatal-reported" || outcome == "all-failed" || limit;
  if (!good || violated) return kExitViolation;
  return limit ? kExitRun : kExitGood;
}

ExitCode exit_code(const ReplicationRecord& record) {
  if (!record.error.empty()) return kExitRun;
  return exit_code(*record.json.find("metrics")->find("outcome")->text(),
                   !record.json.find("violations")->list()->empty());
}

}  // namespace faultline
