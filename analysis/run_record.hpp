#pragma once

#include <cstdint>

#include "sim/engine/run_result.hpp"
#include "sim/scenario/json_value.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// One entry of `runs` in the JSON output: identity, metrics, violations, performance.
JsonValue run_record(const Scenario& scenario, std::size_t point, std::uint64_t replication,
                     const RunResult& result);

/// Largest resident set of this process so far, bytes.
std::int64_t peak_rss_bytes();

}  // namespace faultline
