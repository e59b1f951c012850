// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/faults/fault_spec.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

// Readers of what hinders a job without killing anybody. Each takes the value of its key, adds its
// errors to `problems`, and returns what remains. `job` is nothing if the platform is wrong, so
// that the job's size is not known.

/// `faults.partition`: an object, or a list of them.
std::vector<faults::PartitionSpec> read_partitions(const json::JsonValue& value,
                                                   const std::optional<JobShape>& job,
                                                   json::Problems& problems);

/// `faults.slow`: an object, or a list of them.
std::vector<faults::SlowSpec> read_slow(const json::JsonValue& value,
                                        const std::optional<JobShape>& job,
                                        json::Problems& problems);

/// `platform.delay_noise`: an object, or null for none.
std::optional<DelayNoise> read_delay_noise(const json::JsonValue& value, json::Problems& problems);

/// `platform.fencing`: an object.
FencingSpec read_fencing(const json::JsonValue& value, json::Problems& problems);

/// `platform.os_noise`: an object, or null for none.
std::optional<OsNoise> read_os_noise(const json::JsonValue& value,
                                     const std::optional<JobShape>& job, json::Problems& problems);

}  // namespace faultline::scenario
