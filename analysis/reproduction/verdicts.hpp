// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/item.hpp"
#include "analysis/reproduction/measures.hpp"
#include "analysis/text/text_table.hpp"

namespace faultline::reproduction {

/// The verdict on one cell, and the measurement for it.
struct CellResult {
  statistics::Estimate measured;
  std::optional<double> ratio;        ///< measured / paper
  std::optional<double> exact_ratio;  ///< measured / exact
  Verdict verdict = Verdict::not_comparable;
  bool agrees_with_exact = true;  ///< true if no exact value is known
  std::string reason;

  /// True if the verdict is that of the data file, and nothing disagrees with theory.
  [[nodiscard]] bool is_expected(const Cell& cell) const {
    return verdict == cell.expected && agrees_with_exact;
  }
};

/// Lines of a CSV file, the header first.
using FigureRows = std::vector<std::vector<std::string>>;

/// A drawn run.
struct Picture {
  std::string name;
  std::string svg;
};

struct ItemResult {
  ReproductionItem item;
  std::vector<CellResult> cells;   ///< one for each cell of the item
  std::vector<Measured> measured;  ///< one for each measure of the item
  FigureRows figure = {};          ///< the drawn numbers; empty if nothing is drawn
  std::string drawing = {};        ///< SVG; "" if there is none
  bool interrupted = false;

  /// The runs that the item's explorations have found, by the names of the measures.
  [[nodiscard]] std::vector<Picture> pictures() const;
};

/// The sources of an item's values. Each has a column in the tables.
std::vector<Source> sources_of(const ReproductionItem& item);

/// Compares one measurement with its printed and its exact value.
CellResult judge(const Cell& cell, const statistics::Estimate& measured);

/// The work of all measures of an item, which `settings.worked` will be told about.
double work_of(const ReproductionItem& item, const ReproductionSettings& settings);

/// Carries out all measures of an item and judges its cells. Items that share `counts` count no
/// tree of a step model twice; the results do not depend on it.
ItemResult reproduce_item(ReproductionItem item, const ReproductionSettings& settings,
                          StepModelCounts& counts);
ItemResult reproduce_item(ReproductionItem item, const ReproductionSettings& settings);

/// True if every cell has the expected verdict (CellResult::is_expected).
bool as_expected(const std::vector<ItemResult>& results);

/// The results as JSON, and as tables of `width` characters. Neither has wall times, so every run
/// gives the same bytes, whatever the number of jobs.
std::string reproduction_json(const std::vector<ItemResult>& results, bool quick);
std::string reproduction_table(const std::vector<ItemResult>& results, bool quick,
                               std::size_t width = text::kUsualWidth);

}  // namespace faultline::reproduction
