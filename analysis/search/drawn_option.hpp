// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/core/random.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Can values of the option be drawn from its declaration? Names of files and free texts cannot.
bool can_be_drawn(const OptionSpec& spec);

/// Draws a value of the option, whatever its default is: one of its choices, or a number in its
/// range. Numbers without an upper bound are drawn log-uniformly around the default; now and then
/// they are at the end of their range. Counts stay small, and so do the runs. The option must be
/// one that can be drawn.
JsonValue draw_value(const OptionSpec& spec, Stream& random, std::uint32_t processes);

/// How often options are off their defaults in one object: seldom, in half of all cases, or mostly,
/// so that those that matter only together are drawn together, and each beside others' defaults.
double draw_boldness(Stream& random);

/// Gives `object` each of these options with such a probability, and those that are required
/// always. What is left out has its default. Counts with a large default are left out more rarely,
/// because runs would be long. What `except` names is not drawn, and neither is what cannot be.
void draw_options(JsonValue& object, const std::vector<OptionSpec>& specs, Stream& random,
                  std::uint32_t processes, double boldness,
                  const std::vector<std::string>& except = {});

/// Draws a number whose logarithm is uniform, with at most three significant digits, so that equal
/// times are not rare.
double draw_spread(Stream& random, double least, double most);

}  // namespace faultline::search
