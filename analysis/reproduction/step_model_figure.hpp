// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/reproduction/figure.hpp"

namespace faultline::reproduction {

/// figure_rows() of an item whose curves are step models.
FigureRows step_model_rows(const ItemResult& result);

/// figure_panels() of such an item.
FigurePanels step_model_panels(const ItemResult& result);

}  // namespace faultline::reproduction
