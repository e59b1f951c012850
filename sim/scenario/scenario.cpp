// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/scenario.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/components.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/disturbances.hpp"
#include "sim/scenario/fencing_checks.hpp"
#include "sim/scenario/inherited_checkpoints.hpp"
#include "sim/scenario/order.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/platform_reader.hpp"
#include "sim/scenario/prospect_notes.hpp"
#include "sim/scenario/soft_faults.hpp"
#include "sim/scenario/stated_faults.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/scenario/told_once.hpp"

namespace faultline::scenario {
namespace {

constexpr std::size_t kMostPoints = 10000;

/// Reads the parts of one scenario in the order of the file's documentation.
class ScenarioReader {
 public:
  ScenarioReader(const json::JsonValue& root, json::Problems& problems,
                 const ScenarioBackends& backends)
      : root_(root, "", problems), problems_(problems), backends_(backends) {}

  Scenario read() {
    Scenario scenario = read_top();
    read_platform_part(scenario.engine);
    read_components();
    read_faults();
    read_stop();
    read_stated_order();
    for (const char* key : {"sweep", kStacks})
      if (root_.child(key) != nullptr)
        problems_.add(key, "needs the verb sweep: faultline sweep FILE --store RESULTS.sqlite");
    root_.finish();
    if (root_.is_object()) make_points(scenario);
    if (!problems_.empty()) throw UsageError(told_once(problems_.text()));
    scenario.notes = problems_.notes();
    scenario.hash = hash_of_canonical(canonical(scenario));
    return scenario;
  }

 private:
  Scenario read_top();
  void read_platform_part(EngineKind engine);
  void read_components();
  void read_faults();
  void read_sources(const faults::FaultSourceRegistration& kind, const json::JsonValue& value);
  void read_source(const faults::FaultSourceRegistration& kind, const json::JsonValue& value,
                   const std::string& path, std::size_t index);
  void read_stop();
  void read_stated_order();
  void make_points(Scenario& scenario);
  void add_point(Scenario& scenario, std::size_t index);

  json::CheckedObject root_;
  json::Problems& problems_;
  const ScenarioBackends& backends_;
  RunSpec common_;  ///< what all points share
  bool platform_known_ = false;
  std::vector<Candidate> candidates_[kFamilies];
  bool stop_given_ = false;
};

Scenario ScenarioReader::read_top() {
  const OptionValues values = root_.options(scenario_options().specs());
  const ScenarioOptions options = scenario_options().read(values);
  Scenario scenario;
  scenario.file = problems_.file();
  scenario.name =
      options.name.empty() ? std::filesystem::path(problems_.file()).stem().string() : options.name;
  scenario.engine = options.engine == "simgrid" ? EngineKind::simgrid : EngineKind::loggp;
  if (scenario.engine == EngineKind::simgrid && !backends_.simgrid)
    problems_.add("engine", "this program was built without SimGrid; expected loggp");
  scenario.seed = options.seed;
  scenario.replications = options.replications;
  common_.allow_unsafe = options.allow_unsafe;
  return scenario;
}

void ScenarioReader::read_platform_part(EngineKind engine) {
  const std::size_t before = problems_.size();
  const std::string directory = std::filesystem::path(problems_.file()).parent_path().string();
  const json::JsonValue* value = root_.child("platform");
  if (!root_.is_object()) return;
  common_.platform = read_platform(value, directory, backends_, problems_);
  platform_known_ = problems_.size() == before;
  if (platform_known_ && engine == EngineKind::simgrid)
    check_simgrid_can_hold(common_.platform, problems_);
}

void ScenarioReader::read_components() {
  for (const StackPlace& family : kStack) {
    const json::JsonValue* value = root_.child(family_key(family.family));
    if (root_.is_object())
      candidates_[static_cast<std::size_t>(family.family)] =
          read_family(family.family, value, problems_);
  }
}

void ScenarioReader::read_faults() {
  const json::JsonValue* value = root_.child("faults");
  if (value == nullptr) return;
  json::CheckedObject object(*value, "faults", problems_);
  if (const json::JsonValue* at = object.child("at"))
    common_.faults =
        read_stated_faults(*at, platform_known_ ? &common_.platform : nullptr, problems_);
  for (const faults::FaultSourceRegistration& kind : faults::fault_sources())
    if (const json::JsonValue* sources = object.child(kind.name)) read_sources(kind, *sources);
  const auto job = platform_known_ ? std::optional(job_shape(common_.platform)) : std::nullopt;
  if (const json::JsonValue* partition = object.child("partition"))
    common_.partitions = read_partitions(*partition, job, problems_);
  if (const json::JsonValue* slow = object.child("slow"))
    common_.slow = read_slow(*slow, job, problems_);
  object.finish();
}

void ScenarioReader::read_sources(const faults::FaultSourceRegistration& kind,
                                  const json::JsonValue& value) {
  const std::string path = json::member_path("faults", kind.name);
  const json::JsonValue::List* list = value.list();
  if (list == nullptr) {
    read_source(kind, value, path, 0);
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i)
    read_source(kind, (*list)[i], json::item_path(path, i), i);
}

void ScenarioReader::read_source(const faults::FaultSourceRegistration& kind,
                                 const json::JsonValue& value, const std::string& path,
                                 std::size_t index) {
  const std::size_t before = problems_.size();
  json::CheckedObject object(value, path, problems_);
  faults::FaultSourceChoice source{.registration = &kind,
                                   .options = object.options(kind.options),
                                   .key = json::item_path(kind.name, index)};
  object.finish();
  if (problems_.size() == before && platform_known_) {
    const faults::FaultTarget target = fault_target(common_.platform);
    for (const OptionProblem& problem : kind.check(source.options, target))
      problems_.add(json::member_path(path, problem.option), problem.message);
  }
  common_.fault_sources.push_back(std::move(source));
}

void ScenarioReader::read_stop() {
  const json::JsonValue* value = root_.child("stop");
  if (value == nullptr) return;
  json::CheckedObject object(*value, "stop", problems_);
  const OptionValues values = object.options(stop_options().specs());
  object.finish();
  const StopOptions options = stop_options().read(values);
  common_.stop.grace_s = options.grace_s;
  common_.stop.time_s = options.time_s;
  common_.stop.events = options.events;
  common_.stop.memory_bytes = options.memory_bytes;
  if (!options.when) return;
  stop_given_ = true;
  for (const StopWhen when :
       {StopWhen::announced, StopWhen::all_reported, StopWhen::finished, StopWhen::time})
    if (word_of(when) == *options.when) common_.stop.when = when;
}

void ScenarioReader::read_stated_order() {
  const json::JsonValue* value = root_.child("order");
  if (value == nullptr || value->is_null()) return;
  const auto job = platform_known_ ? std::optional(job_shape(common_.platform)) : std::nullopt;
  common_.order = read_order(*value, job, problems_);
}

void ScenarioReader::add_point(Scenario& scenario, std::size_t index) {
  RunSpec point = common_;
  ComponentPaths paths;
  std::string label;
  bool valid = true;
  // The last family varies fastest, as the digits of a number do.
  for (std::size_t family = kFamilies; family-- > 0;) {
    const auto& choices = candidates_[family];
    const Candidate& candidate = choices[index % choices.size()];
    index /= choices.size();
    point.components[family] = candidate.choice;
    paths[family] = candidate.path;
    valid = valid && candidate.valid;
    if (!candidate.label.empty()) {
      if (!label.empty()) label.insert(0, " / ");
      label.insert(0, candidate.label);
    }
  }
  inherit_checkpoints(point);
  end_by_soft_faults(point, problems_);
  if (!stop_given_) point.stop.when = default_stop(point);
  // If a component could not be read, checking its points would only repeat that.
  if (valid) check_point(point, paths, problems_);
  if (point.order && scenario.engine == EngineKind::simgrid)
    problems_.add("engine", "a stated order of events runs on loggp alone; expected loggp");
  if (point.order)
    for (const OptionProblem& problem : what_needs_time(point))
      problems_.add(problem.option, "cannot be combined with a stated order: " + problem.message);
  if (valid && platform_known_) {
    check_options_in_job(point, paths, problems_);
    note_rare_faults(point, scenario.replications, problems_);
  }
  scenario.points.push_back(std::move(point));
  scenario.point_labels.push_back(std::move(label));
}

void ScenarioReader::make_points(Scenario& scenario) {
  std::size_t count = 1;
  for (const auto& choices : candidates_) {
    count *= choices.size();
    if (count > kMostPoints) {
      problems_.add("", "its lists of components combine to more than " +
                            std::to_string(kMostPoints) + " points");
      return;
    }
  }
  for (std::size_t i = 0; i < count; ++i) add_point(scenario, i);
  const bool all_known = std::ranges::all_of(candidates_, [](const auto& family) {
    return std::ranges::all_of(family, &Candidate::valid);
  });
  if (!all_known) return;
  check_marks(scenario.points, problems_);
  note_fencing(scenario.points, problems_);
}

}  // namespace

Scenario read_scenario(const json::JsonValue& root, json::Problems& problems,
                       const ScenarioBackends& backends) {
  return ScenarioReader(root, problems, backends).read();
}

Scenario parse_scenario(const std::string& text, const std::string& file,
                        const ScenarioOverrides& overrides, const ScenarioBackends& backends) {
  json::Problems problems(file);
  json::JsonValue root = json::parse_json(text, problems);
  for (const std::string& set : overrides.sets) apply_set(root, set, problems);
  return read_scenario(root, problems, backends);
}

Scenario load_scenario(const std::string& path, const ScenarioOverrides& overrides,
                       const ScenarioBackends& backends) {
  return parse_scenario(json::read_json_text(path), path, overrides, backends);
}

}  // namespace faultline::scenario
