// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/reproduction/verdicts.hpp"

namespace faultline {

/// figure_rows() of an item whose curves are step models.
FigureRows step_model_rows(const ItemResult& result);

/// figure_script() of an item whose curves are step models.
std::string step_model_script(const ReproductionItem& item, const FigureRows& rows,
                              const std::string& stem);

}  // namespace faultline
