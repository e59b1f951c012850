// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/random.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Aims the faults of a drawn scenario at what happens in its run, which is made without them: a
/// fault strikes at an event of that run, at a mark that is set in it, or while somebody does
/// something, mostly one of those who do it. The next fault is aimed at what the run becomes with
/// the one before, mostly at what follows that. Times of sources, cuts, slow nodes and stalls get
/// the scale of the run, or of a time that a component of it declares. One fault in ten stays as it
/// was drawn, and so do those of a scenario that is refused.
JsonValue with_aimed_faults(JsonValue scenario, Stream random);

/// Scenario number `number`: as drawn from the declarations (draw_scenario), and aimed. It depends
/// on nothing but the number and the program.
JsonValue aimed_scenario(std::uint64_t number);

/// The same without the faults that it states: what is run first, to aim at.
JsonValue scenario_aimed_at(std::uint64_t number);

}  // namespace faultline::search
