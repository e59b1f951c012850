// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/stack_pairs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "sim/core/visible_text.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/components.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/scenario/told_once.hpp"

namespace faultline::scenario {
namespace {

/// What is held against a stack, and of what a scenario with it is warned. What the rest of a
/// scenario holds against it has no component.
struct Judgement {
  std::vector<StackRefusal> refusals;
  std::vector<StackRefusal> warnings;
};

using Judge = std::function<Judgement(const StackParts&)>;

Judgement by_rule(const StackParts& parts, const StackDemands& demands) {
  return {refusals_of(parts, demands, Instead::left_out), warnings_of(parts, demands)};
}

/// The lower, the better the stack tells whether a pair works: it is accepted, or at least refused
/// because of components that every stack with the pair has, and on the least grave ground.
auto rank_of(const Judgement& judgement, const std::vector<const Registration*>& everywhere) {
  const auto is_other = [&](const Registration* component) {
    return component != nullptr && std::ranges::count(everywhere, component) == 0;
  };
  const auto of_others =
      std::ranges::count_if(judgement.refusals, [&](const StackRefusal& refusal) {
        return is_other(refusal.component) || is_other(refusal.other);
      });
  Ground gravest = Ground::warning;
  for (const StackRefusal& refusal : judgement.refusals)
    gravest = std::min(gravest, refusal.ground);
  return std::tuple(of_others, -static_cast<int>(gravest), judgement.refusals.size(),
                    judgement.warnings.size());
}

std::vector<PairReason> reasons_of(const std::vector<StackRefusal>& refusals) {
  std::vector<PairReason> reasons;
  reasons.reserve(refusals.size());
  for (const StackRefusal& refusal : refusals)
    reasons.push_back(
        {refusal.ground, refusal.reason,
         (refusal.component == nullptr ? "" : refusal.component->name + " ") + refusal.words});
  std::ranges::stable_sort(reasons, {}, &PairReason::ground);
  return reasons;
}

/// Looks among all stacks of some workloads for the best one of each pair of parts.
class PairSearch {
 public:
  PairSearch(const std::vector<const Registration*>& workloads, Judge judge)
      : workloads_(workloads), judge_(std::move(judge)) {
    add(found_.parts, Family::workload, workloads);
    add(found_.parts, Family::transactions, components_of(Family::transactions));
    add(found_.parts, Family::termination, components_of(Family::termination));
    add(found_.parts, Family::failure_detection, with_none(Family::failure_detection));
    found_.recoveries = {{.family = Family::message_logging}};
    for (const Family family : {Family::transactions, Family::message_logging})
      add(found_.recoveries, family, components_of(family));
  }

  StackPairs pairs() {
    for (const StackPart& part : found_.parts)
      for (const StackPart& recovery : found_.recoveries)
        if (part.family != Family::transactions ||
            (recovery.family == Family::message_logging && recovery.component != nullptr))
          found_.pairs.push_back(judged(part, recovery));
    return std::move(found_);
  }

 private:
  using Components = std::vector<const Registration*>;

  static Components components_of(Family family) {
    Components all;
    for (const Registration& component : registrations())
      if (component.family == family) all.push_back(&component);
    return all;
  }
  static Components with_none(Family family) {
    Components all = components_of(family);
    all.insert(all.begin(), nullptr);
    return all;
  }
  static void add(std::vector<StackPart>& parts, Family family, const Components& components) {
    for (const Registration* component : components) parts.push_back({family, component});
  }

  /// What a stack with both parts can have in a place. It has no other recovery.
  [[nodiscard]] Components choices(const StackPart& part, const StackPart& recovery,
                                   Family family) const {
    if (part.family == family) return {part.component};
    if (recovery.family == family) return {recovery.component};
    if (family == Family::workload) return workloads_;
    if (place_of(family).role == Role::recovery) return {nullptr};
    return with_none(family);
  }
  [[nodiscard]] std::vector<StackParts> stacks_with(const StackPart& part,
                                                    const StackPart& recovery) const {
    std::vector<StackParts> stacks(1);
    for (const StackPlace& place : kStack) {
      std::vector<StackParts> longer;
      for (const StackParts& stack : stacks)
        for (const Registration* component : choices(part, recovery, place.family)) {
          longer.push_back(stack);
          longer.back()[index_of(place.family)] = component;
        }
      stacks = std::move(longer);
    }
    return stacks;
  }
  [[nodiscard]] StackPair judged(const StackPart& part, const StackPart& recovery) const {
    StackPair pair{.part = part, .recovery = recovery};
    Components everywhere{part.component, recovery.component};
    if (workloads_.size() == 1) everywhere.push_back(workloads_.front());
    std::optional<Judgement> best;
    for (const StackParts& stack : stacks_with(part, recovery)) {
      Judgement judgement = judge_(stack);
      if (!best || rank_of(judgement, everywhere) < rank_of(*best, everywhere))
        best = std::move(judgement);
      if (best->refusals.empty() && best->warnings.empty()) break;
    }
    pair.works = best->refusals.empty();
    pair.reasons = reasons_of(pair.works ? best->warnings : best->refusals);
    return pair;
  }

  Components workloads_;
  Judge judge_;
  StackPairs found_;
};

/// The stacks of a scenario: its first point, with other components.
class StacksOfPoint {
 public:
  StacksOfPoint(const Scenario& scenario, bool states_end)
      : point_(scenario.points.front()), file_(scenario.file), states_end_(states_end) {
    point_.allow_unsafe = false;
    for (const RunSpec& point : scenario.points)
      for (const ComponentChoice& choice : point.components)
        if (choice.registration != nullptr) options_.emplace(choice.registration, choice.options);
  }

  /// The workloads that the scenario names.
  [[nodiscard]] std::vector<const Registration*> workloads() const {
    std::vector<const Registration*> named;
    for (const Registration& component : registrations())
      if (component.family == Family::workload && options_.contains(&component))
        named.push_back(&component);
    return named;
  }

  [[nodiscard]] Judgement judgement(const StackParts& parts) {
    const RunSpec point = with(parts);
    Judgement judgement = by_rule(parts, demands_of(point));
    if (!judgement.refusals.empty()) return judgement;
    ComponentPaths paths;
    for (const StackPlace& place : kStack) paths[index_of(place.family)] = place.key;
    json::Problems problems(file_);
    check_point(point, paths, problems);
    check_options_in_job(point, paths, problems);
    std::istringstream lines(problems.text());
    for (std::string line; std::getline(lines, line);)
      judgement.refusals.push_back(reason(parts, Ground::settings, line));
    const std::vector<StackRefusal> by_rule_alone = judgement.warnings;
    for (const std::string& note : problems.notes())
      if (is_about_component(without_file(note)) && !repeats_one_of(by_rule_alone, note))
        judgement.warnings.push_back(reason(parts, Ground::warning, note));
    return judgement;
  }

 private:
  [[nodiscard]] RunSpec with(const StackParts& parts) {
    RunSpec point = point_;
    for (std::size_t family = 0; family < kFamilies; ++family) {
      const Registration* component = parts[family];
      point.components[family] = {.registration = component, .options = {}};
      if (component != nullptr) point.components[family].options = options_of(*component);
    }
    if (!states_end_) point.stop.when = default_stop(point);
    return point;
  }
  /// Those of the scenario, else the defaults.
  const OptionValues& options_of(const Registration& component) {
    const auto found = options_.find(&component);
    if (found != options_.end()) return found->second;
    json::Problems ignored(file_);
    const json::JsonValue alone = json::json_object({{"name", component.name}});
    return options_
        .emplace(&component, read_family(component.family, &alone, ignored).front().choice.options)
        .first->second;
  }
  [[nodiscard]] std::string without_file(const std::string& line) const {
    for (const std::string& name : {file_, visible(file_)})
      if (line.starts_with(name + ": ")) return line.substr(name.size() + 2);
    return line;
  }
  [[nodiscard]] static bool is_about_component(const std::string& line) {
    return std::ranges::any_of(
        kStack, [&](const StackPlace& place) { return line.starts_with(place.key); });
  }
  [[nodiscard]] static bool repeats_one_of(const std::vector<StackRefusal>& warnings,
                                           const std::string& note) {
    return std::ranges::any_of(
        warnings, [&](const StackRefusal& warning) { return note.ends_with(warning.words); });
  }
  /// Without the names of the recovery and of the detectors, which many stacks have alike.
  [[nodiscard]] StackRefusal reason(const StackParts& parts, Ground ground,
                                    const std::string& line) const {
    const std::string words = without_or_allow(without_file(line));
    std::string general = words;
    for (const Registration* component : parts)
      if (component != nullptr && component->family != Family::workload)
        general = with_it(general, component->name);
    return {.ground = ground, .reason = general, .words = words};
  }
  [[nodiscard]] static std::string without_or_allow(const std::string& line) {
    const std::size_t end = line.find(kOrAllow);
    return end == std::string::npos ? line : line.substr(0, end);
  }
  /// The first `name` among the words becomes "it".
  [[nodiscard]] static std::string with_it(const std::string& line, const std::string& name) {
    const std::size_t begin = (" " + line + " ").find(" " + name + " ");
    if (begin == std::string::npos) return line;
    return line.substr(0, begin) + "it" + line.substr(begin + name.size());
  }

  RunSpec point_;
  std::string file_;
  bool states_end_;
  std::map<const Registration*, OptionValues> options_;  ///< looked up, never walked through
};

/// The tree of a scenario; of a sweep: that of its first point that satisfies the conditions.
json::JsonValue first_point(json::JsonValue root, json::Problems& problems) {
  constexpr std::size_t kTried = 1000;
  if (root.object() == nullptr || std::ranges::none_of(*root.object(), [](const auto& member) {
        return makes_points(member.key);
      }))
    return root;
  const Sweep sweep = read_sweep(std::move(root), problems);
  problems.throw_if_any();
  std::size_t number = 0;
  SweepPoint point = sweep_point(sweep, number, problems);
  while (!point.wanted && ++number < std::min(kTried, sweep.combinations()))
    point = sweep_point(sweep, number, problems);
  return std::move(point.scenario);
}

bool states_end(const json::JsonValue& root) {
  const json::JsonValue* stop = root.find("stop");
  const json::JsonValue* when = stop == nullptr ? nullptr : stop->find("when");
  return when != nullptr && !when->is_null();
}

}  // namespace

StackPairs stack_pairs() {
  const auto judge = [](const StackParts& parts) {
    return by_rule(parts, {.deaths = true, .restarts = true});
  };
  std::vector<const Registration*> workloads;
  for (const Registration& component : registrations())
    if (component.family == Family::workload) workloads.push_back(&component);
  return PairSearch(workloads, judge).pairs();
}

StackPairs stack_pairs_of(const std::string& file, const ScenarioBackends& backends) {
  const json::FileMemo files;
  json::Problems problems(file);
  json::JsonValue root =
      first_point(json::parse_json(json::read_json_text(file), problems), problems);
  if (root.object() != nullptr) root.set("allow_unsafe", true);
  const Scenario scenario = read_scenario(root, problems, backends);
  StacksOfPoint stacks(scenario, states_end(root));
  return PairSearch(stacks.workloads(),
                    [&stacks](const StackParts& parts) { return stacks.judgement(parts); })
      .pairs();
}

}  // namespace faultline::scenario
