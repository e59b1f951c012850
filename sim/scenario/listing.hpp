// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace faultline::scenario {

/// The kinds of things that a scenario can name (protocols, workloads, machines, engines, faults),
/// and the metrics that a result can have.
const std::vector<std::string>& listing_sections();

/// Everything that is declared in these sections, as JSON for programs (docs/output.md).
std::string listing_json(const std::vector<std::string>& sections);

/// A shorter listing for people, in 80 columns; with `options`, the options of each entry as well.
std::string listing_text(const std::vector<std::string>& sections, bool options);

}  // namespace faultline::scenario
