// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/store/comparison.hpp"
#include "analysis/text/text_table.hpp"

namespace faultline::store {

/// The comparison as one table for people. Each situation has a line for each contender, the winner
/// first: its mean, and how far it is from the winner, or from the best mean where no winner is
/// shown. If names or keys would make lines longer than `width` characters, a legend has them.
std::string comparison_table(const Comparison& comparison, const ComparisonSettings& settings,
                             std::size_t width = text::kUsualWidth);

}  // namespace faultline::store
