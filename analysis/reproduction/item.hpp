// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "analysis/exploration/exploration.hpp"
#include "analysis/reproduction/evidence.hpp"
#include "analysis/theory/tree_steps.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::reproduction {

/// An item of a reproduction: a table, figure or theorem of a paper. Its file states what the paper
/// prints, how to measure that, and how close the result is expected to be (docs/reproduction.md
/// has the format). All numbers are in these files.

enum class Verdict { match, differs, not_comparable };

/// The word for a verdict in data files and reports: "match", "differs", "not comparable".
const char* verdict_word(Verdict verdict);

/// The relation of what the paper counts to the value that it prints. `in_interval`: the printed
/// value lies in the 99 % interval of the measured one. `at_least_in_interval`: it lies in the
/// interval or below it. `at_most_in_interval`: in the interval or above it.
enum class PrintedAs {
  equal,
  at_least,
  at_most,
  in_interval,
  at_least_in_interval,
  at_most_in_interval
};

/// The word for a relation in data files and reports: "equal", "at-least-in-interval".
const char* printed_as_word(PrintedAs printed_as);
std::optional<PrintedAs> printed_as_of(const std::string& word);
std::vector<std::string> printed_as_words();

/// True if the printed value is a lower bound; an upper one; if an interval decides, and not a
/// tolerance.
bool is_lower_bound(PrintedAs printed_as);
bool is_upper_bound(PrintedAs printed_as);
bool is_by_interval(PrintedAs printed_as);

/// Where the value of a cell comes from: the paper prints it; it follows by a formula or a count
/// from what the paper prints; or it is the least value that the paper's words can mean.
enum class Source { paper, derived, threshold };

/// The word for a source in data files and reports: "paper", "derived", "threshold".
const char* source_word(Source source);

/// A metric whose mean is known exactly (a control variate). The sample's distance from that mean
/// corrects the mean of the measured metric.
struct KnownMean {
  std::string metric;
  double mean = 0.0;
};

/// The word for a protocol of that family in data files, messages and CSV: "detector".
const char* protocol_word(Family family);

/// Simulates a scenario, once for each set of changes. Tells the results apart by the protocols of
/// one family.
struct RunsMeasure {
  Family family = Family::termination;
  std::vector<scenario::Scenario> scenarios;  ///< with each set of changes, checked; at least one
  std::string metric;
  std::string relative_to;  ///< a protocol, whose metric divides the others'; "": none
  std::optional<KnownMean> known_mean;
  std::uint32_t replications = 1;
  std::uint32_t quick_replications = 1;
  std::uint32_t quick_every = 1;  ///< quick runs the middle one of each n sets of changes
};

/// Simulates a scenario at several points of an axis, and keeps the sample of every metric at each.
/// Tells the samples apart by the protocols of one family.
struct SeriesMeasure {
  Family family = Family::termination;
  std::string over;                              ///< the axis: a path that every point sets
  std::vector<double> at;                        ///< its values, ascending
  std::vector<json::JsonValue::Object> changes;  ///< changes at each point
  std::vector<scenario::Scenario> scenarios;     ///< of each point, checked
  std::vector<std::uint32_t> replications;       ///< of each point
  std::vector<std::string> metrics;
  std::string drawn_relative_to;  ///< a protocol, whose means divide the others'; "": boxes
  std::uint32_t quick_replications = 1;
  std::uint32_t quick_points = 1;  ///< quick runs this many, from the first
};

/// Counts control messages on trees by the paper's rules, relative to CDA's. The ratio is averaged
/// over the three activities and all numbers of processes, so each tree gives one value.
struct StepModelMeasure {
  std::string preset;
  std::vector<std::uint64_t> tree_seeds;
  std::string mapping;
  theory::StepRules rules = theory::StepRules::resolved;
  std::uint32_t fewest_processes = 2;
  std::uint32_t most_processes = 240;
  std::uint32_t quick_trees = 1;
};

/// Averages the closed forms of survival over recorded faults.
struct SurvivalMeasure {
  std::string faults;
  std::uint32_t processes = 1;
};

/// Searches random schedules of deaths for ones under which a protocol breaks its promise: for
/// adoption protocols their lemmas, for failure detectors to be complete and accurate, for message
/// logging and transactions that the program comes to its right end.
struct LemmasMeasure {
  Family family = Family::termination;  ///< one that has lemma_subjects
  std::uint64_t loggp_schedules = 1;    ///< for each subject
  std::uint64_t simgrid_schedules = 0;  ///< shared among the subjects
  std::uint64_t quick_schedules = 1;    ///< on loggp
  std::uint64_t quick_simgrid_schedules = 0;
};

/// Explores a small job in every order of its events (docs/explore.md): as a paper prints its
/// protocol, for a shortest run that ends as it should not; and as it is corrected.
struct ExplorationMeasure {
  scenario::Scenario printed;
  scenario::Scenario corrected;
  std::string looked_for;  ///< the wanted end of a run: an outcome or a violation
  exploration::ExplorationRequest
      bounds;  ///< which actors die when, and the number of steps; without a job
};

struct Measure {
  std::string name;
  std::variant<RunsMeasure, SeriesMeasure, StepModelMeasure, SurvivalMeasure, LemmasMeasure,
               ExplorationMeasure>
      how;
};

/// What a cell takes from the line fitted to its metric along a series.
enum class FitFigure { slope, intercept, r_squared };

/// The word for a figure in data files: "slope", "intercept", "r_squared".
const char* fit_figure_word(FitFigure figure);
std::vector<std::string> fit_figure_words();

/// A straight line through the means at all points of a series (analysis/statistics/linear_fit).
struct CellFit {
  FitFigure figure = FitFigure::slope;
  std::vector<double>
      x;  ///< of each point; the binary logarithm of the axis if the cell states that

  /// True if the first `points` points determine the figure. Two different x determine a line; R^2
  /// would be 1 for any two, so it needs three.
  [[nodiscard]] bool is_determined(std::size_t points) const;
  bool operator==(const CellFit&) const = default;
};

/// What a cell takes from the runs at a point of a series: their mean, or a bound that holds for
/// each of them.
enum class RunsFigure { mean, least, largest };

/// The word for a figure in data files: "mean", "least", "largest".
const char* runs_figure_word(RunsFigure figure);
std::vector<std::string> runs_figure_words();

/// The number of different x that a figure needs.
std::size_t fewest_x(FitFigure figure);

/// One value of a paper, what to measure for it, and how to compare the two.
struct Cell {
  std::string name;
  std::string place;             ///< in the paper
  std::optional<double> stated;  ///< empty if there is nothing to compare with
  Source source = Source::paper;
  std::optional<Evidence> evidence;  ///< evidence of a match; empty if nothing is stated
  PrintedAs printed_as = PrintedAs::equal;
  std::optional<double> exact;  ///< the mean that theory gives for the measured value
  std::string exact_formula;
  double exact_tolerance = 0.01;  ///< relative

  std::size_t measure = 0;      ///< index into the item's measures
  std::string protocol;         ///< for all but `survival`: of the measure's family
  std::string metric;           ///< for `series`
  std::string relative_to;      ///< for `series`: a protocol, whose metric divides; "": none
  std::string beyond;           ///< for `series`: a protocol, whose metric is subtracted; "": none
  bool ratio_of_means = false;  ///< for `series`: else the mean of each run's ratio
  RunsFigure of_runs = RunsFigure::mean;  ///< for `series`
  std::optional<double> at;               ///< for `series`: the point; none: the last one
  std::optional<double> relative_at;      ///< for `series`: the point whose mean divides
  std::optional<CellFit> fit;  ///< for `series`: a line through all points, instead of `at`
  std::string figure;          ///< for `survival`, `lemmas` and `exploration`: the counted figure
  std::vector<std::int64_t> failed;    ///< for `survival`: the sizes that are added up
  std::optional<std::int64_t> fanout;  ///< for `survival`: INDEP's; none: REL

  double tolerance = 0.0;           ///< relative to the printed value
  double absolute_tolerance = 0.0;  ///< in its unit, for rounding; the wider one counts
  std::optional<double> factor;     ///< instead: up to this factor above or below
  std::string why;                  ///< reason for the tolerance or the threshold
  /// A measured value can be compared only above this. If nothing happened, bounds would hold but
  /// mean nothing.
  std::optional<double> comparable_above;
  Verdict expected = Verdict::match;
  std::string reason;  ///< for an expected verdict other than match
  bool quick = true;   ///< false: the samples of --quick are too small for it
};

/// One table, figure or theorem of a paper.
struct ReproductionItem {
  std::string name;  ///< "termination-2022/table-1"
  std::string title;
  std::string note;
  double time_s = 1.0;  ///< on one core
  double quick_time_s = 1.0;
  std::vector<Measure> measures;
  std::vector<std::size_t> curves;  ///< for a figure: the measures it draws, of one kind
  bool overlaid = false;            ///< all of them in one panel for each metric, not in their own
  std::vector<Cell> cells;
};

/// The protocols of that family that the scenarios run; "none" for a scenario without one.
std::set<std::string> protocols_of(const std::vector<scenario::Scenario>& scenarios, Family family);

/// The point of a cell that states none: the last one of its series.
std::optional<double> last_point(const ReproductionItem& item, const Cell& cell, bool quick);

/// True if both cells compare the same value in the same way. `last_point` is that of their
/// measure.
bool asks_the_same(const Cell& one, const Cell& other, const std::optional<double>& last_point);

/// Removes the cells that --quick does not measure: those marked so, those at points that it does
/// not run, fits for which its points are too few, and those that equal a cell above, since --quick
/// has another last point.
void keep_quick_cells(ReproductionItem& item);

}  // namespace faultline::reproduction
