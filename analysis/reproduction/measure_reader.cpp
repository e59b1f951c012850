#include "analysis/reproduction/measure_reader.hpp"

#include <algorithm>
#include <set>

#include "analysis/reproduction/item_fields.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/scenario.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline {

namespace {

/// The members that all measures have.
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

class MeasureReader {
 public:
  MeasureReader(const JsonValue* scenarios, Problems& problems)
      : scenarios_(scenarios), problems_(problems) {}

  decltype(Measure::how) read(const JsonValue& value, const std::string& path);

 private:
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

  const JsonValue* scenarios_;
  Problems& problems_;
};

decltype(Measure::how) MeasureReader::read(const JsonValue& value, const std::string& path) {
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

std::vector<std::vector<std::string>> MeasureReader::read_changes(const JsonValue* value,
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

/// The text of the file's scenario of this name; "" if there is none.
std::string MeasureReader::read_scenario(const std::string& name, const std::string& path) {
  const JsonValue* scenario = scenarios_ == nullptr ? nullptr : scenarios_->find(name);
  if (scenario != nullptr) return to_json(*scenario);
  problems_.add(member_path(path, "scenario"),
                "expected one of the members of scenarios, got " + in_quotes(name));
  return "";
}

/// Checks every scenario that would run, before the first one does. Returns their detectors.
std::set<std::string> MeasureReader::check_scenarios(
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

RunsMeasure MeasureReader::read_runs(CheckedObject& object) {
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

SeriesMeasure MeasureReader::read_series(CheckedObject& object) {
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

/// Reads the sets of changes, each with its place on the axis and its replications.
void MeasureReader::read_points(CheckedObject& object, SeriesMeasure& series) {
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

StepModelMeasure MeasureReader::read_step_model(CheckedObject& object) {
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

}  // namespace

decltype(Measure::how) read_measure(const JsonValue& value, const std::string& path,
                                    const JsonValue* scenarios, Problems& problems) {
  return MeasureReader(scenarios, problems).read(value, path);
}

}  // namespace faultline
