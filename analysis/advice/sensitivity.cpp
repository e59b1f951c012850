// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/advice/ranking.hpp"
#include "analysis/advice/variants.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/declarations.hpp"

namespace faultline::advice {

namespace {

constexpr std::uint32_t kRunsForWeight = 10;
constexpr std::size_t kMostInputs = 5;
constexpr double kLeastWeight = 1e-3;
/// What one of the races may take, as a multiple of what the question's own race has taken.
constexpr double kTimesRace = 2;

void add_input(std::vector<Input>& inputs, const std::string& path, const json::JsonValue& value) {
  const std::optional<double> number = json::number_of(value);
  if (number && *number > 0) inputs.push_back({.path = path, .value = *number});
}

/// Every time in an object of faults, and in those within it.
void add_times(std::vector<Input>& inputs, const std::string& path, const json::JsonValue& value) {
  if (const json::JsonValue::Object* object = value.object())
    for (const json::JsonMember& member : *object)
      add_times(inputs, json::member_path(path, member.key), member.value);
  if (path.ends_with("_s")) add_input(inputs, path, value);
}

/// What sets the input to a multiple of its value.
json::JsonValue::Object times(const Input& input, double factor) {
  return {{input.path, json::json_number(input.value * factor)}};
}

Alternative with(Alternative alternative, const json::JsonValue::Object& sets) {
  alternative.sets.insert(alternative.sets.end(), sets.begin(), sets.end());
  return alternative;
}

/// The runs and races with other inputs.
class Study {
 public:
  Study(const Question& question, const Field& field, const Findings& findings, double events_left,
        store::ResultStore& store, const AdvisorSettings& settings)
      : question_(question),
        field_(field),
        findings_(findings),
        events_left_(events_left),
        store_(store),
        settings_(settings),
        fit_(fit_of_stacks(field, findings)) {}

  Sensitivity carry_out() {
    weigh();
    for (Input& input : found_.inputs) {
      input.use = field_.alternatives[fit_[0]].stack;
      input.use_at_half = use(input, 0.5);
      input.use_at_double = use(input, 2);
    }
    if (!may_go_on()) found_.inputs.clear();
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool may_go_on() const {
    return !settings_.is_late() && !found_.is_interrupted && found_.events < events_left_;
  }

  /// Finds the inputs that weigh most.
  void weigh() {
    const Alternative& leader = field_.alternatives[fit_[0]];
    std::vector<Input> inputs = inputs_of(question_, field_);
    Variants variants(question_);
    const std::size_t as_it_is = variants.add(leader);
    std::vector<std::size_t> doubled;
    doubled.reserve(inputs.size());
    for (const Input& input : inputs)
      doubled.push_back(variants.add(leader, "twice " + input.path, times(input, 2)));
    const std::string& objective = findings_.rules.objective;
    found_.is_interrupted = !variants.run(kRunsForWeight, objective, store_, settings_);
    if (found_.is_interrupted) return;
    found_.events += variants.events();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const CommonMeans common =
          means_in_common({&variants.of(as_it_is), &variants.of(doubled[i])}, objective);
      if (common.means[0] == 0) continue;
      inputs[i].weight = std::fabs(common.means[1] / common.means[0] - 1);
      if (inputs[i].weight >= kLeastWeight) found_.inputs.push_back(inputs[i]);
    }
    std::ranges::stable_sort(found_.inputs, std::greater{}, &Input::weight);
    if (found_.inputs.size() > kMostInputs) found_.inputs.resize(kMostInputs);
  }

  /// The stack that is best if the input is multiplied by that.
  std::string use(const Input& input, double factor) {
    const Alternative leader = with(field_.alternatives[fit_[0]], times(input, factor));
    const Alternative runner_up = with(field_.alternatives[fit_[1]], times(input, factor));
    if (!may_go_on()) return leader.stack;
    try {
      Question there = asked_of(question_, {leader, runner_up});
      there.settings.budget =
          Budget{std::min(kTimesRace * findings_.events, events_left_ - found_.events)};
      Field two = field_of(there);
      const auto first = place_in(two, there, leader);
      const auto second = place_in(two, there, runner_up);
      const Findings race = find_out(there, two, store_, settings_);
      found_.is_interrupted = race.end == RaceEnd::interrupted;
      found_.events += race.events;
      if (!first || !second || race.leader != second) return leader.stack;
      const Standing standing = race.contestants[*first].standing;
      const bool is_worse = standing == Standing::behind || standing == Standing::unfit;
      return is_worse ? runner_up.stack : leader.stack;
    } catch (const UsageError&) {
      return leader.stack;
    }
  }

  const Question& question_;
  const Field& field_;
  const Findings& findings_;
  double events_left_;
  store::ResultStore& store_;
  const AdvisorSettings& settings_;
  std::vector<std::size_t> fit_;
  Sensitivity found_;
};

}  // namespace

std::vector<Input> inputs_of(const Question& question, const Field& field) {
  std::vector<Input> inputs;
  const json::JsonValue resolved = scenario::canonical(scenario::point_scenario(field.study, 0));
  const json::JsonValue& platform = *resolved.find("platform");
  if (platform.find("xml") == nullptr)
    for (const scenario::MachineCost& cost : scenario::machine_costs())
      add_input(inputs, std::string("platform.overheads.") + cost.name,
                *platform.find("machine")->find(cost.name));
  for (const json::JsonMember& member : *platform.object())
    if (member.key.ends_with("_s")) add_input(inputs, "platform." + member.key, member.value);
  if (const json::JsonValue* faults = question.scenario.find("faults"))
    add_times(inputs, "faults", *faults);
  return inputs;
}

Sensitivity sensitivity(const Question& question, const Field& field, const Findings& findings,
                        double events_left, store::ResultStore& store,
                        const AdvisorSettings& settings) {
  if (!findings.leader || fit_of_stacks(field, findings).size() < 2 || settings.is_late())
    return {};
  return Study(question, field, findings, events_left, store, settings).carry_out();
}

}  // namespace faultline::advice
