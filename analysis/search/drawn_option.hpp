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

/// True if values of the option can be drawn from its declaration. Names of files and free texts
/// cannot.
bool can_be_drawn(const OptionSpec& spec);

/// Draws a value of the option, whatever its default is: one of its choices, or a number in its
/// range. Numbers without an upper bound are drawn log-uniformly around the default; now and then
/// they are at the end of their range. Counts stay small, and so do the runs. The option must be
/// one that can be drawn.
json::JsonValue draw_value(const OptionSpec& spec, Stream& random, std::uint32_t processes);

/// How often options of one object differ from their defaults: seldom, in half of all cases, or
/// mostly. So options that matter only together are drawn together, and each is also drawn beside
/// others' defaults.
double draw_boldness(Stream& random);

/// Gives `object` each of these options with this probability, and required ones always. An option
/// that is left out has its default. Counts with a large default are drawn more rarely, because
/// runs would be long. Options in `except` are not drawn, nor are those that cannot be.
void draw_options(json::JsonValue& object, const std::vector<OptionSpec>& specs, Stream& random,
                  std::uint32_t processes, double boldness,
                  const std::vector<std::string>& except = {});

/// Draws a number whose logarithm is uniform, with at most three significant digits, so that equal
/// times are not rare.
double draw_spread(Stream& random, double least, double most);

}  // namespace faultline::search
