// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/alternatives.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/registry.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/declared_metrics.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/sweep.hpp"

namespace faultline::advice {

namespace {

/// One of the components to choose from, and what choosing it sets.
struct Choice {
  std::string name;
  json::JsonValue::Object sets;
};

bool is_recovery(Family family) { return place_of(family).role == Role::recovery; }

/// Could a runtime use it? Models of costs stand for protocols of which no more is known, and what
/// the scenario lets the resource manager tell a detector is known to nobody else.
bool is_usable(const Registration& registration) {
  switch (place_of(registration.family).role) {
    case Role::detector:
      return !registration.as<DetectorTraits>().exit_notice;
    case Role::termination:
      return !registration.as<TerminationTraits>().is_cost_model;
    case Role::recovery:
      return true;
    default:
      return false;
  }
}

bool has_name(const json::JsonValue& component, const std::string& name) {
  const json::JsonValue* own = component.find("name");
  return own != nullptr && own->text() != nullptr && *own->text() == name;
}

/// The component as the scenario has it, alone or in a list, if it has that one, else with its
/// defaults.
json::JsonValue component(const json::JsonValue& scenario, const Registration& registration) {
  const json::JsonValue* stated = scenario.find(family_key(registration.family));
  if (stated != nullptr && has_name(*stated, registration.name)) return *stated;
  if (stated != nullptr && stated->list() != nullptr)
    for (const json::JsonValue& one : *stated->list())
      if (has_name(one, registration.name)) return one;
  return json::json_object({{"name", registration.name}});
}

json::JsonValue nothing() { return json::json_object({{"name", "none"}}); }

/// What can be chosen of these families, of which at most one component is used.
std::vector<Choice> choices(const json::JsonValue& scenario, const std::vector<Family>& families) {
  std::vector<Choice> all;
  const auto with = [&](const Registration* chosen) {
    Choice choice{chosen == nullptr ? "no recovery" : chosen->name, {}};
    for (const Family family : families) {
      const bool is_here = chosen != nullptr && chosen->family == family;
      choice.sets.push_back(
          {family_key(family), is_here ? component(scenario, *chosen) : nothing()});
    }
    return choice;
  };
  for (const Registration& registration : registrations())
    if (std::ranges::count(families, registration.family) > 0 && is_usable(registration))
      all.push_back(with(&registration));
  if (is_recovery(families.front())) all.push_back(with(nullptr));
  return all;
}

/// The families to choose from: those that the question names; or those that the scenario has; or
/// else what recovers and finds the dead.
std::vector<std::string> chosen_families(const Question& question) {
  if (!question.settings.choose.empty()) return question.settings.choose;
  std::vector<std::string> keys;
  const auto add = [&](Family family) { keys.emplace_back(family_key(family)); };
  for (const StackPlace& place : kStack)
    if (place.family != Family::workload && question.scenario.find(place.key) != nullptr)
      add(place.family);
  if (!keys.empty()) return keys;
  add(Family::transactions);
  add(Family::message_logging);
  if (question.scenario.find("faults") != nullptr) add(Family::failure_detection);
  return keys;
}

/// The families of each choice: the recovery comes first, whichever of its families is named.
std::vector<std::vector<Family>> slots(const std::vector<std::string>& keys) {
  std::vector<Family> recovery;
  std::vector<std::vector<Family>> others;
  for (const StackPlace& place : kStack) {
    if (!names(keys, place.key)) continue;
    if (is_recovery(place.family))
      recovery.push_back(place.family);
    else
      others.push_back({place.family});
  }
  if (!recovery.empty()) others.insert(others.begin(), recovery);
  return others;
}

std::vector<Alternative> crossed(const Question& question) {
  std::vector<Alternative> all{{}};
  for (const std::vector<Family>& families : slots(chosen_families(question))) {
    std::vector<Alternative> longer;
    for (const Alternative& begun : all)
      for (const Choice& choice : choices(question.scenario, families)) {
        Alternative& alternative = longer.emplace_back(begun);
        alternative.name += (begun.name.empty() ? "" : " + ") + choice.name;
        alternative.sets.insert(alternative.sets.end(), choice.sets.begin(), choice.sets.end());
      }
    all = std::move(longer);
  }
  return all;
}

/// The names of its components, or "today".
std::string name_of(const json::JsonValue::Object& sets) {
  std::string text;
  for (const StackPlace& place : kStack)
    for (const json::JsonMember& member : sets) {
      const json::JsonValue* name = member.value.find("name");
      if (member.key == place.key && name != nullptr && name->text() != nullptr)
        text += (text.empty() ? "" : " + ") + *name->text();
    }
  return text.empty() ? "today" : text;
}

// ---- what is tuned ----------------------------------------------------------------------------

/// "failure_detection.timeout_s" in two.
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return {path, ""};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

/// The component that an alternative has at a key of the stack, as it is written. Null if none is.
const json::JsonValue* component_at(const Question& question, const Alternative& alternative,
                                    const std::string& key) {
  for (const json::JsonMember& member : alternative.sets)
    if (member.key == key) return &member.value;
  return question.scenario.find(key);
}

/// Why an alternative has no such option; "" if it has. Whatever belongs to no component, all have.
std::string why_untuned(const Question& question, const Alternative& alternative,
                        const std::string& path) {
  const auto [key, option] = split_path(path);
  for (const StackPlace& place : kStack) {
    if (key != place.key || option.empty()) continue;
    const json::JsonValue* component = component_at(question, alternative, key);
    const json::JsonValue* name = component == nullptr ? nullptr : component->find("name");
    if (name == nullptr || name->text() == nullptr || *name->text() == "none")
      return "it has no " + key;
    const Registration* registration = find_registration(place.family, *name->text());
    const std::string own = option.substr(0, option.find_first_of(".["));
    if (registration != nullptr &&
        std::ranges::find(registration->options, own, &OptionSpec::name) ==
            registration->options.end())
      return *name->text() + " has no such option";
  }
  return "";
}

/// The alternative with another value of an option.
Alternative tuned(const Question& question, const Alternative& alternative, const std::string& path,
                  const json::JsonValue& value) {
  const auto [key, option] = split_path(path);
  Alternative changed = alternative;
  changed.name += ", " + path.substr(path.rfind('.') + 1) + " " + json::to_json(value);
  const auto set = std::ranges::find(changed.sets, key, &json::JsonMember::key);
  if (set == changed.sets.end()) {
    changed.sets.push_back({path, value});
    return changed;
  }
  json::Problems problems(question.file);
  scenario::apply_set(set->value, option + "=" + json::to_json(value), problems);
  problems.throw_if_any();
  return changed;
}

json::JsonValue::List values_for(const Tuned& tuned, const std::string& stack) {
  json::JsonValue::List values = tuned.values;
  const auto own = tuned.of_stack.find(stack);
  if (own != tuned.of_stack.end())
    values.insert(values.end(), own->second.begin(), own->second.end());
  return values;
}

/// Each stack with each value of each option that is tuned, and as it is. `untuned`: see Field.
std::vector<Alternative> with_tuned(const Question& question, const std::vector<Alternative>& all,
                                    std::vector<Untuned>& untuned) {
  std::vector<Alternative> more;
  for (const Alternative& alternative : all) {
    more.push_back(alternative);
    for (const Tuned& one : question.tune) {
      const std::string why = why_untuned(question, alternative, one.path);
      if (!why.empty()) untuned.push_back({one.path, alternative.stack, why});
      if (!why.empty()) continue;
      for (const json::JsonValue& value : values_for(one, alternative.stack))
        more.push_back(tuned(question, alternative, one.path, value));
    }
  }
  return more;
}

std::vector<Alternative> all_of(const Question& question, std::vector<Untuned>& untuned) {
  std::vector<Alternative> all;
  if (question.stacks.is_null()) {
    all = crossed(question);
  } else {
    for (const json::JsonMember& stack : *question.stacks.object()) {
      if (stack.value.object() == nullptr)
        throw UsageError(question.file + ": " + json::member_path("stacks", stack.key) +
                         ": expected an object of families and paths, got " +
                         json::describe(stack.value));
      all.push_back({.name = stack.key, .stack = {}, .sets = *stack.value.object()});
    }
  }
  for (Alternative& alternative : all) alternative.stack = alternative.name;
  all = with_tuned(question, all, untuned);
  if (!question.compare_with.is_null()) {
    const json::JsonValue::Object& sets = *question.compare_with.object();
    const std::string name = name_of(sets);
    all.push_back({.name = name, .stack = name, .sets = sets, .is_todays = true});
  }
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A message without what is the same in those of all alternatives: the file, the point, and that a
/// stack has set the place.
std::string without_place(const std::string& message, const std::string& file) {
  std::string text;
  for (std::string line : lines_of(message)) {
    if (line.starts_with(file + ": ")) line.erase(0, file.size() + 2);
    for (const char* end : {" (point ", " (from stacks"}) {
      const std::size_t place = line.rfind(end);
      if (place != std::string::npos) line.erase(place);
    }
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

/// What is wrong with every alternative is wrong with the job.
[[noreturn]] void refuse_all(const Question& question, const std::vector<Unraced>& refused) {
  std::string text;
  for (const std::string& line : lines_of(refused.front().why)) {
    const bool is_common = std::ranges::all_of(
        refused, [&](const Unraced& one) { return names(lines_of(one.why), line); });
    if (!is_common) continue;
    text += (text.empty() ? "" : "\n") + question.scenario_file + ": " +
            (question.scenario_place.empty() ? "" : question.scenario_place + ".") + line;
  }
  if (!text.empty()) throw UsageError(text);
  text = question.file + ": none of the alternatives can run this job:";
  for (const Unraced& one : refused) text += "\n  " + one.name + ": " + one.why;
  throw UsageError(text);
}

/// A metric that a question names, and where.
struct NamedMetric {
  std::string place;
  std::string name;
};

std::vector<NamedMetric> named_metrics(const Question& question) {
  std::vector<NamedMetric> all;
  if (question.settings.objective) all.push_back({"objective", *question.settings.objective});
  for (std::size_t i = 0; i < question.require.size(); ++i)
    all.push_back({json::item_path("require", i) + ".metric", question.require[i].metric});
  return all;
}

/// Refuses alternatives that never report what the question ranks by or requires.
void refuse_without_metrics(const Question& question, Field& field) {
  for (const NamedMetric& metric : named_metrics(question)) {
    const std::vector<std::string> components = scenario::components_that_report(metric.name);
    if (components.empty()) continue;
    std::erase_if(field.alternatives, [&](const Alternative& one) {
      const scenario::Study alone = study_of(question, {one});
      if (scenario::can_report(scenario::point_scenario(alone, 0).points.front(), metric.name))
        return false;
      field.refused.push_back({one.name, one.stack, "it has no " + metric.name, one.sets});
      return true;
    });
    if (!field.alternatives.empty()) continue;
    std::string text = question.file + ": " + metric.place;
    text.append(": none of the alternatives has ").append(metric.name);
    throw UsageError(text + ", which " + json::any_of(components) + " can report");
  }
}

}  // namespace

scenario::Study study_of(const Question& question, const std::vector<Alternative>& alternatives) {
  json::JsonValue root = question.scenario;
  const auto sets = [](const std::string& key) {
    return [&](const Alternative& one) {
      return std::ranges::count(one.sets, key, &json::JsonMember::key) > 0;
    };
  };
  // A list of components is a choice, too, and the alternatives take its place.
  if (json::JsonValue::Object* members = root.object())
    std::erase_if(*members, [&](const json::JsonMember& member) {
      return member.value.list() != nullptr && std::ranges::all_of(alternatives, sets(member.key));
    });
  json::JsonValue stacks = json::JsonValue::Object{};
  for (const Alternative& alternative : alternatives)
    stacks.set(alternative.name, alternative.sets);
  root.set(scenario::kStacks, stacks);
  return scenario::parse_study(json::to_json(root), question.scenario_file);
}

Field field_of(const Question& question) {
  Field field;
  std::map<std::string, std::size_t> known;  // from the hash of a point to its alternative
  for (Alternative& alternative : all_of(question, field.untuned)) {
    try {
      const scenario::Study alone = study_of(question, {alternative});
      const auto [twin, is_new] =
          known.emplace(alone.points.front().hash, field.alternatives.size());
      if (is_new)
        field.alternatives.push_back(std::move(alternative));
      else
        field.alternatives[twin->second].is_todays |= alternative.is_todays;
    } catch (const UsageError& error) {
      field.refused.push_back({alternative.name, alternative.stack,
                               without_place(error.what(), question.scenario_file),
                               alternative.sets});
    }
  }
  if (field.alternatives.empty()) refuse_all(question, field.refused);
  refuse_without_metrics(question, field);
  field.study = study_of(question, field.alternatives);
  if (field.study.points.size() != field.alternatives.size())
    throw UsageError(question.scenario_file +
                     ": a question is about one job, expected no lists of components but of those "
                     "families that are to be chosen");
  return field;
}

std::optional<std::size_t> place_in(const Field& field, const Question& question,
                                    const Alternative& alternative) {
  try {
    const scenario::Study alone = study_of(question, {alternative});
    const auto same = std::ranges::find(field.study.points, alone.points.front().hash,
                                        &scenario::StudyPoint::hash);
    if (same == field.study.points.end()) return std::nullopt;
    return static_cast<std::size_t>(same - field.study.points.begin());
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

Question asked_of(const Question& question, const std::vector<Alternative>& alternatives) {
  Question about = question;
  about.settings.choose.clear();
  about.stacks = json::JsonValue::Object{};
  for (const Alternative& one : alternatives) about.stacks.set(one.name, one.sets);
  about.compare_with = {};
  about.tune.clear();
  about.over.clear();
  return about;
}

}  // namespace faultline::advice
