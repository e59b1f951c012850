// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/traces/run_trace.hpp"

namespace faultline::traces {

/// The limits of a run that is repeated in a stated order. A step takes a millisecond there, so
/// these are more steps than any counterexample has, and a run that never ends shows soon.
inline constexpr double kOrderedGrace_s = 10.0;
inline constexpr double kOrderedLongest_s = 100.0;

/// A run specification with a stated order of its events. What is left after the last of them
/// happens in the order in which it was scheduled.
scenario::RunSpec in_order(scenario::RunSpec spec, scenario::RunOrder order);

/// Carries out a run in a stated order and records all of it. Throws BrokenInvariant.
RunTrace recorded(const scenario::RunSpec& ordered, std::uint64_t seed);

}  // namespace faultline::traces
