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

namespace faultline {

// Readers of what hinders a job without killing anybody. Each takes the value of its key, adds its
// errors to `problems`, and returns what remains. `job` is nothing if the platform is wrong, so
// that the job's size is not known.

/// `faults.partition`: an object, or a list of them.
std::vector<PartitionSpec> read_partitions(const JsonValue& value,
                                           const std::optional<JobShape>& job, Problems& problems);

/// `faults.slow`: an object, or a list of them.
std::vector<SlowSpec> read_slow(const JsonValue& value, const std::optional<JobShape>& job,
                                Problems& problems);

/// `platform.delay_noise`: an object, or null for none.
std::optional<DelayNoise> read_delay_noise(const JsonValue& value, Problems& problems);

/// `platform.fencing`: an object.
FencingSpec read_fencing(const JsonValue& value, Problems& problems);

/// `platform.os_noise`: an object, or null for none.
std::optional<OsNoise> read_os_noise(const JsonValue& value, const std::optional<JobShape>& job,
                                     Problems& problems);

}  // namespace faultline
