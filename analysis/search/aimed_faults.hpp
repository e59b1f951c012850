// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/random.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Aims the faults of a drawn scenario at what happens in its run without them: a fault strikes at
/// an event of that run, at a mark that is set in it, or while actors do something, mostly one of
/// those. The next fault is aimed at the run with the previous faults, mostly at what follows the
/// last one. Times of sources, cuts, slow nodes and stalls get the scale of the run, or of a time
/// that a component of it declares. One fault in ten stays as it was drawn, and so do those of a
/// scenario that is refused.
json::JsonValue with_aimed_faults(json::JsonValue scenario, Stream random);

/// Scenario number `number`: as drawn from the declarations (draw_scenario), and aimed. It depends
/// on nothing but the number and the program.
json::JsonValue aimed_scenario(std::uint64_t number);

/// The aimed scenario of that number without the faults that it states, whose run the faults are
/// aimed at.
json::JsonValue scenario_aimed_at(std::uint64_t number);

}  // namespace faultline::search
