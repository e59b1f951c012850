// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/alternatives.hpp"

namespace faultline::advice {

/// The numbers of the alternatives, the best first: the leader, then by their means those that are
/// equivalent or still race, those behind, and those that are unfit.
std::vector<std::size_t> ranking(const Findings& findings);

/// The same, with the best of each stack alone.
std::vector<std::size_t> best_of_stacks(const Field& field, const Findings& findings);

/// The same, without stacks that are unfit or have no mean. The leader comes first.
std::vector<std::size_t> fit_of_stacks(const Field& field, const Findings& findings);

}  // namespace faultline::advice
