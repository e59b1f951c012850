// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/usual_metrics.hpp"

#include <algorithm>

#include "analysis/statistics/metric_type.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/declared_metrics.hpp"

namespace faultline::runs {

StackText stack_text(const scenario::RunSpec& spec) {
  StackText text;
  for (const StackPlace& place : kStack) {
    const scenario::ComponentChoice& choice = spec.component(place.family);
    if (choice.registration == nullptr) continue;
    json::JsonValue component = json::json_object({{"name", choice.registration->name}});
    for (const auto& [name, value] : choice.options)
      component.set(name, scenario::option_json(value));
    text[index_of(place.family)] = json::to_json(component);
  }
  return text;
}

StackText stack_text(const json::JsonValue& resolved) {
  StackText text;
  for (const StackPlace& place : kStack) {
    const json::JsonValue* component = resolved.find(place.key);
    const json::JsonValue* name = component == nullptr ? nullptr : component->find("name");
    const bool is_none = name != nullptr && name->text() != nullptr && *name->text() == "none";
    if (!is_none)
      text[index_of(place.family)] = component == nullptr ? "?" : json::to_json(*component);
  }
  return text;
}

Families families_that_matter(const std::vector<StackText>& stacks) {
  Families present = families(Family::workload);
  std::size_t lowest = 0;
  for (std::size_t family = 1; family < kFamilies; ++family) {
    const auto differs = [&](const StackText& stack) {
      return stack[family] != stacks.front()[family];
    };
    if (std::any_of(stacks.begin(), stacks.end(),
                    [&](const StackText& stack) { return !stack[family].empty(); }))
      present |= Families{1} << family;
    if (std::any_of(stacks.begin(), stacks.end(), differs)) lowest = family;
  }
  if (lowest == 0) return present;
  return present & ((Families{2} << lowest) - 1);
}

std::vector<std::string> usual_metrics(Families families) {
  std::vector<std::string> usual;
  for (const scenario::DeclaredMetric& declared : scenario::declared_metrics()) {
    if ((declared.metric->usual_for & families) == 0) continue;
    for (const std::string& name : result_names(*declared.metric))
      if (std::find(usual.begin(), usual.end(), name) == usual.end()) usual.push_back(name);
  }
  return usual;
}

bool tells_something(const std::string& metric, double value) {
  return value != 0.0 || (statistics::metric_type(metric) != statistics::MetricType::time &&
                          !metric.ends_with("_per_s"));
}

}  // namespace faultline::runs
