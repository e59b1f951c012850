#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/theory/tree_steps.hpp"

namespace faultline {

/// Files of a paper's tables and figures: what is printed, what measures it, and how near it is
/// expected to come (docs/reproduction.md has the format). All numbers are in these files.

enum class Verdict { match, differs, not_comparable };

/// The word of the data files and reports: "match", "differs", "not comparable".
const char* verdict_word(Verdict verdict);

/// How the paper relates what it counts to its printed value. `in_interval`: that lies in the 99 %
/// interval of what is measured. `at_least_in_interval`: it lies there, or below.
enum class PrintedAs { equal, at_least, at_most, in_interval, at_least_in_interval };

/// The word of the data files and reports: "equal", "at-least-in-interval".
const char* printed_as_word(PrintedAs printed_as);
std::optional<PrintedAs> printed_as_of(const std::string& word);
std::vector<std::string> printed_as_words();

/// Is the printed value a bound from below? Does an interval decide instead of a tolerance?
bool is_lower_bound(PrintedAs printed_as);
bool is_by_interval(PrintedAs printed_as);

/// Where the value comes from beside which a cell stands: the paper prints it; it follows from what
/// the paper prints, by a formula or a count; or it is the least that words of the paper mean.
enum class Source { paper, derived, threshold };

/// The word of the data files and reports: "paper", "derived", "threshold".
const char* source_word(Source source);

/// A metric whose mean is known exactly: what the sample missed of it tells what the sample
/// missed of the metric that is measured (control variate).
struct KnownMean {
  std::string metric;
  double mean = 0.0;
};

/// Simulates a scenario, once for each set of changes.
struct RunsMeasure {
  std::string scenario;                           ///< JSON text
  std::vector<std::vector<std::string>> changes;  ///< each "PATH=JSON"; at least one set
  std::string metric;
  std::string relative_to;  ///< a detector: its metric divides that of the others; "" none
  std::optional<KnownMean> known_mean;
  std::uint32_t replications = 1;
  std::uint32_t quick_replications = 1;
  std::uint32_t quick_every = 1;  ///< quick takes the middle one of each n sets of changes
};

/// Simulates a scenario at several points of an axis, and keeps the sample of every metric at each.
struct SeriesMeasure {
  std::string scenario;                           ///< JSON text
  std::string over;                               ///< the path that every point sets: the axis
  std::vector<double> at;                         ///< its values, ascending
  std::vector<std::vector<std::string>> changes;  ///< of each point, "PATH=JSON"
  std::vector<std::uint32_t> replications;        ///< of each point
  std::vector<std::string> metrics;
  std::string drawn_relative_to;  ///< a detector: its means divide those that are drawn; "" boxes
  std::uint32_t quick_replications = 1;
  std::uint32_t quick_points = 1;  ///< quick takes the first ones
};

/// Counts control messages on trees by the paper's rules, relative to those of CDA: the mean over
/// the processes, then over the three activities; one value for each tree.
struct StepModelMeasure {
  std::string preset;
  std::vector<std::uint64_t> tree_seeds;
  std::string mapping;
  StepRules rules = StepRules::resolved;
  std::uint32_t fewest_processes = 2;
  std::uint32_t most_processes = 240;
  std::uint32_t quick_trees = 1;
};

/// Weighs the closed forms of survival with recorded faults.
struct SurvivalMeasure {
  std::string faults;
  std::uint32_t processes = 1;
};

/// Searches random schedules of deaths for one under which an adoption protocol breaks its lemmas.
struct LemmasMeasure {
  std::uint64_t loggp_schedules = 1;
  std::uint64_t simgrid_schedules = 0;
  std::uint64_t quick_schedules = 1;  ///< on loggp; on simgrid a hundredth of them
};

struct Measure {
  std::string name;
  std::variant<RunsMeasure, SeriesMeasure, StepModelMeasure, SurvivalMeasure, LemmasMeasure> how;
};

/// One printed value.
struct Cell {
  std::string name;
  std::string place;             ///< in the paper
  std::optional<double> stated;  ///< nothing where there is nothing to compare with
  Source source = Source::paper;
  PrintedAs printed_as = PrintedAs::equal;
  std::optional<double> exact;  ///< what theory says of the measured mean
  std::string exact_formula;
  double exact_tolerance = 0.01;  ///< relative

  std::size_t measure = 0;             ///< index of the item's measures
  std::string detector;                ///< of all but `survival`
  std::string metric;                  ///< of `series`
  std::string relative_to;             ///< of `series`: a detector whose metric divides; "" none
  bool ratio_of_means = false;         ///< of `series`: not the mean of the ratios, run by run
  std::optional<double> at;            ///< of `series`: the point; none for the last one
  std::string figure;                  ///< of `survival` and `lemmas`: what is counted
  std::vector<std::int64_t> failed;    ///< of `survival`: the sizes that are added up
  std::optional<std::int64_t> fanout;  ///< of `survival`: of INDEP; none for REL

  double tolerance = 0.0;           ///< relative to the printed value
  double absolute_tolerance = 0.0;  ///< or in its unit: rounding; the wider one counts
  std::optional<double> factor;     ///< instead: so many times the value, or one of as many parts
  std::string why;                  ///< the tolerance is that wide, or the threshold that high
  /// Only what is measured above this can be compared: of nothing, bounds hold and say nothing.
  std::optional<double> comparable_above;
  Verdict expected = Verdict::match;
  std::string reason;  ///< of an expected verdict other than match
  bool quick = true;   ///< false: the samples of --quick are too small to tell
};

/// One table, figure or theorem of a paper.
struct ReproductionItem {
  std::string name;  ///< "termination-2022/table-1"
  std::string title;
  std::string note;
  double time_s = 1.0;  ///< on one core
  double quick_time_s = 1.0;
  std::vector<Measure> measures;
  std::vector<std::size_t> curves;  ///< of a figure: a row of panels for each; measures of one kind
  std::vector<Cell> cells;
};

/// The point that a cell without one stands for: the last one of a series.
std::optional<double> last_point(const ReproductionItem& item, const Cell& cell, bool quick);

/// Are both cells the same value, judged in the same way? `last_point` is that of their measure.
bool asks_the_same(const Cell& one, const Cell& other, const std::optional<double>& last_point);

/// Leaves out the cells that --quick does not measure: of points that it does not take, or `quick`
/// false; and those that ask the same as one above, since the last point is another one.
void keep_quick_cells(ReproductionItem& item);

}  // namespace faultline
