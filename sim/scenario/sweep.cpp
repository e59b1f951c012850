// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/sweep.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/scenario/stacks.hpp"
#include "sim/scenario/swept_path.hpp"

namespace faultline::scenario {
namespace {

/// Sets a value at a place of a point. If it does not fit, adds a problem at `stated`, its key in
/// the file.
void set_place(SweepPoint& point, const json::JsonPath& path, const std::string& stated,
               json::JsonValue value, json::Problems& problems) {
  const std::string why = json::set_at(point.scenario, path, std::move(value));
  if (!why.empty()) problems.add(stated, why);
  problems.set_origin(json::path_text(path), "");  // no longer from a stack
}

/// Sets a value of an axis that has no stacks.
void set_value(SweepPoint& point, const SweepAxis& axis, json::JsonValue value,
               json::Problems& problems) {
  set_place(point, axis.path, axis.place, value, problems);
  point.parameters.push_back({axis.key, std::move(value)});
}

/// Sets the value of an axis with that number.
void set_number(SweepPoint& point, const SweepAxis& axis, std::size_t number,
                json::Problems& problems) {
  if (axis.stacks.empty()) {
    set_value(point, axis, axis.values[number], problems);
    return;
  }
  point.scenario = with_values(std::move(point.scenario), axis.stacks[number],
                               stack_place(axis, number), problems);
  point.parameters.push_back({axis.key, axis.values[number]});
}

const json::JsonValue* value_of(const json::JsonValue::Object& parameters, const std::string& key) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const json::JsonMember& parameter) { return parameter.key == key; });
  return found == parameters.end() ? nullptr : &found->value;
}

/// The value that a formula reads. The scenario of a point has no `stacks`, where a formula reads
/// the name of the point's stack.
const json::JsonValue* read_at(const SweepPoint& point, const json::JsonPath& path) {
  if (path == json::JsonPath{std::string(kStacks)}) return value_of(point.parameters, kStacks);
  return json::find_at(point.scenario, path);
}

void set_derived(const Sweep& sweep, SweepPoint& point, json::Problems& problems) {
  const auto lookup = [&](const json::JsonPath& path) { return read_at(point, path); };
  for (const DerivedValue& derived : sweep.derived) {
    const std::string place = json::member_path("sweep.derive", derived.key);
    try {
      json::JsonValue value = derived.formula.evaluate(lookup);
      set_place(point, derived.path, place, value, problems);
      point.parameters.push_back({derived.key, std::move(value)});
    } catch (const UsageError& error) {
      problems.add(place, error.what());
    }
  }
}

/// The number of the value of an axis that is this name.
std::optional<std::size_t> stack_of(const SweepAxis& axis, const json::JsonValue& name) {
  if (name.text() == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    if (*axis.values[i].text() == *name.text()) return i;
  return std::nullopt;
}

std::string value_text(const Sweep& sweep, const json::JsonMember& parameter) {
  const auto name_of = [](const json::JsonValue& value) -> std::string {
    const json::JsonValue* name = value.find("name");
    return name == nullptr || name->text() == nullptr ? std::string() : *name->text();
  };
  std::string name = name_of(parameter.value);
  if (name.empty()) {
    const std::string* text = parameter.value.text();
    return text != nullptr ? *text : json::to_json(parameter.value);
  }
  std::size_t alike = 0;
  for (const SweepDimension& dimension : sweep.dimensions)
    for (const SweepAxis& axis : dimension)
      if (axis.key == parameter.key)
        alike += static_cast<std::size_t>(
            std::count_if(axis.values.begin(), axis.values.end(),
                          [&](const json::JsonValue& value) { return name_of(value) == name; }));
  return alike < 2 ? name : json::to_json(parameter.value);
}

}  // namespace

bool makes_points(const std::string& key) { return key == "sweep" || key == kStacks; }

std::size_t Sweep::combinations() const {
  std::size_t product = 1;
  for (const SweepDimension& dimension : dimensions) product *= dimension.front().values.size();
  return product;
}

json::JsonValue with_values(json::JsonValue scenario, const json::JsonValue::Object& values,
                            const std::string& place, json::Problems& problems) {
  for (const json::JsonMember& member : values) {
    const std::string stated = json::member_path(place, member.key);
    const json::JsonPath path = named_path(member.key, stated, problems);
    if (path.empty()) continue;
    const std::string why = json::set_at(scenario, path, member.value);
    if (!why.empty()) problems.add(stated, why);
    problems.set_origin(json::path_text(path), "from " + stated);
  }
  return scenario;
}

SweepPoint sweep_point(const Sweep& sweep, std::size_t combination, json::Problems& problems) {
  std::vector<std::size_t> digits(sweep.dimensions.size());
  for (std::size_t i = digits.size(); i-- > 0;) {
    const std::size_t size = sweep.dimensions[i].front().values.size();
    digits[i] = combination % size;
    combination /= size;
  }
  SweepPoint point;
  point.scenario = sweep.base;
  for (std::size_t i = 0; i < digits.size(); ++i)
    for (const SweepAxis& axis : sweep.dimensions[i]) set_number(point, axis, digits[i], problems);
  set_derived(sweep, point, problems);
  const auto lookup = [&](const json::JsonPath& path) { return read_at(point, path); };
  for (std::size_t i = 0; i < sweep.where.size() && problems.empty(); ++i) {
    try {
      point.wanted = point.wanted && sweep.where[i].holds(lookup);
    } catch (const UsageError& error) {
      problems.add(json::item_path("sweep.where", i), error.what());
    }
  }
  return point;
}

std::optional<SweepPoint> sweep_point_at(const Sweep& sweep,
                                         const json::JsonValue::Object& parameters,
                                         json::Problems& problems) {
  SweepPoint point;
  point.scenario = sweep.base;
  for (const SweepDimension& dimension : sweep.dimensions)
    for (const SweepAxis& axis : dimension) {
      const json::JsonValue* value = value_of(parameters, axis.key);
      if (value == nullptr) return std::nullopt;
      if (axis.stacks.empty()) {
        set_value(point, axis, *value, problems);
        continue;
      }
      const auto stack = stack_of(axis, *value);
      if (!stack) return std::nullopt;
      set_number(point, axis, *stack, problems);
    }
  for (const DerivedValue& derived : sweep.derived)
    if (value_of(parameters, derived.key) == nullptr) return std::nullopt;
  set_derived(sweep, point, problems);
  if (point.parameters.size() != parameters.size()) return std::nullopt;
  return point;
}

std::string parameters_text(const Sweep& sweep, const json::JsonValue::Object& parameters) {
  std::string text;
  for (const json::JsonMember& parameter : parameters)
    text += (text.empty() ? "" : ", ") + parameter.key + "=" + value_text(sweep, parameter);
  return text;
}

}  // namespace faultline::scenario
