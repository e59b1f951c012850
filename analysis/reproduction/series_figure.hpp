// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/reproduction/verdicts.hpp"

namespace faultline {

/// figure_script() of an item whose curves are series.
std::string series_script(const ItemResult& result, const FigureRows& rows,
                          const std::string& stem);

}  // namespace faultline
