// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/reproduction/figure.hpp"

namespace faultline::reproduction {

/// figure_panels() of an item whose curves are series.
FigurePanels series_panels(const ItemResult& result);

}  // namespace faultline::reproduction
