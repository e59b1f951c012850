// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/figure.hpp"

#include <variant>

#include "analysis/reproduction/series_figure.hpp"
#include "analysis/reproduction/series_samples.hpp"
#include "analysis/reproduction/step_model_figure.hpp"

namespace faultline::reproduction {

namespace {

bool draws_series(const ReproductionItem& item) {
  return std::holds_alternative<SeriesMeasure>(item.measures[item.curves.front()].how);
}

}  // namespace

FigureRows figure_rows(const ItemResult& result) {
  return draws_series(result.item) ? series_rows(result) : step_model_rows(result);
}

FigurePanels figure_panels(const ItemResult& result) {
  return draws_series(result.item) ? series_panels(result) : step_model_panels(result);
}

}  // namespace faultline::reproduction
