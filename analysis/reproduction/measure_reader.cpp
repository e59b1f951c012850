// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/measure_reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/exploration/explorable.hpp"
#include "analysis/exploration/exploration_report.hpp"
#include "analysis/exploration/goal.hpp"
#include "analysis/reproduction/item_fields.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sweep.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::reproduction {

namespace {

/// The members that all measures have.
struct MeasureHead {
  std::string kind;
};

struct RunsHead {
  std::string scenario;
  std::string family = family_key(Family::termination);
  std::string metric;
  std::string relative_to;
  std::uint32_t replications = 1;
  std::uint32_t quick_replications = 1;
  std::uint32_t quick_every = 1;
};

struct SeriesHead {
  std::string scenario;
  std::string family = family_key(Family::termination);
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

struct LemmasHead {
  std::string family = family_key(Family::termination);
  std::uint64_t loggp_schedules = 1;
  std::uint64_t simgrid_schedules = 0;
  std::uint64_t quick_schedules = 1;
  std::optional<std::uint64_t> quick_simgrid_schedules;
};

struct ExplorationHead {
  std::string scenario;
  std::string looked_for;
  std::uint32_t faults = 0;
  std::string crash = exploration::crash_word(exploration::CrashPlaces::between_events);
  bool in_order = false;
  std::uint32_t depth = UINT32_MAX;
};

const OptionSet<MeasureHead>& measure_options() {
  static const OptionSet<MeasureHead> set = OptionSet<MeasureHead>().option(
      "kind", &MeasureHead::kind,
      {.required = true,
       .choices = {"runs", "series", "step-model", "survival", "lemmas", "exploration"}});
  return set;
}

std::vector<std::string> family_keys() {
  std::vector<std::string> keys;
  keys.reserve(kFamilies);
  for (const StackPlace& place : kStack) keys.emplace_back(place.key);
  return keys;
}

/// The family with this key, which must be one of family_keys().
Family family_of(const std::string& key) {
  for (const StackPlace& place : kStack)
    if (place.key == key) return place.family;
  return Family::termination;
}

const OptionSet<RunsHead>& runs_options() {
  static const OptionSet<RunsHead> set =
      OptionSet<RunsHead>()
          .option("scenario", &RunsHead::scenario, {.required = true})
          .option("family", &RunsHead::family, {.choices = family_keys()})
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
          .option("family", &SeriesHead::family, {.choices = family_keys()})
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
                  {.required = true, .choices = workloads::task_tree_presets()})
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

const OptionSet<LemmasHead>& lemmas_options() {
  static const OptionSet<LemmasHead> set =
      OptionSet<LemmasHead>()
          .option("family", &LemmasHead::family,
                  {.choices = {family_key(Family::termination), family_key(Family::message_logging),
                               family_key(Family::failure_detection),
                               family_key(Family::transactions)}})
          .option("loggp_schedules", &LemmasHead::loggp_schedules,
                  {.minimum = 1, .maximum = 1e9, .required = true})
          .option("simgrid_schedules", &LemmasHead::simgrid_schedules, {.maximum = 1e9})
          .option("quick_schedules", &LemmasHead::quick_schedules,
                  {.minimum = 1, .maximum = 1e9, .required = true})
          .option("quick_simgrid_schedules", &LemmasHead::quick_simgrid_schedules,
                  {.maximum = 1e9});
  return set;
}

const OptionSet<ExplorationHead>& exploration_options() {
  static const OptionSet<ExplorationHead> set =
      OptionSet<ExplorationHead>()
          .option("scenario", &ExplorationHead::scenario, {.required = true})
          .option("looked_for", &ExplorationHead::looked_for, {.required = true})
          .option("faults", &ExplorationHead::faults, {.maximum = exploration::kMostFaults})
          .option("crash", &ExplorationHead::crash, {.choices = exploration::crash_words()})
          .option("in_order", &ExplorationHead::in_order, {})
          .option("depth", &ExplorationHead::depth, {.minimum = 1});
  return set;
}

class MeasureReader {
 public:
  MeasureReader(const json::JsonValue* scenarios, json::Problems& problems)
      : scenarios_(scenarios), problems_(problems) {}

  decltype(Measure::how) read(const json::JsonValue& value, const std::string& path);

 private:
  RunsMeasure read_runs(json::CheckedObject& object);
  SeriesMeasure read_series(json::CheckedObject& object);
  std::vector<json::JsonValue::Object> read_points(json::CheckedObject& object,
                                                   SeriesMeasure& series);
  StepModelMeasure read_step_model(json::CheckedObject& object);
  static LemmasMeasure read_lemmas(json::CheckedObject& object);
  ExplorationMeasure read_exploration(json::CheckedObject& object);
  std::vector<json::JsonValue::Object> read_changes(const json::JsonValue* value,
                                                    const std::string& path);
  std::vector<scenario::Scenario> read_scenarios(
      const std::string& name, const std::vector<json::JsonValue::Object>& changes,
      const std::string& path);
  void check_base(const std::string& protocol, const std::vector<scenario::Scenario>& scenarios,
                  Family family, const std::string& path);

  const json::JsonValue* scenarios_;
  json::Problems& problems_;
};

decltype(Measure::how) MeasureReader::read(const json::JsonValue& value, const std::string& path) {
  json::CheckedObject object(value, path, problems_);
  const std::string kind = read_options(object, measure_options()).kind;
  decltype(Measure::how) how;
  if (kind == "runs") how = read_runs(object);
  if (kind == "series") how = read_series(object);
  if (kind == "step-model") how = read_step_model(object);
  if (kind == "survival") how = read_options(object, survival_options());
  if (kind == "lemmas") how = read_lemmas(object);
  if (kind == "exploration") how = read_exploration(object);
  object.finish();
  return how;
}

/// Reads a list of sets of changes. Without one, there is one set, which changes nothing.
std::vector<json::JsonValue::Object> MeasureReader::read_changes(const json::JsonValue* value,
                                                                 const std::string& path) {
  if (value == nullptr) return {json::JsonValue::Object{}};
  const json::JsonValue::List& list = list_of(value, path, problems_);
  std::vector<json::JsonValue::Object> changes;
  changes.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    changes.push_back(object_of(&list[i], json::item_path(path, i), problems_));
  return changes;
}

/// Checks the file's scenario of this name with each set of changes, before the first one runs.
/// Stops at the first set that is wrong, since errors of the scenario itself are in all of them.
std::vector<scenario::Scenario> MeasureReader::read_scenarios(
    const std::string& name, const std::vector<json::JsonValue::Object>& changes,
    const std::string& path) {
  std::vector<scenario::Scenario> scenarios;
  const json::JsonValue* plain = scenarios_ == nullptr ? nullptr : scenarios_->find(name);
  if (plain == nullptr) {
    problems_.add(json::member_path(path, "scenario"),
                  "expected one of the members of scenarios, got " + json::in_quotes(name));
    return scenarios;
  }
  scenarios.reserve(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    json::Problems problems(problems_.file());
    const std::string place = json::item_path(json::member_path(path, "changes"), i);
    const json::JsonValue changed = scenario::with_values(*plain, changes[i], place, problems);
    try {
      scenarios.push_back(scenario::read_scenario(changed, problems));
    } catch (const UsageError& error) {
      problems_.add_lines(path, error.what());
      break;
    }
  }
  return scenarios;
}

/// Checks that the scenarios run the protocol that divides the others.
void MeasureReader::check_base(const std::string& protocol,
                               const std::vector<scenario::Scenario>& scenarios, Family family,
                               const std::string& path) {
  if (protocol.empty() || scenarios.empty()) return;
  if (!protocols_of(scenarios, family).contains(protocol))
    problems_.add(path, std::string("expected a ") + protocol_word(family) +
                            " of its scenario, got " + json::in_quotes(protocol));
}

RunsMeasure MeasureReader::read_runs(json::CheckedObject& object) {
  const RunsHead head = read_options(object, runs_options());
  const std::string& path = object.path();
  RunsMeasure runs;
  runs.family = family_of(head.family);
  runs.metric = head.metric;
  runs.relative_to = head.relative_to;
  runs.replications = head.replications;
  runs.quick_replications = head.quick_replications;
  runs.quick_every = head.quick_every;
  const auto changes = read_changes(object.child("changes"), json::member_path(path, "changes"));
  if (runs.quick_every / 2 >= changes.size())
    problems_.add(json::member_path(path, "quick_every"),
                  "leaves none of " + std::to_string(changes.size()) + " sets of changes");
  if (const json::JsonValue* known = object.child("known_mean")) {
    json::CheckedObject inner(*known, json::member_path(path, "known_mean"), problems_);
    runs.known_mean = read_options(inner, known_mean_options());
    inner.finish();
  }
  runs.scenarios = read_scenarios(head.scenario, changes, path);
  check_base(runs.relative_to, runs.scenarios, runs.family, json::member_path(path, "relative_to"));
  return runs;
}

SeriesMeasure MeasureReader::read_series(json::CheckedObject& object) {
  const SeriesHead head = read_options(object, series_options());
  const std::string& path = object.path();
  SeriesMeasure series;
  series.family = family_of(head.family);
  series.over = head.over;
  series.drawn_relative_to = head.drawn_relative_to;
  series.quick_replications = head.quick_replications;
  series.quick_points = head.quick_points;
  series.changes = read_points(object, series);
  series.metrics =
      read_texts(object.child("metrics"), json::member_path(path, "metrics"), problems_);
  series.scenarios = read_scenarios(head.scenario, series.changes, path);
  check_base(series.drawn_relative_to, series.scenarios, series.family,
             json::member_path(path, "drawn_relative_to"));
  return series;
}

/// Reads the sets of changes, each with its place on the axis and its replications.
std::vector<json::JsonValue::Object> MeasureReader::read_points(json::CheckedObject& object,
                                                                SeriesMeasure& series) {
  const std::string path = json::member_path(object.path(), "changes");
  const json::JsonValue* value = object.child("changes");
  auto changes = read_changes(value, path);
  series.replications = read_integers<std::uint32_t>(
      object.child("replications"), json::member_path(object.path(), "replications"), problems_);
  if (series.replications.size() != changes.size() ||
      std::count(series.replications.begin(), series.replications.end(), 0U) > 0)
    problems_.add(json::member_path(object.path(), "replications"),
                  "expected a number above 0 for each set of changes");
  if (series.quick_points > changes.size())
    problems_.add(json::member_path(object.path(), "quick_points"),
                  "expected at most " + std::to_string(changes.size()));
  const json::JsonValue::List& list = list_of(value, path, problems_);
  const OptionSpec spec{.name = "", .kind = OptionKind::number};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const json::JsonValue* place = list[i].find(series.over);
    if (place == nullptr) {
      problems_.add(json::item_path(path, i), "expected a member " + json::in_quotes(series.over));
      continue;
    }
    series.at.push_back(
        std::get<double>(json::read_option(*place, spec, json::item_path(path, i), problems_)));
    if (series.at.size() > 1 && series.at.back() <= series.at[series.at.size() - 2])
      problems_.add(json::item_path(path, i), "expected " + series.over + " to ascend");
  }
  return changes;
}

StepModelMeasure MeasureReader::read_step_model(json::CheckedObject& object) {
  const StepModelHead head = read_options(object, step_model_options());
  StepModelMeasure model;
  model.preset = head.preset;
  model.mapping = head.mapping;
  model.rules = head.rules == "literal" ? theory::StepRules::literal : theory::StepRules::resolved;
  model.fewest_processes = head.fewest_processes;
  model.most_processes = std::max(head.most_processes, head.fewest_processes);
  model.quick_trees = head.quick_trees;
  model.tree_seeds = read_integers<std::uint64_t>(
      object.child("tree_seeds"), json::member_path(object.path(), "tree_seeds"), problems_);
  return model;
}

LemmasMeasure MeasureReader::read_lemmas(json::CheckedObject& object) {
  const LemmasHead head = read_options(object, lemmas_options());
  LemmasMeasure lemmas;
  lemmas.family = family_of(head.family);
  lemmas.loggp_schedules = head.loggp_schedules;
  lemmas.simgrid_schedules = head.simgrid_schedules;
  lemmas.quick_schedules = head.quick_schedules;
  lemmas.quick_simgrid_schedules =
      head.quick_simgrid_schedules.value_or(head.quick_schedules / 100);
  return lemmas;
}

/// Reads a job that is explored twice, with the changes of `printed` and with those of `corrected`.
ExplorationMeasure MeasureReader::read_exploration(json::CheckedObject& object) {
  const ExplorationHead head = read_options(object, exploration_options());
  const std::string& path = object.path();
  ExplorationMeasure exploration;
  exploration.looked_for = head.looked_for;
  exploration.bounds.faults = head.faults;
  exploration.bounds.crash = exploration::crash_named(head.crash);
  exploration.bounds.in_order = head.in_order;
  exploration.bounds.depth = head.depth;
  if (const json::JsonValue* victims = object.child("victims"))
    exploration.bounds.victims =
        read_integers<ActorId>(victims, json::member_path(path, "victims"), problems_);
  for (const auto& [key, scenario] : {std::pair("printed", &exploration.printed),
                                      std::pair("corrected", &exploration.corrected)}) {
    const std::string place = json::member_path(path, key);
    const json::JsonValue::Object& changes = object_of(object.child(key), place, problems_);
    std::vector<scenario::Scenario> read = read_scenarios(head.scenario, {changes}, path);
    if (read.empty()) return exploration;
    *scenario = std::move(read.front());
    json::Problems refused(problems_.file());
    exploration::refuse_unexplorable(*scenario, exploration.bounds, refused);
    if (!refused.empty()) problems_.add_lines(place, refused.text());
  }
  if (exploration.printed.points.size() != 1) return exploration;
  const scenario::RunSpec& job = exploration.printed.points.front();
  const std::vector<std::string> words = exploration::goal_words(job);
  if (std::find(words.begin(), words.end(), head.looked_for) == words.end())
    problems_.add(json::member_path(path, "looked_for"),
                  "expected how a run can end, got " + json::in_quotes(head.looked_for));
  for (const ActorId victim : exploration.bounds.victims)
    if (victim >= job.platform.processes)
      problems_.add(json::member_path(path, "victims"), "expected ranks of the job");
  return exploration;
}

}  // namespace

decltype(Measure::how) read_measure(const json::JsonValue& value, const std::string& path,
                                    const json::JsonValue* scenarios, json::Problems& problems) {
  return MeasureReader(scenarios, problems).read(value, path);
}

}  // namespace faultline::reproduction
