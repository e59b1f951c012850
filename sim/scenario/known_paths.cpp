// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/known_paths.hpp"

#include <optional>
#include <variant>
#include <vector>

#include "sim/core/stack.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/components.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

namespace {

/// A key with anything but letters, digits and _ cannot be part of a formula; leaving it here does
/// no harm.
std::string within(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::string text_of(const json::JsonPath& path) {
  std::string text;
  for (const json::JsonStep& step : path) {
    const auto* key = std::get_if<std::string>(&step);
    if (key == nullptr)
      text.append("[]");
    else
      text = within(text, *key);
  }
  return text;
}

void add_tree(const json::JsonValue& tree, const std::string& path, std::set<std::string>& paths) {
  if (!path.empty()) paths.insert(path);
  if (const json::JsonValue::List* list = tree.list())
    for (const json::JsonValue& item : *list) add_tree(item, path + "[]", paths);
  if (const json::JsonValue::Object* object = tree.object())
    for (const json::JsonMember& member : *object)
      add_tree(member.value, within(path, member.key), paths);
}

/// Walks a JSON schema as `scenario_schema` writes it.
class SchemaWalk {
 public:
  SchemaWalk(const json::JsonValue& schema, std::set<std::string>& paths)
      : schema_(schema), paths_(paths) {}

  void add(const json::JsonValue& node, const std::string& path) {
    if (!path.empty()) paths_.insert(path);
    if (const json::JsonValue* reference = node.find("$ref"))
      add(definition(*reference->text()), path);
    for (const char* key : {"oneOf", "anyOf"})
      if (const json::JsonValue* choices = node.find(key))
        for (const json::JsonValue& choice : *choices->list()) add(choice, path);
    if (const json::JsonValue* items = node.find("items")) add(*items, path + "[]");
    if (const json::JsonValue* properties = node.find("properties"))
      for (const json::JsonMember& property : *properties->object())
        add(property.value, within(path, property.key));
  }

 private:
  [[nodiscard]] const json::JsonValue& definition(const std::string& reference) const {
    const std::string start = "#/$defs/";
    return *schema_.find("$defs")->find(reference.substr(start.size()));
  }

  const json::JsonValue& schema_;
  std::set<std::string>& paths_;
};

KnownPaths paths_of_scenarios() {
  const json::JsonValue schema = scenario_schema_tree();
  std::set<std::string> stated;
  SchemaWalk(schema, stated).add(schema, "");
  KnownPaths known;
  for (const std::string& path : stated) {
    bool of_a_point = path != "sweep" && !path.starts_with("sweep.");
    for (const StackPlace& family : kStack)
      of_a_point = of_a_point && !path.starts_with(std::string(family_key(family.family)) + "[");
    if (of_a_point) known.add(path);
  }
  return known;
}

}  // namespace

const KnownPaths& KnownPaths::of_scenarios() {
  static const KnownPaths known = paths_of_scenarios();
  return known;
}

void KnownPaths::add(const json::JsonValue& tree) { add_tree(tree, "", paths_); }

bool KnownPaths::contains(const json::JsonPath& path) const {
  return paths_.count(text_of(path)) != 0;
}

std::string KnownPaths::refusal(const json::JsonPath& path, const std::string& of) const {
  const std::string text = json::path_text(path);
  std::string words = json::in_quotes(text) + " is no path of " + of;
  const auto near = json::nearest_of(text_of(path), {paths_.begin(), paths_.end()});
  if (near) words += ", did you mean " + json::in_quotes(*near) + "?";
  // A name within something that exists can hardly be meant as a text.
  if (path.size() == 1 || !contains({path.front()}))
    words += (near ? " Quote it if it is a text: '" : "; quote it if it is a text: '") + text + "'";
  return words;
}

}  // namespace faultline::scenario
