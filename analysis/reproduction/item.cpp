// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/item.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/statistics/linear_fit.hpp"

namespace faultline::reproduction {

namespace {

constexpr PrintedAs kRelations[] = {PrintedAs::equal,
                                    PrintedAs::at_least,
                                    PrintedAs::at_most,
                                    PrintedAs::in_interval,
                                    PrintedAs::at_least_in_interval,
                                    PrintedAs::at_most_in_interval};

constexpr FitFigure kFitFigures[] = {FitFigure::slope, FitFigure::intercept, FitFigure::r_squared};

constexpr RunsFigure kRunsFigures[] = {RunsFigure::mean, RunsFigure::least, RunsFigure::largest};

/// True if the cell is about points of a series that --quick does not run.
bool is_beyond_quick(const Cell& cell, const SeriesMeasure& series) {
  if (cell.fit) return !cell.fit->is_determined(series.quick_points);
  const double last = series.at[series.quick_points - 1];
  return (cell.at && *cell.at > last) || (cell.relative_at && *cell.relative_at > last);
}

}  // namespace

const char* verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::match:
      return "match";
    case Verdict::differs:
      return "differs";
    case Verdict::not_comparable:
      return "not comparable";
  }
  return "";
}

const char* source_word(Source source) {
  switch (source) {
    case Source::paper:
      return "paper";
    case Source::derived:
      return "derived";
    case Source::threshold:
      return "threshold";
  }
  return "";
}

const char* printed_as_word(PrintedAs printed_as) {
  switch (printed_as) {
    case PrintedAs::equal:
      return "equal";
    case PrintedAs::at_least:
      return "at-least";
    case PrintedAs::at_most:
      return "at-most";
    case PrintedAs::in_interval:
      return "in-interval";
    case PrintedAs::at_least_in_interval:
      return "at-least-in-interval";
    case PrintedAs::at_most_in_interval:
      return "at-most-in-interval";
  }
  return "";
}

std::optional<PrintedAs> printed_as_of(const std::string& word) {
  for (const PrintedAs relation : kRelations)
    if (word == printed_as_word(relation)) return relation;
  return std::nullopt;
}

std::vector<std::string> printed_as_words() {
  std::vector<std::string> words;
  for (const PrintedAs relation : kRelations) words.emplace_back(printed_as_word(relation));
  return words;
}

bool is_lower_bound(PrintedAs printed_as) {
  return printed_as == PrintedAs::at_least || printed_as == PrintedAs::at_least_in_interval;
}

bool is_upper_bound(PrintedAs printed_as) {
  return printed_as == PrintedAs::at_most || printed_as == PrintedAs::at_most_in_interval;
}

bool is_by_interval(PrintedAs printed_as) {
  return printed_as == PrintedAs::in_interval || printed_as == PrintedAs::at_least_in_interval ||
         printed_as == PrintedAs::at_most_in_interval;
}

const char* fit_figure_word(FitFigure figure) {
  switch (figure) {
    case FitFigure::slope:
      return "slope";
    case FitFigure::intercept:
      return "intercept";
    case FitFigure::r_squared:
      return "r_squared";
  }
  return "";
}

std::vector<std::string> fit_figure_words() {
  std::vector<std::string> words;
  for (const FitFigure figure : kFitFigures) words.emplace_back(fit_figure_word(figure));
  return words;
}

const char* runs_figure_word(RunsFigure figure) {
  switch (figure) {
    case RunsFigure::mean:
      return "mean";
    case RunsFigure::least:
      return "least";
    case RunsFigure::largest:
      return "largest";
  }
  return "";
}

std::vector<std::string> runs_figure_words() {
  std::vector<std::string> words;
  for (const RunsFigure figure : kRunsFigures) words.emplace_back(runs_figure_word(figure));
  return words;
}

std::size_t fewest_x(FitFigure figure) { return figure == FitFigure::r_squared ? 3 : 2; }

bool CellFit::is_determined(std::size_t points) const {
  const auto end = x.begin() + static_cast<std::ptrdiff_t>(std::min(points, x.size()));
  return statistics::different_values({x.begin(), end}) >= fewest_x(figure);
}

const char* protocol_word(Family family) {
  if (family == Family::workload) return "workload";
  const bool detects = family == Family::termination || family == Family::failure_detection;
  return detects ? "detector" : "protocol";
}

std::set<std::string> protocols_of(const std::vector<scenario::Scenario>& scenarios,
                                   Family family) {
  std::set<std::string> protocols;
  for (const scenario::Scenario& scenario : scenarios)
    for (const scenario::RunSpec& run : scenario.points)
      protocols.insert(scenario::protocol_of(run, family));
  return protocols;
}

std::optional<double> last_point(const ReproductionItem& item, const Cell& cell, bool quick) {
  const auto* series = std::get_if<SeriesMeasure>(&item.measures[cell.measure].how);
  if (series == nullptr || series->at.empty()) return std::nullopt;
  return quick ? series->at[series->quick_points - 1] : series->at.back();
}

bool asks_the_same(const Cell& one, const Cell& other, const std::optional<double>& last_point) {
  const auto place_on_axis = [&](const Cell& cell) { return cell.at ? cell.at : last_point; };
  const auto key = [](const Cell& cell) {
    return std::tie(cell.measure, cell.protocol, cell.metric, cell.relative_to, cell.beyond,
                    cell.ratio_of_means, cell.of_runs, cell.relative_at, cell.fit, cell.figure,
                    cell.failed, cell.fanout, cell.printed_as, cell.stated);
  };
  return key(one) == key(other) && place_on_axis(one) == place_on_axis(other);
}

void keep_quick_cells(ReproductionItem& item) {
  std::erase_if(item.cells, [&](const Cell& cell) {
    if (!cell.quick) return true;
    const auto* series = std::get_if<SeriesMeasure>(&item.measures[cell.measure].how);
    return series != nullptr && is_beyond_quick(cell, *series);
  });
  std::vector<Cell> kept;
  for (Cell& cell : item.cells) {
    const auto last = last_point(item, cell, true);
    const bool counted = std::any_of(kept.begin(), kept.end(), [&](const Cell& above) {
      return asks_the_same(above, cell, last);
    });
    if (!counted) kept.push_back(std::move(cell));
  }
  item.cells = std::move(kept);
}

}  // namespace faultline::reproduction
