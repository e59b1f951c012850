// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/json/json_path.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {

/// The place in a scenario that a key names. If it names none, adds a problem at `place`, where the
/// key stands, and returns an empty path.
json::JsonPath named_path(const std::string& key, const std::string& place,
                          json::Problems& problems);

/// As named_path, for a key that a point sets. Adds a problem if no point has such a place.
/// `beside` are the other keys that could be meant there.
json::JsonPath swept_path(const std::string& key, const std::string& place,
                          json::Problems& problems, const std::vector<std::string>& beside = {});

}  // namespace faultline::scenario
