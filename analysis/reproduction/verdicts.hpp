#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/item.hpp"
#include "analysis/reproduction/measures.hpp"
#include "analysis/text/text_table.hpp"

namespace faultline {

/// One printed value beside what was measured.
struct CellResult {
  Estimate measured;
  std::optional<double> ratio;        ///< measured / paper
  std::optional<double> exact_ratio;  ///< measured / exact
  Verdict verdict = Verdict::not_comparable;
  bool agrees_with_exact = true;  ///< true where nothing exact is known
  std::string reason;

  /// The data file's verdict, and no disagreement with theory.
  [[nodiscard]] bool is_expected(const Cell& cell) const {
    return verdict == cell.expected && agrees_with_exact;
  }
};

/// Lines of a CSV file, the header first.
using FigureRows = std::vector<std::vector<std::string>>;

struct ItemResult {
  ReproductionItem item;
  std::vector<CellResult> cells;   ///< as the item's
  std::vector<Measured> measured;  ///< as the item's measures
  FigureRows figure = {};          ///< what is drawn; empty where nothing is
  std::string drawing = {};        ///< SVG; "" where there is none
  bool interrupted = false;
};

/// The sources of an item's values, each a column of its tables.
std::vector<Source> sources_of(const ReproductionItem& item);

/// Compares one measurement with its printed and its exact value.
CellResult judge(const Cell& cell, const Estimate& measured);

/// The work of all measures of an item, of which `settings.worked` is told.
double work_of(const ReproductionItem& item, const std::string& file,
               const ReproductionSettings& settings);

/// Carries out all measures of an item and judges its cells. `file` names it in messages.
ItemResult reproduce_item(ReproductionItem item, const std::string& file,
                          const ReproductionSettings& settings);

/// Does every cell have the verdict that its data file expects?
bool as_expected(const std::vector<ItemResult>& results);

/// The results for machines, and for people in tables of that width. Neither has wall times: the
/// same bytes on every run, whatever the number of jobs.
std::string reproduction_json(const std::vector<ItemResult>& results, bool quick);
std::string reproduction_table(const std::vector<ItemResult>& results, bool quick,
                               std::size_t width = kUsualWidth);

}  // namespace faultline
