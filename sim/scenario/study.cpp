// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/study.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/fnv1a.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/told_once.hpp"

namespace faultline::scenario {
namespace {

constexpr std::size_t kMostStudyPoints = 100000;
constexpr std::size_t kShownProblems = 50;

/// The errors of points. An error of the file occurs at every point, but is reported only once, and
/// so is what would work instead.
class PointProblems {
 public:
  void add(const std::string& lines, const std::string& point) {
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
      const auto [place, is_new] = index_.emplace(line, entries_.size());
      if (is_new)
        entries_.push_back({line, point, 1});
      else
        ++entries_[place->second].count;
    }
  }

  [[nodiscard]] bool full() const { return entries_.size() >= kShownProblems; }

  void throw_if_any() const {
    std::string text;
    ToldOnce told;
    for (const Entry& entry : entries_) {
      text += (text.empty() ? "" : "\n") + told.shortened(entry.line) + " (" + entry.point;
      if (entry.count > 1) text += ", and " + std::to_string(entry.count - 1) + " more";
      text += ")";
    }
    if (!text.empty()) throw UsageError(text);
  }

 private:
  struct Entry {
    std::string line;
    std::string point;
    std::size_t count;
  };
  std::map<std::string, std::size_t> index_;
  std::vector<Entry> entries_;
};

std::string point_words(std::size_t number, const std::string& label) {
  constexpr std::size_t kLongest = 200;  // values may be whole objects
  return "point " + std::to_string(number) + (label.empty() ? "" : ": ") +
         label.substr(0, kLongest) + (label.size() > kLongest ? "..." : "");
}

std::string hash_of(const Scenario& scenario) {
  return point_hash(scenario.hash, word_of(scenario.engine), scenario.seed);
}

std::string study_hash(const Study& study) {
  std::string text;
  for (const StudyPoint& point : study.points) text += point.hash + "\n";
  return fnv1a_hex(text);
}

/// The scenario of one combination, or nothing if the constraints exclude it.
std::optional<Scenario> checked_point(const Study& study, const SweepPoint& point,
                                      json::Problems& problems) {
  problems.throw_if_any();
  if (!point.wanted) return std::nullopt;
  Scenario scenario = read_scenario(point.scenario, problems, study.backends);
  if (scenario.points.size() != 1)
    throw UsageError(study.file +
                     ": sweep: a value is a list of components, expected one component");
  return scenario;
}

void check_points(Study& study) {
  PointProblems wrong;
  std::map<std::string, std::size_t> seen;  // from the hash of a point to its index
  for (std::size_t i = 0; i < study.sweep.combinations() && !wrong.full(); ++i) {
    json::Problems problems(study.file);
    const SweepPoint point = sweep_point(study.sweep, i, problems);
    const auto words = [&study](std::size_t number, const json::JsonValue::Object& parameters) {
      return point_words(number, parameters_text(study.sweep, parameters));
    };
    try {
      const auto scenario = checked_point(study, point, problems);
      if (!scenario) continue;
      study.name = scenario->name;
      for (const std::string& note : scenario->notes)
        if (std::find(study.notes.begin(), study.notes.end(), note) == study.notes.end())
          study.notes.push_back(note);
      const std::string hash = hash_of(*scenario);
      const auto [twin, is_new] = seen.emplace(hash, study.points.size());
      if (!is_new)
        throw UsageError(study.file + ": sweep: this point equals " +
                         words(twin->second, point_parameters(study, twin->second)) +
                         ", expected points that differ");
      study.points.push_back({i, hash, scenario->replications});
    } catch (const UsageError& error) {
      wrong.add(error.what(), words(study.points.size(), point.parameters));
      study.points.push_back({i, {}, 0});  // so that the points after it keep their numbers
    }
    if (study.points.size() > kMostStudyPoints)
      throw UsageError(study.file + ": sweep: makes more than " + std::to_string(kMostStudyPoints) +
                       " points");
  }
  wrong.throw_if_any();
}

bool is_swept(const json::JsonValue& root) {
  return root.object() != nullptr &&
         std::any_of(root.object()->begin(), root.object()->end(),
                     [](const json::JsonMember& member) { return makes_points(member.key); });
}

}  // namespace

Study load_study(const std::string& path, const ScenarioOverrides& overrides,
                 const ScenarioBackends& backends) {
  return parse_study(json::read_json_text(path), path, overrides, backends);
}

Study parse_study(const std::string& text, const std::string& file,
                  const ScenarioOverrides& overrides, const ScenarioBackends& backends) {
  const json::FileMemo files;
  json::Problems problems(file);
  json::JsonValue root = json::parse_json(text, problems);
  for (const std::string& set : overrides.sets) apply_set(root, set, problems);
  // Errors of a scenario without a sweep are reported without point numbers, as `run` does.
  if (!is_swept(root)) read_scenario(root, problems, backends);
  Study study;
  study.file = file;
  study.backends = backends;
  study.sweep = read_sweep(std::move(root), problems);
  problems.throw_if_any();
  check_points(study);
  if (study.points.empty())
    throw UsageError(file + ": sweep.where: no point satisfies the conditions");
  study.hash = study_hash(study);
  return study;
}

json::JsonValue::Object point_parameters(const Study& study, std::size_t point) {
  json::Problems problems(study.file);
  return sweep_point(study.sweep, study.points.at(point).combination, problems).parameters;
}

std::string point_label(const Study& study, std::size_t point) {
  return parameters_text(study.sweep, point_parameters(study, point));
}

std::string point_hash(const std::string& scenario_hash, const std::string& engine,
                       std::uint64_t seed) {
  return fnv1a_hex(scenario_hash + " " + engine + " " + std::to_string(seed));
}

bool would_make(const Study& study, const json::JsonValue::Object& parameters,
                const std::string& hash) {
  json::Problems problems(study.file);
  const auto point = sweep_point_at(study.sweep, parameters, problems);
  if (!point) return false;
  try {
    const auto scenario = checked_point(study, *point, problems);
    return scenario && hash_of(*scenario) == hash;
  } catch (const UsageError&) {
    return false;  // these values make no valid scenario of this study
  }
}

Scenario point_scenario(const Study& study, std::size_t point) {
  json::Problems problems(study.file);
  const SweepPoint values = sweep_point(study.sweep, study.points.at(point).combination, problems);
  return read_scenario(values.scenario, problems, study.backends);
}

}  // namespace faultline::scenario
