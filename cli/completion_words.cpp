// SPDX-License-Identifier: Apache-2.0
#include "cli/completion_words.hpp"

#include <algorithm>

#include "sim/scenario/components.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::cli {

namespace {

/// The name of an option's value: "FILE" for Boost's "FILE (=default)".
std::string value_name(const boost::program_options::option_description& option) {
  const std::string name = option.semantic()->name();
  return name.substr(0, name.find(' '));
}

/// The word by which the verb `completion` lists the values of an option in a store, or "".
std::string stored_values(const std::string& option) {
  if (option == "metric") return "metrics";
  return option == "by" || option == "group-by" || option == "x" ? "paths" : "";
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> chosen(const VerbOptions& verb, const std::string& option) {
  const auto found = verb.choices.find(option);
  return found == verb.choices.end() ? std::vector<std::string>{} : found->second.words();
}

/// Every plain option, with its path, of the objects that each scenario has.
std::vector<std::pair<std::string, OptionSpec>> scenario_values() {
  std::vector<std::pair<std::string, OptionSpec>> values;
  const auto add = [&values](const std::string& object, const std::vector<OptionSpec>& specs) {
    for (const OptionSpec& spec : specs) values.emplace_back(object + spec.name, spec);
  };
  add("", scenario::scenario_options().specs());
  add("platform.", scenario::platform_options().specs());
  add("stop.", scenario::stop_options().specs());
  return values;
}

}  // namespace

std::vector<CompletedOption> completed_options(const VerbOptions& verb) {
  std::vector<CompletedOption> all;
  all.reserve(verb.options.options().size());
  for (const auto& declared : verb.options.options()) {
    CompletedOption option;
    option.name = declared->long_name();
    option.doc = declared->description();
    option.takes_value = declared->semantic()->max_tokens() > 0;
    option.repeats = declared->semantic()->is_composing();
    if (option.takes_value) {
      option.shown = value_name(*declared);
      option.value = {.name = option.shown, .words = chosen(verb, option.name)};
      option.value.files = contains(option.shown, "FILE") || contains(option.shown, "RESULTS");
      option.value.directories = option.shown == "DIR";
      option.value.stored = stored_values(option.name);
      option.value.assigns = option.name == "set";
      if (option.value.assigns) option.value.words = set_paths();
    }
    all.push_back(option);
  }
  return all;
}

std::vector<Completed> completed_arguments(const VerbOptions& verb) {
  std::vector<Completed> all;
  for (unsigned place = 0; place < verb.positional.max_total_count(); ++place) {
    const std::string name = verb.positional.name_for_position(place);
    if (!all.empty() && all.back().name == name) {
      all.back().repeats = true;
      break;
    }
    Completed argument{.name = name, .words = chosen(verb, name)};
    argument.files = argument.words.empty();
    all.push_back(argument);
  }
  return all;
}

std::vector<std::string> set_paths() {
  std::vector<std::string> paths;
  for (const auto& [path, spec] : scenario_values()) paths.push_back(path);
  for (const StackPlace& family : kStack)
    paths.push_back(std::string(family_key(family.family)) + ".name");
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::pair<std::string, std::vector<std::string>>> set_values() {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (const auto& [path, spec] : scenario_values()) {
    if (spec.kind == OptionKind::boolean) values.push_back({path, {"false", "true"}});
    if (!spec.choices.empty()) values.emplace_back(path, spec.choices);
  }
  values.emplace_back("platform.machine", scenario::shipped_machines());
  for (const StackPlace& family : kStack)
    values.emplace_back(std::string(family_key(family.family)) + ".name",
                        scenario::component_names(family.family));
  return values;
}

}  // namespace faultline::cli
