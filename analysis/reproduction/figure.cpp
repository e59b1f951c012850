// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/figure.hpp"

#include <variant>

#include "analysis/reproduction/series_figure.hpp"
#include "analysis/reproduction/series_samples.hpp"
#include "analysis/reproduction/step_model_figure.hpp"

namespace faultline {

namespace {

bool draws_series(const ReproductionItem& item) {
  return std::holds_alternative<SeriesMeasure>(item.measures[item.curves.front()].how);
}

}  // namespace

FigureRows figure_rows(const ItemResult& result) {
  return draws_series(result.item) ? series_rows(result) : step_model_rows(result);
}

std::string figure_script(const ItemResult& result, const FigureRows& rows,
                          const std::string& stem) {
  return draws_series(result.item) ? series_script(result, rows, stem)
                                   : step_model_script(result.item, rows, stem);
}

}  // namespace faultline
