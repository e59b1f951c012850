#pragma once

#include <cstdint>
#include <string>

namespace faultline {

struct ReplicationRecord;

/// Exit codes of the program (docs/exit-codes.md).
enum ExitCode : std::uint8_t {
  kExitGood = 0,
  kExitRun = 1,        ///< a crash, memory, or a limit of `stop`
  kExitUsage = 2,      ///< command line or scenario
  kExitViolation = 3,  ///< premature, hung, deadlock, any other violation of the ground truth
  kExitInterrupted = 130,
};

/// The exit code of one run that ended so.
ExitCode exit_code(const std::string& outcome, bool violated);

/// The exit code of one replication.
ExitCode exit_code(const ReplicationRecord& record);

}  // namespace faultline
