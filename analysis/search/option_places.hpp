// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// The places of all options that are drawn, such as "platform.ordering" or "token-ring.route";
/// and, separately, of those that are not: they name a file, or are a free text.
struct DrawnOptions {
  std::vector<std::string> drawn;
  std::vector<std::string> not_drawn;
};
const DrawnOptions& drawn_options();

/// The places of the options that a scenario states, as in DrawnOptions.
std::vector<std::string> stated_options(const json::JsonValue& scenario);

}  // namespace faultline::search
