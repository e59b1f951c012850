// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/cell_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/lemmas/broken_promise.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "analysis/reproduction/exploration_measure.hpp"
#include "analysis/reproduction/item_fields.hpp"
#include "analysis/statistics/linear_fit.hpp"
#include "analysis/statistics/metric_type.hpp"

namespace faultline::reproduction {

namespace {

const std::vector<std::string> kVerdicts = {"match", "differs", "not comparable"};

/// The `scale` of a fit that is not linear.
constexpr const char* kBinaryLogarithm = "log2";

/// The members that cells have whatever the kind of their measure.
struct CellHead {
  std::string cell;
  std::string place;
  std::optional<double> paper;
  std::optional<double> derived;
  std::optional<double> threshold;
  std::optional<std::string> evidence;
  std::string printed_as = "equal";
  std::optional<double> exact;
  std::string exact_formula;
  double exact_tolerance = 0.01;
  std::string measure;
  double tolerance = 0.0;
  double absolute_tolerance = 0.0;
  std::optional<double> factor;
  std::optional<double> comparable_above;
  std::string why;
  std::string expected = "match";
  std::string reason;
  bool quick = true;
};

struct SeriesSelection {
  std::string metric;
  std::string relative_to;
  std::string beyond;
  bool ratio_of_means = false;
  std::string of_runs = runs_figure_word(RunsFigure::mean);
  std::optional<double> at;
  std::optional<double> relative_at;
  std::optional<std::string> fit;
  std::optional<std::string> scale;
  std::optional<std::string> over;
};

struct FigureSelection {
  std::string figure;
};

struct SurvivalSelection {
  std::string figure;
  std::optional<std::int64_t> fanout;
};

const OptionSet<CellHead>& cell_options() {
  static const OptionSet<CellHead> set =
      OptionSet<CellHead>()
          .option("cell", &CellHead::cell, {.required = true})
          .option("place", &CellHead::place, {.required = true})
          .option("paper", &CellHead::paper, {})
          .option("derived", &CellHead::derived, {})
          .option("threshold", &CellHead::threshold, {})
          .option("evidence", &CellHead::evidence, {.choices = evidence_words()})
          .option("printed_as", &CellHead::printed_as, {.choices = printed_as_words()})
          .option("exact", &CellHead::exact, {})
          .option("exact_formula", &CellHead::exact_formula, {})
          .option("exact_tolerance", &CellHead::exact_tolerance, {.minimum = 0})
          .option("measure", &CellHead::measure, {.required = true})
          .option("tolerance", &CellHead::tolerance, {.minimum = 0})
          .option("absolute_tolerance", &CellHead::absolute_tolerance, {.minimum = 0})
          .option("factor", &CellHead::factor, {.minimum = 1})
          .option("comparable_above", &CellHead::comparable_above, {})
          .option("why", &CellHead::why, {.required = true})
          .option("expected", &CellHead::expected, {.choices = kVerdicts})
          .option("reason", &CellHead::reason, {})
          .option("quick", &CellHead::quick, {});
  return set;
}

const OptionSet<SeriesSelection>& series_selection_options() {
  static const OptionSet<SeriesSelection> set =
      OptionSet<SeriesSelection>()
          .option("metric", &SeriesSelection::metric, {.required = true})
          .option("relative_to", &SeriesSelection::relative_to, {})
          .option("beyond", &SeriesSelection::beyond, {})
          .option("ratio_of_means", &SeriesSelection::ratio_of_means, {})
          .option("of_runs", &SeriesSelection::of_runs, {.choices = runs_figure_words()})
          .option("at", &SeriesSelection::at, {})
          .option("relative_at", &SeriesSelection::relative_at, {})
          .option("fit", &SeriesSelection::fit, {.choices = fit_figure_words()})
          .option("scale", &SeriesSelection::scale, {.choices = {"linear", kBinaryLogarithm}})
          .option("over", &SeriesSelection::over, {});
  return set;
}

OptionSet<FigureSelection> figure_options(const std::vector<std::string>& figures) {
  return OptionSet<FigureSelection>().option("figure", &FigureSelection::figure,
                                             {.required = true, .choices = figures});
}

std::vector<std::string> lemma_figure_words(Family family) {
  std::vector<std::string> figures;
  for (const lemmas::LemmaFigure figure : lemmas::lemma_figures(family))
    figures.emplace_back(lemmas::lemma_figure_word(figure));
  return figures;
}

std::vector<std::string> exploration_figures() {
  return {exploration_figure::kGoesWrong, exploration_figure::kSteps,
          exploration_figure::kExhausted};
}

const OptionSet<SurvivalSelection>& survival_selection_options() {
  static const OptionSet<SurvivalSelection> set =
      OptionSet<SurvivalSelection>()
          .option("figure", &SurvivalSelection::figure,
                  {.required = true,
                   .choices = {"share-percent", "failure-probability", "survival-percent"}})
          .option("fanout", &SurvivalSelection::fanout, {.minimum = 0});
  return set;
}

/// Reads the member that names the cell's protocol. Its key is the family's word for a protocol. If
/// there are no choices, any name will do.
std::string read_protocol(json::CheckedObject& object, Family family,
                          std::vector<std::string> choices = {}) {
  const OptionSpec spec{.name = protocol_word(family),
                        .kind = OptionKind::text,
                        .required = true,
                        .choices = std::move(choices)};
  return std::get<std::string>(object.options({spec}).at(spec.name));
}

std::vector<std::string> lemma_subject_names(Family family) {
  std::vector<std::string> names;
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(family))
    names.push_back(subject.name);
  return names;
}

/// "a, b or c".
std::string alternatives(const std::vector<std::string>& words) {
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i)
    text.append(i + 1 == words.size() ? " or " : ", ").append(words[i]);
  return text;
}

class CellReader {
 public:
  CellReader(ReproductionItem& item, json::Problems& problems) : item_(item), problems_(problems) {}

  void read(const json::JsonValue& value, const std::string& path);

 private:
  void read_stated(const CellHead& head, const std::string& path, Cell& cell);
  void read_evidence(const CellHead& head, const json::JsonValue* given, const std::string& path,
                     Cell& cell);
  void read_selection(json::CheckedObject& object, Cell& cell);
  void read_series_selection(json::CheckedObject& object, const SeriesMeasure& series, Cell& cell);
  void check_relative_at(const SeriesSelection& selection, const SeriesMeasure& series,
                         const std::string& path);
  void read_fit(const SeriesSelection& selection, const SeriesMeasure& series,
                const std::string& path, Cell& cell);
  std::optional<std::vector<double>> read_axis(const SeriesSelection& selection,
                                               const SeriesMeasure& series, const std::string& path,
                                               const std::string& measure);

  ReproductionItem& item_;
  json::Problems& problems_;
};

void CellReader::read(const json::JsonValue& value, const std::string& path) {
  const std::size_t before = problems_.size();
  json::CheckedObject object(value, path, problems_);
  const CellHead head = read_options(object, cell_options());
  Cell cell;
  cell.name = head.cell;
  cell.place = head.place;
  read_stated(head, path, cell);
  read_evidence(head, object.child("evidence"), path, cell);
  cell.printed_as = printed_as_of(head.printed_as).value_or(PrintedAs::equal);
  cell.exact = head.exact;
  cell.exact_formula = head.exact_formula;
  cell.exact_tolerance = head.exact_tolerance;
  cell.tolerance = head.tolerance;
  cell.absolute_tolerance = head.absolute_tolerance;
  cell.factor = head.factor;
  cell.comparable_above = head.comparable_above;
  cell.why = head.why;
  cell.reason = head.reason;
  cell.quick = head.quick;
  for (const Verdict verdict : {Verdict::match, Verdict::differs, Verdict::not_comparable})
    if (head.expected == verdict_word(verdict)) cell.expected = verdict;
  if (cell.expected != Verdict::match && cell.reason.empty())
    problems_.add(json::member_path(path, "reason"),
                  "missing, expected the reason why it is not a match");
  if (cell.stated && cell.why.empty() && cell.expected != Verdict::not_comparable)
    problems_.add(json::member_path(path, "why"), "missing, expected the reason for the tolerance");
  if (cell.exact.has_value() == cell.exact_formula.empty())
    problems_.add(path, "expected exact and exact_formula together or neither");
  const auto& measures = item_.measures;
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const Measure& m) { return m.name == head.measure; });
  if (found == measures.end()) {
    problems_.add(json::member_path(path, "measure"),
                  "expected one of the members of measures, got " + json::in_quotes(head.measure));
    return;
  }
  cell.measure = static_cast<std::size_t>(found - measures.begin());
  read_selection(object, cell);
  object.finish();
  for (const Cell& other : item_.cells) {
    if (other.name == cell.name) problems_.add(path, "a cell with this name occurs above");
    if (asks_the_same(other, cell, last_point(item_, cell, false)))
      problems_.add(path, "compares the same value as " + json::in_quotes(other.name) + " above");
  }
  if (problems_.size() == before) item_.cells.push_back(std::move(cell));
}

/// Reads the stated value: the printed value, a value that follows from it, or the meaning of the
/// paper's words. A cell may have only one of them.
void CellReader::read_stated(const CellHead& head, const std::string& path, Cell& cell) {
  const std::pair<Source, std::optional<double>> values[] = {{Source::paper, head.paper},
                                                             {Source::derived, head.derived},
                                                             {Source::threshold, head.threshold}};
  for (const auto& [source, value] : values) {
    if (!value) continue;
    if (cell.stated)
      problems_.add(json::member_path(path, source_word(source)),
                    std::string("beside ") + source_word(cell.source) +
                        ", expected one of paper, derived and threshold");
    cell.stated = value;
    cell.source = source;
  }
}

/// Reads what a match would be evidence of. Every cell that states a value has evidence; a cell
/// that states none, and so matches nothing, has none, whatever its group or item declares.
void CellReader::read_evidence(const CellHead& head, const json::JsonValue* given,
                               const std::string& path, Cell& cell) {
  if (!cell.stated) return;
  if (head.evidence) cell.evidence = evidence_of(*head.evidence);
  const std::string place = json::member_path(path, "evidence");
  // An unknown word has its own problem.
  if (given == nullptr || given->is_null())
    problems_.add(place,
                  "missing, expected what a match of this cell is, here, in its group or at the "
                  "top of the file: " +
                      alternatives(evidence_words()));
  if (cell.evidence == Evidence::predicted && cell.source == Source::threshold)
    problems_.add(place, "expected bound beside threshold: a threshold predicts no value");
}

void CellReader::read_selection(json::CheckedObject& object, Cell& cell) {
  const auto& how = item_.measures[cell.measure].how;
  if (std::holds_alternative<SurvivalMeasure>(how)) {
    const SurvivalSelection selection = read_options(object, survival_selection_options());
    cell.figure = selection.figure;
    cell.fanout = selection.fanout;
    const json::JsonValue* failed = object.child("failed");
    if (failed != nullptr || cell.figure != "survival-percent")
      cell.failed = read_integers<std::int64_t>(failed, json::member_path(object.path(), "failed"),
                                                problems_);
    return;
  }
  if (const auto* lemmas = std::get_if<LemmasMeasure>(&how)) {
    cell.protocol = read_protocol(object, lemmas->family, lemma_subject_names(lemmas->family));
    cell.figure = read_options(object, figure_options(lemma_figure_words(lemmas->family))).figure;
  } else if (const auto* exploration = std::get_if<ExplorationMeasure>(&how)) {
    if (!exploration->printed.points.empty())
      cell.protocol =
          scenario::protocol_of(exploration->printed.points.front(), Family::termination);
    cell.figure = read_options(object, figure_options(exploration_figures())).figure;
  } else if (const auto* series = std::get_if<SeriesMeasure>(&how)) {
    cell.protocol = read_protocol(object, series->family);
    read_series_selection(object, *series, cell);
  } else if (const auto* runs = std::get_if<RunsMeasure>(&how)) {
    cell.protocol = read_protocol(object, runs->family);
  } else {
    cell.protocol = read_protocol(object, Family::termination, {"four-counter", "edod", "hcda"});
  }
}

void CellReader::read_series_selection(json::CheckedObject& object, const SeriesMeasure& series,
                                       Cell& cell) {
  const SeriesSelection selection = read_options(object, series_selection_options());
  cell.metric = selection.metric;
  cell.relative_to = selection.relative_to;
  cell.beyond = selection.beyond;
  cell.ratio_of_means = selection.ratio_of_means;
  for (const RunsFigure figure : {RunsFigure::mean, RunsFigure::least, RunsFigure::largest})
    if (selection.of_runs == runs_figure_word(figure)) cell.of_runs = figure;
  cell.at = selection.at;
  cell.relative_at = selection.relative_at;
  if (cell.of_runs != RunsFigure::mean && cell.ratio_of_means)
    problems_.add(json::member_path(object.path(), "of_runs"),
                  "beside ratio_of_means, which takes the means of all runs");
  if (cell.of_runs != RunsFigure::mean &&
      statistics::metric_type(cell.metric) == statistics::MetricType::share)
    problems_.add(json::member_path(object.path(), "of_runs"), "a share has no bound for each run");
  if (std::find(series.metrics.begin(), series.metrics.end(), cell.metric) == series.metrics.end())
    problems_.add(
        json::member_path(object.path(), "metric"),
        "expected one of the metrics of its measure, got " + json::in_quotes(cell.metric));
  if (cell.at && std::find(series.at.begin(), series.at.end(), *cell.at) == series.at.end())
    problems_.add(json::member_path(object.path(), "at"), "expected a point of its measure");
  if (!cell.beyond.empty() && (cell.ratio_of_means || cell.relative_at))
    problems_.add(json::member_path(object.path(), "beyond"),
                  "beside ratio_of_means or relative_at, expected one of them");
  if (!cell.beyond.empty() && statistics::metric_type(cell.metric) == statistics::MetricType::share)
    problems_.add(json::member_path(object.path(), "beyond"), "shares are not subtracted");
  if (cell.relative_at) check_relative_at(selection, series, object.path());
  // An unknown `fit` has its own problem.
  const json::JsonValue* fit = object.child("fit");
  if (selection.fit || fit == nullptr || fit->is_null())
    read_fit(selection, series, object.path(), cell);
}

/// A cell that divides the mean at one point by the mean at another does nothing else.
void CellReader::check_relative_at(const SeriesSelection& selection, const SeriesMeasure& series,
                                   const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    problems_.add(json::member_path(path, "relative_at"), why);
  };
  if (std::find(series.at.begin(), series.at.end(), *selection.relative_at) == series.at.end())
    refuse("expected a point of its measure");
  if (!selection.relative_to.empty() || selection.fit ||
      selection.of_runs != runs_figure_word(RunsFigure::mean))
    refuse("beside relative_to, fit or of_runs, expected one of them");
  if (statistics::metric_type(selection.metric) == statistics::MetricType::share)
    refuse("a ratio of shares is not estimated");
}

/// Reads which line a cell is about, and which figure of it.
void CellReader::read_fit(const SeriesSelection& selection, const SeriesMeasure& series,
                          const std::string& path, Cell& cell) {
  const auto refuse = [&](const char* key, const std::string& why) {
    problems_.add(json::member_path(path, key), why);
  };
  if (!selection.fit) {
    if (selection.scale) refuse("scale", "belongs to a fit, and the cell has none");
    if (selection.over) refuse("over", "belongs to a fit, and the cell has none");
    return;
  }
  cell.fit.emplace();
  for (const FitFigure figure : {FitFigure::slope, FitFigure::intercept, FitFigure::r_squared})
    if (*selection.fit == fit_figure_word(figure)) cell.fit->figure = figure;
  if (cell.at) refuse("at", "beside fit, which takes all points of its measure");
  if (cell.of_runs != RunsFigure::mean) refuse("of_runs", "beside fit, which takes the means");
  if (cell.ratio_of_means) refuse("ratio_of_means", "beside fit, which takes the ratios of runs");
  if (statistics::metric_type(cell.metric) == statistics::MetricType::share)
    refuse("metric", "expected another metric for a fit: the spread of a share changes with it");
  const auto axis = read_axis(selection, series, path, item_.measures[cell.measure].name);
  if (!axis) return;
  cell.fit->x = *axis;
  if (!cell.fit->is_determined(axis->size()))
    refuse("fit", "expected an axis with at least " + std::to_string(fewest_x(cell.fit->figure)) +
                      " different numbers, got " +
                      std::to_string(statistics::different_values(*axis)));
}

/// The x of each point of a fit: the value that its measure, or the path that the cell names, sets
/// there. Adds a problem and returns nothing if that is no number, or has no logarithm where one is
/// needed.
std::optional<std::vector<double>> CellReader::read_axis(const SeriesSelection& selection,
                                                         const SeriesMeasure& series,
                                                         const std::string& path,
                                                         const std::string& measure) {
  // A measure whose points could not be read has its own problem.
  if (series.at.size() != series.changes.size()) return std::nullopt;
  const auto refuse = [&](const char* key, const std::string& why) {
    problems_.add(json::member_path(path, key), why);
    return std::nullopt;
  };
  const std::string changes = json::member_path(json::member_path("measures", measure), "changes");
  const std::string over = selection.over.value_or(series.over);
  const bool is_logarithm = selection.scale == kBinaryLogarithm;
  std::vector<double> axis;
  for (std::size_t i = 0; i < series.changes.size(); ++i) {
    const json::JsonValue change(series.changes[i]);
    const json::JsonValue* value = change.find(over);
    if (value == nullptr)
      return refuse("over", "expected a path that all changes of its measure set, got " +
                                json::in_quotes(over));
    const auto number = json::number_of(*value);
    const std::string found = json::in_quotes(over) + " is " + json::describe(*value);
    if (!number)
      return refuse("over", "expected a path that is a number at all points, " + found + " in " +
                                json::item_path(changes, i));
    if (is_logarithm && *number <= 0)
      return refuse("scale", "expected an axis above 0 for its logarithm, " + found + " in " +
                                 json::item_path(changes, i));
    axis.push_back(is_logarithm ? std::log2(*number) : *number);
  }
  return axis;
}

}  // namespace

void read_cell(const json::JsonValue& value, const std::string& path, ReproductionItem& item,
               json::Problems& problems) {
  CellReader(item, problems).read(value, path);
}

}  // namespace faultline::reproduction
