// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/components.hpp"

#include <algorithm>
#include <filesystem>

#include "sim/json/checked_object.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::scenario {
namespace {

/// Limits a list, whose entries are compared pair by pair.
constexpr std::size_t kMostCandidates = 1000;

std::string unknown_name(Family family, const std::string& name) {
  for (const Registration& other : registrations())
    if (other.name == name)
      return json::in_quotes(name) + " is for " + family_key(other.family) + ", not for " +
             family_key(family) + "; expected " + json::any_of(component_names(family));
  const auto near = json::nearest_of(name, component_names(family));
  return std::string("unknown ") + family_key(family) + " " + json::in_quotes(name) +
         (near ? ", did you mean \"" + *near + "\"? Expected " : ", expected ") +
         json::any_of(component_names(family));
}

ComponentChoice read_choice(Family family, const json::JsonValue& value, const std::string& path,
                            json::Problems& problems) {
  if (value.object() == nullptr) {
    const auto names = component_names(family);
    const std::string name =
        value.text() != nullptr ? *value.text() : (names.empty() ? "" : names.front());
    problems.add(path, "expected an object such as {\"name\": " + json::in_quotes(name) +
                           "}, or a list of them, got " + json::describe(value));
    return {};
  }
  const std::size_t before = problems.size();
  json::CheckedObject object(value, path, problems);
  if (value.find("name") == nullptr) {
    problems.add(json::member_path(path, "name"),
                 "missing, expected " + json::any_of(component_names(family)));
    return {};
  }
  const OptionSpec name_spec{.name = "name", .required = true};
  const std::string name = std::get<std::string>(object.options({name_spec}).at("name"));
  ComponentChoice choice{.registration = find_registration(family, name), .options = {}};
  const bool none = name == "none" && family != Family::workload;
  if (choice.registration == nullptr && !none) {
    if (problems.size() == before)
      problems.add(json::member_path(path, "name"), unknown_name(family, name));
    return choice;
  }
  if (choice.registration != nullptr) choice.options = object.options(choice.registration->options);
  object.finish();
  return choice;
}

Candidate read_candidate(Family family, const json::JsonValue& value, const std::string& path,
                         json::Problems& problems) {
  const std::size_t before = problems.size();
  Candidate candidate{
      .choice = read_choice(family, value, path, problems), .path = path, .label = {}};
  candidate.valid = problems.size() == before;
  return candidate;
}

std::string name_of(const ComponentChoice& choice) {
  return choice.registration == nullptr ? "none" : choice.registration->name;
}

bool same(const ComponentChoice& a, const ComponentChoice& b) {
  return a.registration == b.registration && a.options == b.options;
}

struct InLabel {
  std::string operator()(const ChosenWords& words) const {
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : "+").append(word);
    return text.empty() ? "none" : text;
  }
  template <class Content>
  std::string operator()(const FileInput<Content>& input) const {
    return std::filesystem::path(input.file).filename().string();
  }
  template <class Other>
  std::string operator()(const Other& value) const {
    const json::JsonValue json = option_json(value);
    return json.text() != nullptr ? *json.text() : json::to_json(json);
  }
};

std::string in_label(const OptionValue& value) { return std::visit(InLabel{}, value); }

/// A candidate's name and the options by which it differs from others of the same name, such as
/// "cda, initial_credit 64".
std::string label_of(const Candidate& candidate, const std::vector<Candidate>& all) {
  std::string differing;
  for (const auto& entry : candidate.choice.options) {
    const bool differs = std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
      return other.valid && other.choice.registration == candidate.choice.registration &&
             other.choice.options.at(entry.first) != entry.second;
    });
    if (!differs) continue;
    differing.append(", ").append(entry.first).append(" ").append(in_label(entry.second));
  }
  return name_of(candidate.choice) + differing;
}

void label_candidates(std::vector<Candidate>& candidates, json::Problems& problems) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (candidates[i].valid && candidates[j].valid &&
          same(candidates[i].choice, candidates[j].choice))
        problems.add(candidates[i].path,
                     "is the same as " + candidates[j].path + ", expected entries that differ");
    candidates[i].label = label_of(candidates[i], candidates);
  }
}

}  // namespace

std::vector<std::string> component_names(Family family) {
  std::vector<std::string> names;
  for (const Registration& registration : registrations())
    if (registration.family == family) names.push_back(registration.name);
  if (family != Family::workload) names.emplace_back("none");
  return names;
}

std::vector<Candidate> read_family(Family family, const json::JsonValue* value,
                                   json::Problems& problems) {
  const std::string key = family_key(family);
  std::vector<Candidate> candidates;
  if (value == nullptr) {
    if (family == Family::workload)
      problems.add(key, "missing, expected an object with the name of a workload: " +
                            json::any_of(component_names(family)));
    candidates.emplace_back().path = key;
    candidates.back().valid = family != Family::workload;
    return candidates;
  }
  const json::JsonValue::List* list = value->list();
  if (list == nullptr) {
    candidates.push_back(read_candidate(family, *value, key, problems));
    return candidates;
  }
  if (list->empty() || list->size() > kMostCandidates) {
    problems.add(key, "expected a list of 1 to " + std::to_string(kMostCandidates) +
                          " objects, got " + std::to_string(list->size()));
    candidates.emplace_back().path = key;
    return candidates;
  }
  for (std::size_t i = 0; i < list->size(); ++i)
    candidates.push_back(read_candidate(family, (*list)[i], json::item_path(key, i), problems));
  if (candidates.size() > 1) label_candidates(candidates, problems);
  return candidates;
}

}  // namespace faultline::scenario
