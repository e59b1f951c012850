// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/option_places.hpp"

#include <functional>

#include "analysis/search/drawn_option.hpp"
#include "sim/core/registry.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/scenario/declarations.hpp"

namespace faultline::search {

namespace {

/// Calls `take` with the place of every option and its declaration.
void for_each_option(const std::function<void(const std::string&, const OptionSpec&)>& take) {
  const auto all = [&](const std::string& where, const std::vector<OptionSpec>& specs) {
    for (const OptionSpec& spec : specs) take(where + "." + spec.name, spec);
  };
  all("platform", scenario::platform_options().specs());
  all("platform.delay_noise", scenario::delay_noise_options().specs());
  all("platform.os_noise", scenario::os_noise_options().specs());
  all("platform.fencing", scenario::fencing_options().specs());
  for (const Registration& component : registrations())
    all(std::string(family_key(component.family)) + "." + component.name, component.options);
  all("faults.at", scenario::stated_fault_options().specs());
  for (const faults::FaultSourceRegistration& source : faults::fault_sources())
    all("faults." + source.name, source.options);
  all("faults.partition", scenario::partition_options().specs());
  all("faults.slow", scenario::slow_options().specs());
  all("stop", scenario::stop_options().specs());
}

}  // namespace

const DrawnOptions& drawn_options() {
  static const DrawnOptions options = [] {
    DrawnOptions found;
    for_each_option([&](const std::string& place, const OptionSpec& spec) {
      const bool is_program = place == "workload.script.rules" ||
                              place == "workload.try-script.steps" || place == "platform.machine";
      const bool is_drawn = (can_be_drawn(spec) || is_program) && place != "stop.events" &&
                            place != "stop.memory_bytes" && !place.starts_with("faults.trace.");
      (is_drawn ? found.drawn : found.not_drawn).push_back(place);
    });
    return found;
  }();
  return options;
}

std::vector<std::string> stated_options(const json::JsonValue& scenario) {
  std::vector<std::string> places;
  const auto all = [&](const std::string& where, const json::JsonValue* object) {
    if (object == nullptr || object->object() == nullptr) return;
    for (const json::JsonMember& member : *object->object())
      places.push_back(where + "." + member.key);
  };
  const json::JsonValue* const platform = scenario.find("platform");
  all("platform", platform);
  all("platform.delay_noise", platform->find("delay_noise"));
  all("platform.os_noise", platform->find("os_noise"));
  all("platform.fencing", platform->find("fencing"));
  for (const StackPlace& place : kStack)
    if (const json::JsonValue* component = scenario.find(place.key))
      all(std::string(place.key) + "." + *component->find("name")->text(), component);
  all("stop", scenario.find("stop"));
  const json::JsonValue* const faults = scenario.find("faults");
  if (faults == nullptr) return places;
  for (const json::JsonMember& kind : *faults->object()) {
    all("faults." + kind.key, &kind.value);
    if (const json::JsonValue::List* list = kind.value.list())
      for (const json::JsonValue& one : *list) all("faults." + kind.key, &one);
  }
  return places;
}

}  // namespace faultline::search
