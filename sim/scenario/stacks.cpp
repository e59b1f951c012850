// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/stacks.hpp"

#include <algorithm>
#include <set>

#include "sim/core/stack.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_path.hpp"
#include "sim/scenario/swept_path.hpp"

namespace faultline::scenario {
namespace {

/// Tables, labels and pages show the name as it is.
void check_stack_name(const std::string& name, const std::string& place, json::Problems& problems) {
  if (name.find_first_not_of(' ') == std::string::npos)
    problems.add(place, "expected a name for the stack, got " + json::in_quotes(name));
  else if (visible(name) != name)
    problems.add(place, "expected a name of one line without control characters, got " +
                            json::in_quotes(name));
}

bool is_family(const json::JsonPath& path) {
  return std::any_of(kStack.begin(), kStack.end(), [&](const StackPlace& family) {
    return path == json::JsonPath{std::string(family.key)};
  });
}

/// Reads what one stack sets. Values are set in the order of the file. A later one must not
/// overwrite an earlier one.
json::JsonValue::Object read_stack(const json::JsonValue& value, const std::string& place,
                                   json::Problems& problems) {
  const json::JsonValue::Object* keys = value.object();
  if (keys == nullptr || keys->empty()) {
    problems.add(place, "expected an object with the keys that the stack sets, got " +
                            (keys == nullptr ? json::describe(value) : "none"));
    return {};
  }
  std::set<json::JsonPath> earlier;
  for (const json::JsonMember& member : *keys) {
    const std::string inner = json::member_path(place, member.key);
    const json::JsonPath path = swept_path(member.key, inner, problems);
    if (path.empty()) continue;
    if (is_family(path) && member.value.list() != nullptr)
      problems.add(inner, "expected one component, got a list");
    // What lies within a path comes directly after it.
    const auto within = earlier.lower_bound(path);
    if (within != earlier.end() && json::is_within(*within, path))
      problems.add(inner, "would overwrite " + json::in_quotes(json::path_text(*within)) +
                              ", which must come after it");
    earlier.insert(path);
  }
  return *keys;
}

}  // namespace

SweepAxis read_stacks(const json::JsonValue& value, const std::string& place,
                      json::Problems& problems) {
  SweepAxis axis{
      .path = {std::string(kStacks)}, .key = kStacks, .place = place, .values = {}, .stacks = {}};
  const json::JsonValue::Object* given = value.object();
  if (given == nullptr || given->empty()) {
    problems.add(place, "expected an object of names and the keys that each stack sets, got " +
                            (given == nullptr ? json::describe(value) : "none"));
    return axis;
  }
  for (const json::JsonMember& stack : *given) {
    const std::string inner = json::member_path(place, stack.key);
    check_stack_name(stack.key, inner, problems);
    axis.values.emplace_back(stack.key);
    axis.stacks.push_back(read_stack(stack.value, inner, problems));
  }
  return axis;
}

std::string stack_place(const SweepAxis& stacks, std::size_t number) {
  return json::member_path(stacks.place, *stacks.values[number].text());
}

}  // namespace faultline::scenario
