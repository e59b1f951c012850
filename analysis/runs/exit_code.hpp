// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/runs/run_record.hpp"
#include "sim/engine/verdict/run_result.hpp"

namespace faultline::runs {

/// Exit codes of the program (docs/exit-codes.md).
enum ExitCode : std::uint8_t {
  kExitGood = 0,
  kExitRun = 1,        ///< a crash, memory, or a limit of `stop`
  kExitUsage = 2,      ///< command line or scenario
  kExitViolation = 3,  ///< premature, hung, deadlock, any other violation of the ground truth
  kExitInterrupted = 130,
};

/// The exit code of one run, by its outcome and whether it had violations.
ExitCode exit_code(engine::Outcome outcome, bool violated);
ExitCode exit_code(const RunRecord& run);

/// The exit code of one replication. One that crashed has kExitRun.
ExitCode exit_code(const ReplicationRecord& record);

}  // namespace faultline::runs
