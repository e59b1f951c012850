#include "analysis/reproduction/item_reader.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "analysis/lemmas/broken_promise.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "analysis/reproduction/item_files.hpp"
#include "sim/core/error.hpp"
#include "sim/core/options.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/scenario.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kVerdicts = {"match", "differs", "not comparable"};

struct ItemHead {
  std::int64_t schema_version = 1;
  std::string title;
  std::string note;
  double time_s = 1.0;
  double quick_time_s = 1.0;
};

/// What all measures have.
struct MeasureHead {
  std::string kind;
};

struct RunsHead {
  std::string scenario;
  std::string metric;
  std::string relative_to;
  std::uint32_t replications = 1;
  std::uint32_t quick_replications = 1;
  std::uint32_t quick_every = 1;
};

struct SeriesHead {
  std::string scenario;
  std::string over;
  std::string drawn_relative_to;
  std::uint32_t quick_replications = 1;
  std::uint32_t quick_points = 1;
};

struct StepModelHead {
  std::string preset;
  std::string mapping;
  std::string rules;
  std::uint32_t fewest_processes = 2;
  std::uint32_t most_processes = 240;
  std::uint32_t quick_trees = 1;
};

/// A cell but for what its measure's kind adds.
struct CellHead {
  std::string cell;
  std::string place;
  std::optional<double> paper;
  std::optional<double> derived;
  std::optional<double> threshold;
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
  std::string detector;
  std::string metric;
  std::string relative_to;
  bool ratio_of_means = false;
  std::optional<double> at;
};

struct LemmaSelection {
  std::string detector;
  std::string figure;
};

struct SurvivalSelection {
  std::string figure;
  std::optional<std::int64_t> fanout;
};

const OptionSet<ItemHead>& item_options() {
  static const OptionSet<ItemHead> set =
      OptionSet<ItemHead>()
          .option("schema_version", &ItemHead::schema_version,
                  {.minimum = 1, .maximum = 1, .required = true})
          .option("title", &ItemHead::title, {.required = true})
          .option("note", &ItemHead::note, {})
          .option("time_s", &ItemHead::time_s, {.unit = "s", .minimum = 0, .required = true})
          .option("quick_time_s", &ItemHead::quick_time_s,
                  {.unit = "s", .minimum = 0, .required = true});
  return set;
}

const OptionSet<MeasureHead>& measure_options() {
  static const OptionSet<MeasureHead> set = OptionSet<MeasureHead>().option(
      "kind", &MeasureHead::kind,
      {.required = true, .choices = {"runs", "series", "step-model", "survival", "lemmas"}});
  return set;
}

const OptionSet<RunsHead>& runs_options() {
  static const OptionSet<RunsHead> set =
      OptionSet<RunsHead>()
          .option("scenario", &RunsHead::scenario, {.required = true})
          .option("metric", &RunsHead::metric, {.required = true})
          .option("relative_to", &RunsHead::relative_to, {})
          .option("replications", &RunsHead::replications,
                  {.minimum = 1, .maximum = 1e6, .required = true})
          .option("quick_replications", &RunsHead::quick_replications,
                  {.minimum = 1, .maximum = 1e6, .required = true})
          .option("quick_every", &RunsHead::quick_every, {.minimum = 1});
  return set;
}

const OptionSet<SeriesHead>& series_options() {
  static const OptionSet<SeriesHead> set =
      OptionSet<SeriesHead>()
          .option("scenario", &SeriesHead::scenario, {.required = true})
          .option("over", &SeriesHead::over, {.required = true})
          .option("drawn_relative_to", &SeriesHead::drawn_relative_to, {})
          .option("quick_replications", &SeriesHead::quick_replications,
                  {.minimum = 1, .maximum = 1e6, .required = true})
          .option("quick_points", &SeriesHead::quick_points, {.minimum = 1, .required = true});
  return set;
}

const OptionSet<KnownMean>& known_mean_options() {
  static const OptionSet<KnownMean> set =
      OptionSet<KnownMean>()
          .option("metric", &KnownMean::metric, {.required = true})
          .option("mean", &KnownMean::mean, {.required = true});
  return set;
}

const OptionSet<StepModelHead>& step_model_options() {
  static const OptionSet<StepModelHead> set =
      OptionSet<StepModelHead>()
          .option("preset", &StepModelHead::preset,
                  {.required = true, .choices = task_tree_presets()})
          .option("mapping", &StepModelHead::mapping,
                  {.required = true, .choices = {"round-robin", "random"}})
          .option("rules", &StepModelHead::rules,
                  {.required = true, .choices = {"literal", "resolved"}})
          .option("fewest_processes", &StepModelHead::fewest_processes, {.minimum = 2})
          .option("most_processes", &StepModelHead::most_processes, {.minimum = 2, .maximum = 1e6})
          .option("quick_trees", &StepModelHead::quick_trees, {.minimum = 1});
  return set;
}

const OptionSet<SurvivalMeasure>& survival_options() {
  static const OptionSet<SurvivalMeasure> set =
      OptionSet<SurvivalMeasure>()
          .option("faults", &SurvivalMeasure::faults, {.required = true})
          .option("processes", &SurvivalMeasure::processes, {.minimum = 1, .required = true});
  return set;
}

const OptionSet<CellHead>& cell_options() {
  static const OptionSet<CellHead> set =
      OptionSet<CellHead>()
          .option("cell", &CellHead::cell, {.required = true})
          .option("place", &CellHead::place, {.required = true})
          .option("paper", &CellHead::paper, {})
          .option("derived", &CellHead::derived, {})
          .option("threshold", &CellHead::threshold, {})
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
          .option("detector", &SeriesSelection::detector, {.required = true})
          .option("metric", &SeriesSelection::metric, {.required = true})
          .option("relative_to", &SeriesSelection::relative_to, {})
          .option("ratio_of_means", &SeriesSelection::ratio_of_means, {})
          .option("at", &SeriesSelection::at, {});
  return set;
}

const OptionSet<LemmasMeasure>& lemmas_options() {
  static const OptionSet<LemmasMeasure> set =
      OptionSet<LemmasMeasure>()
          .option("loggp_schedules", &LemmasMeasure::loggp_schedules,
                  {.minimum = 1, .maximum = 1e9, .required = true})
          .option("simgrid_schedules", &LemmasMeasure::simgrid_schedules, {.maximum = 1e9})
          .option("quick_schedules", &LemmasMeasure::quick_schedules,
                  {.minimum = 1, .maximum = 1e9, .required = true});
  return set;
}

const OptionSet<LemmaSelection>& lemma_selection_options() {
  static const OptionSet<LemmaSelection> set = [] {
    std::vector<std::string> detectors;
    for (const LemmaSubject& subject : lemma_subjects()) detectors.push_back(subject.name);
    std::vector<std::string> figures;
    for (const LemmaFigure figure : lemma_figures()) figures.push_back(lemma_figure_word(figure));
    return OptionSet<LemmaSelection>()
        .option("detector", &LemmaSelection::detector, {.required = true, .choices = detectors})
        .option("figure", &LemmaSelection::figure, {.required = true, .choices = figures});
  }();
  return set;
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

template <class Struct>
Struct read_options(CheckedObject& object, const OptionSet<Struct>& set) {
  return set.read(object.options(set.specs()));
}

const JsonValue::List& list_of(const JsonValue* value, const std::string& path,
                               Problems& problems) {
  static const JsonValue::List empty;
  if (value == nullptr) {
    problems.add(path, "missing, expected a list");
    return empty;
  }
  if (value->list() != nullptr && !value->list()->empty()) return *value->list();
  problems.add(path, "expected a list that is not empty, got " + describe(*value));
  return empty;
}

const JsonValue::Object& object_of(const JsonValue* value, const std::string& path,
                                   Problems& problems) {
  static const JsonValue::Object empty;
  if (value == nullptr) return empty;
  if (value->object() != nullptr) return *value->object();
  problems.add(path, "expected an object, got " + describe(*value));
  return empty;
}

template <class Integer>
std::vector<Integer> read_integers(const JsonValue* value, const std::string& path,
                                   Problems& problems) {
  const OptionSpec spec{.name = "",
                        .kind = OptionKind::integer,
                        .minimum = 0,
                        .maximum = static_cast<double>(std::numeric_limits<Integer>::max())};
  std::vector<Integer> numbers;
  const JsonValue::List& list = list_of(value, path, problems);
  numbers.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    numbers.push_back(static_cast<Integer>(
        std::get<std::int64_t>(read_option(list[i], spec, item_path(path, i), problems))));
  return numbers;
}

std::vector<std::string> read_texts(const JsonValue* value, const std::string& path,
                                    Problems& problems) {
  const OptionSpec spec{.name = "", .kind = OptionKind::text};
  std::vector<std::string> texts;
  const JsonValue::List& list = list_of(value, path, problems);
  texts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    texts.push_back(
        std::get<std::string>(read_option(list[i], spec, item_path(path, i), problems)));
  return texts;
}

bool draws_ratios(const Measure& measure) {
  const auto* series = std::get_if<SeriesMeasure>(&measure.how);
  return series != nullptr && !series->drawn_relative_to.empty();
}

/// Reads one file, part after part.
class ItemReader {
 public:
  ItemReader(const JsonValue& root, Problems& problems)
      : root_(root, "", problems), problems_(problems) {}

  ReproductionItem read() {
    const ItemHead head = read_options(root_, item_options());
    item_.title = head.title;
    item_.note = head.note;
    item_.time_s = head.time_s;
    item_.quick_time_s = head.quick_time_s;
    scenarios_ = root_.child("scenarios");
    object_of(scenarios_, "scenarios", problems_);
    const JsonValue* measures = root_.child("measures");
    for (const JsonMember& member : object_of(measures, "measures", problems_))
      item_.measures.push_back(
          {member.key, read_measure(member.value, member_path("measures", member.key))});
    if (const JsonValue* curves = root_.child("curves")) read_curves(*curves);
    read_groups(root_.child("groups"));
    root_.finish();
    problems_.throw_if_any();
    return std::move(item_);
  }

 private:
  decltype(Measure::how) read_measure(const JsonValue& value, const std::string& path);
  RunsMeasure read_runs(CheckedObject& object);
  SeriesMeasure read_series(CheckedObject& object);
  void read_points(CheckedObject& object, SeriesMeasure& series);
  StepModelMeasure read_step_model(CheckedObject& object);
  std::vector<std::vector<std::string>> read_changes(const JsonValue* value,
                                                     const std::string& path);
  std::string read_scenario(const std::string& name, const std::string& path);
  std::set<std::string> check_scenarios(const std::string& scenario,
                                        const std::vector<std::vector<std::string>>& changes,
                                        const std::string& path);
  void read_curves(const JsonValue& curves);
  void read_groups(const JsonValue* groups);
  void read_cell(const JsonValue& value, const std::string& path);
  void read_stated(const CellHead& head, const std::string& path, Cell& cell);
  void read_selection(CheckedObject& object, Cell& cell);
  void read_series_selection(CheckedObject& object, const SeriesMeasure& series, Cell& cell);

  CheckedObject root_;
  Problems& problems_;
  const JsonValue* scenarios_ = nullptr;
  ReproductionItem item_;
};

decltype(Measure::how) ItemReader::read_measure(const JsonValue& value, const std::string& path) {
  CheckedObject object(value, path, problems_);
  const std::string kind = read_options(object, measure_options()).kind;
  decltype(Measure::how) how;
  if (kind == "runs") how = read_runs(object);
  if (kind == "series") how = read_series(object);
  if (kind == "step-model") how = read_step_model(object);
  if (kind == "survival") how = read_options(object, survival_options());
  if (kind == "lemmas") how = read_options(object, lemmas_options());
  object.finish();
  return how;
}

std::vector<std::vector<std::string>> ItemReader::read_changes(const JsonValue* value,
                                                               const std::string& path) {
  std::vector<std::vector<std::string>> changes;
  if (value == nullptr) return {{}};
  const JsonValue::List& list = list_of(value, path, problems_);
  changes.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    changes.emplace_back();
    for (const JsonMember& member : object_of(&list[i], item_path(path, i), problems_))
      changes.back().push_back(member.key + "=" + to_json(member.value));
  }
  return changes;
}

/// The text of a scenario of the file; "" when there is none of that name.
std::string ItemReader::read_scenario(const std::string& name, const std::string& path) {
  const JsonValue* scenario = scenarios_ == nullptr ? nullptr : scenarios_->find(name);
  if (scenario != nullptr) return to_json(*scenario);
  problems_.add(member_path(path, "scenario"),
                "expected one of the members of scenarios, got " + in_quotes(name));
  return "";
}

/// Every scenario that would run is checked before the first one runs. Returns their detectors.
std::set<std::string> ItemReader::check_scenarios(
    const std::string& scenario, const std::vector<std::vector<std::string>>& changes,
    const std::string& path) {
  std::set<std::string> detectors;
  if (scenario.empty()) return detectors;
  for (const auto& sets : changes) {
    try {
      for (const RunSpec& point : parse_scenario(scenario, problems_.file(), {sets}).points)
        detectors.insert(detector_of(point));
    } catch (const UsageError& error) {
      problems_.add_lines(path, error.what());
      return detectors;
    }
  }
  return detectors;
}

RunsMeasure ItemReader::read_runs(CheckedObject& object) {
  const RunsHead head = read_options(object, runs_options());
  const std::string& path = object.path();
  RunsMeasure runs;
  runs.metric = head.metric;
  runs.relative_to = head.relative_to;
  runs.replications = head.replications;
  runs.quick_replications = head.quick_replications;
  runs.quick_every = head.quick_every;
  runs.changes = read_changes(object.child("changes"), member_path(path, "changes"));
  if (runs.quick_every / 2 >= runs.changes.size())
    problems_.add(member_path(path, "quick_every"),
                  "leaves none of " + std::to_string(runs.changes.size()) + " sets of changes");
  if (const JsonValue* known = object.child("known_mean")) {
    CheckedObject inner(*known, member_path(path, "known_mean"), problems_);
    runs.known_mean = read_options(inner, known_mean_options());
    inner.finish();
  }
  runs.scenario = read_scenario(head.scenario, path);
  check_scenarios(runs.scenario, runs.changes, path);
  return runs;
}

SeriesMeasure ItemReader::read_series(CheckedObject& object) {
  const SeriesHead head = read_options(object, series_options());
  const std::string& path = object.path();
  SeriesMeasure series;
  series.over = head.over;
  series.drawn_relative_to = head.drawn_relative_to;
  series.quick_replications = head.quick_replications;
  series.quick_points = head.quick_points;
  read_points(object, series);
  series.metrics = read_texts(object.child("metrics"), member_path(path, "metrics"), problems_);
  series.scenario = read_scenario(head.scenario, path);
  const auto detectors = check_scenarios(series.scenario, series.changes, path);
  if (!series.drawn_relative_to.empty() && !detectors.contains(series.drawn_relative_to))
    problems_.add(
        member_path(path, "drawn_relative_to"),
        "expected a detector of its scenario, got " + in_quotes(series.drawn_relative_to));
  return series;
}

/// The sets of changes, each with its place on the axis and its replications.
void ItemReader::read_points(CheckedObject& object, SeriesMeasure& series) {
  const std::string path = member_path(object.path(), "changes");
  const JsonValue* value = object.child("changes");
  series.changes = read_changes(value, path);
  series.replications = read_integers<std::uint32_t>(
      object.child("replications"), member_path(object.path(), "replications"), problems_);
  if (series.replications.size() != series.changes.size() ||
      std::count(series.replications.begin(), series.replications.end(), 0U) > 0)
    problems_.add(member_path(object.path(), "replications"),
                  "expected a number above 0 for each set of changes");
  if (series.quick_points > series.changes.size())
    problems_.add(member_path(object.path(), "quick_points"),
                  "expected at most " + std::to_string(series.changes.size()));
  const JsonValue::List& list = list_of(value, path, problems_);
  const OptionSpec spec{.name = "", .kind = OptionKind::number};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonValue* place = list[i].find(series.over);
    if (place == nullptr) {
      problems_.add(item_path(path, i), "expected a member " + in_quotes(series.over));
      continue;
    }
    series.at.push_back(std::get<double>(read_option(*place, spec, item_path(path, i), problems_)));
    if (series.at.size() > 1 && series.at.back() <= series.at[series.at.size() - 2])
      problems_.add(item_path(path, i), "expected " + series.over + " to ascend");
  }
}

StepModelMeasure ItemReader::read_step_model(CheckedObject& object) {
  const StepModelHead head = read_options(object, step_model_options());
  StepModelMeasure model;
  model.preset = head.preset;
  model.mapping = head.mapping;
  model.rules = head.rules == "literal" ? StepRules::literal : StepRules::resolved;
  model.fewest_processes = head.fewest_processes;
  model.most_processes = std::max(head.most_processes, head.fewest_processes);
  model.quick_trees = head.quick_trees;
  model.tree_seeds = read_integers<std::uint64_t>(
      object.child("tree_seeds"), member_path(object.path(), "tree_seeds"), problems_);
  return model;
}

/// The panels of a figure are of one sort: step models, boxes of series, or ratios of them.
void ItemReader::read_curves(const JsonValue& curves) {
  const JsonValue::List& list = list_of(&curves, "curves", problems_);
  item_.curves.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto drawn = [&](const Measure& measure) {
      return list[i].text() != nullptr && measure.name == *list[i].text() &&
             (std::holds_alternative<StepModelMeasure>(measure.how) ||
              std::holds_alternative<SeriesMeasure>(measure.how));
    };
    const auto& measures = item_.measures;
    const auto found = std::find_if(measures.begin(), measures.end(), drawn);
    if (found == measures.end()) {
      problems_.add(item_path("curves", i),
                    "expected a measure of kind step-model or series, got " + describe(list[i]));
      continue;
    }
    item_.curves.push_back(static_cast<std::size_t>(found - measures.begin()));
    const Measure& first = measures[item_.curves.front()];
    if (found->how.index() != first.how.index() || draws_ratios(*found) != draws_ratios(first))
      problems_.add(item_path("curves", i), "expected a measure of the same kind as the first");
  }
}

/// The members of a group stand for those that its cells leave out.
void ItemReader::read_groups(const JsonValue* groups) {
  const JsonValue::List& list = list_of(groups, "groups", problems_);
  for (std::size_t g = 0; g < list.size(); ++g) {
    const std::string path = item_path("groups", g);
    if (list[g].object() == nullptr) {
      problems_.add(path, "expected an object, got " + describe(list[g]));
      continue;
    }
    const JsonValue::List& cells =
        list_of(list[g].find("cells"), member_path(path, "cells"), problems_);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string place = item_path(member_path(path, "cells"), c);
      JsonValue cell = JsonValue::Object{};
      for (const JsonMember& member : *list[g].object())
        if (member.key != "cells") cell.set(member.key, member.value);
      for (const JsonMember& member : object_of(&cells[c], place, problems_))
        cell.set(member.key, member.value);
      read_cell(cell, place);
    }
  }
}

void ItemReader::read_cell(const JsonValue& value, const std::string& path) {
  const std::size_t before = problems_.size();
  CheckedObject object(value, path, problems_);
  const CellHead head = read_options(object, cell_options());
  Cell cell;
  cell.name = head.cell;
  cell.place = head.place;
  read_stated(head, path, cell);
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
    problems_.add(member_path(path, "reason"),
                  "missing, expected the reason why it is not a match");
  if (cell.stated && cell.why.empty() && cell.expected != Verdict::not_comparable)
    problems_.add(member_path(path, "why"), "missing, expected the reason for the tolerance");
  if (cell.exact.has_value() == cell.exact_formula.empty())
    problems_.add(path, "expected exact and exact_formula together or neither");
  const auto& measures = item_.measures;
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const Measure& m) { return m.name == head.measure; });
  if (found == measures.end()) {
    problems_.add(member_path(path, "measure"),
                  "expected one of the members of measures, got " + in_quotes(head.measure));
    return;
  }
  cell.measure = static_cast<std::size_t>(found - measures.begin());
  read_selection(object, cell);
  object.finish();
  for (const Cell& other : item_.cells) {
    if (other.name == cell.name) problems_.add(path, "a cell with this name occurs above");
    if (asks_the_same(other, cell, last_point(item_, cell, false)))
      problems_.add(path, "asks the same as " + in_quotes(other.name) + " above");
  }
  if (problems_.size() == before) item_.cells.push_back(std::move(cell));
}

/// What the paper prints, what follows from it, or what its words mean: one of them.
void ItemReader::read_stated(const CellHead& head, const std::string& path, Cell& cell) {
  const std::pair<Source, std::optional<double>> values[] = {{Source::paper, head.paper},
                                                             {Source::derived, head.derived},
                                                             {Source::threshold, head.threshold}};
  for (const auto& [source, value] : values) {
    if (!value) continue;
    if (cell.stated)
      problems_.add(member_path(path, source_word(source)),
                    std::string("beside ") + source_word(cell.source) +
                        ", expected one of paper, derived and threshold");
    cell.stated = value;
    cell.source = source;
  }
}

void ItemReader::read_selection(CheckedObject& object, Cell& cell) {
  if (std::holds_alternative<SurvivalMeasure>(item_.measures[cell.measure].how)) {
    const SurvivalSelection selection = read_options(object, survival_selection_options());
    cell.figure = selection.figure;
    cell.fanout = selection.fanout;
    const JsonValue* failed = object.child("failed");
    if (failed != nullptr || cell.figure != "survival-percent")
      cell.failed =
          read_integers<std::int64_t>(failed, member_path(object.path(), "failed"), problems_);
    return;
  }
  if (std::holds_alternative<LemmasMeasure>(item_.measures[cell.measure].how)) {
    const LemmaSelection selection = read_options(object, lemma_selection_options());
    cell.detector = selection.detector;
    cell.figure = selection.figure;
    return;
  }
  if (const auto* series = std::get_if<SeriesMeasure>(&item_.measures[cell.measure].how))
    return read_series_selection(object, *series, cell);
  OptionSpec spec{.name = "detector", .kind = OptionKind::text, .required = true};
  if (std::holds_alternative<StepModelMeasure>(item_.measures[cell.measure].how))
    spec.choices = {"four-counter", "edod", "hcda"};
  cell.detector = std::get<std::string>(object.options({spec}).at("detector"));
}

void ItemReader::read_series_selection(CheckedObject& object, const SeriesMeasure& series,
                                       Cell& cell) {
  const SeriesSelection selection = read_options(object, series_selection_options());
  cell.detector = selection.detector;
  cell.metric = selection.metric;
  cell.relative_to = selection.relative_to;
  cell.ratio_of_means = selection.ratio_of_means;
  cell.at = selection.at;
  if (std::find(series.metrics.begin(), series.metrics.end(), cell.metric) == series.metrics.end())
    problems_.add(member_path(object.path(), "metric"),
                  "expected one of the metrics of its measure, got " + in_quotes(cell.metric));
  if (cell.at && std::find(series.at.begin(), series.at.end(), *cell.at) == series.at.end())
    problems_.add(member_path(object.path(), "at"), "expected a point of its measure");
}

}  // namespace

ReproductionItem read_reproduction_item(const fs::path& file) {
  Problems problems(file.string());
  const JsonValue root = read_json_file(file.string(), problems);
  ReproductionItem item = ItemReader(root, problems).read();
  std::error_code without_folder;
  const fs::path whole = fs::absolute(file, without_folder);
  item.name = reproduction_item_name(without_folder ? file : whole);
  return item;
}

}  // namespace faultline
