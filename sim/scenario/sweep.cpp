// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sim/core/error.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/scenario/components.hpp"
#include "sim/scenario/known_paths.hpp"

namespace faultline::scenario {
namespace {

constexpr std::size_t kMostValues = 10000;
constexpr std::size_t kMostCombinations = 1000000;
/// Limits the swept places, which are compared pair by pair.
constexpr std::size_t kMostPlaces = 1000;

/// The place in a scenario that a key names. Adds a problem at `place` if it names none.
json::JsonPath path_of(const std::string& key, const std::string& place, json::Problems& problems) {
  json::JsonPath path = json::split_path(key);
  if (path.empty())
    problems.add(place, "expected a path such as platform.processes or faults.at[0].time_s");
  return path;
}

/// Removes the rounding errors of a computation: 0.1 + 2 * 0.1 becomes 0.3.
json::JsonValue rounded(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.15g", value);
  return json::json_number(std::strtod(digits, nullptr));
}

/// Reads `sweep` key by key. Every key without a meaning of its own is an axis.
class SweepReader {
 public:
  explicit SweepReader(json::Problems& problems) : problems_(problems) {}

  Sweep read(json::JsonValue root) {
    const json::JsonValue given = take_sweep(root);
    read_members(given);
    read_component_lists();
    check_overwriting();
    check_size();
    return std::move(sweep_);
  }

 private:
  /// Moves everything but the sweep into the base.
  json::JsonValue take_sweep(json::JsonValue& root) {
    if (root.object() == nullptr) {
      sweep_.base = std::move(root);
      return json::JsonValue::Object{};
    }
    json::JsonValue given = json::JsonValue::Object{};
    sweep_.base = json::JsonValue::Object{};
    for (json::JsonMember& member : *root.object()) {
      if (member.key == "sweep")
        given = std::move(member.value);
      else
        sweep_.base.object()->push_back(std::move(member));
    }
    return given;
  }

  void read_members(const json::JsonValue& given) {
    if (given.object() == nullptr) {
      problems_.add("sweep",
                    "expected an object of paths and their values, got " + json::describe(given));
      return;
    }
    for (const json::JsonMember& member : *given.object()) {
      const std::string place = json::member_path("sweep", member.key);
      if (member.key == "zip")
        read_zip(member.value, place);
      else if (member.key == "derive")
        read_derived(member.value, place);
      else if (member.key == "where")
        read_where(member.value, place);
      else if (member.key == "precision")
        read_precision(member.value, place);
      else
        sweep_.dimensions.push_back({read_axis(member, place)});
    }
  }

  /// The place in the scenario that a key of the sweep names.
  json::JsonPath read_path(const std::string& key, const std::string& place) {
    json::JsonPath path = path_of(key, place, problems_);
    if (path.empty()) return path;
    static const std::vector<std::string> tops = {
        "schema_version", "name",   "engine",          "seed",
        "replications",   "stop",   "platform",        "workload",
        "termination",    "faults", "message_logging", "failure_detection",
        "allow_unsafe"};
    const std::string* top = std::get_if<std::string>(&path.front());
    if (top != nullptr && std::find(tops.begin(), tops.end(), *top) == tops.end()) {
      std::vector<std::string> names = tops;
      names.insert(names.end(), {"zip", "derive", "where", "precision"});
      problems_.add(
          place, "a scenario has no key " + json::in_quotes(*top) + json::suggestion(*top, names));
    }
    if (claimed_.size() >= kMostPlaces) {
      problems_.add("sweep",
                    "sweeps more than " + std::to_string(kMostPlaces) + " places of a scenario");
      return {};
    }
    for (const auto& [known, known_key] : claimed_)
      if (known == path) problems_.add(place, "is already swept as " + json::in_quotes(known_key));
    claimed_.emplace_back(path, key);
    return path;
  }

  SweepAxis read_axis(const json::JsonMember& member, const std::string& place) {
    SweepAxis axis{.path = read_path(member.key, place), .key = member.key, .values = {}};
    if (const json::JsonValue::List* list = member.value.list())
      axis.values = *list;
    else if (member.value.object() != nullptr)
      axis.values = read_range(member.value, place);
    else
      problems_.add(place,
                    "expected a list of values or a range such as {\"from\": 64, \"to\": "
                    "1024, \"times\": 2}, got " +
                        json::describe(member.value));
    if (axis.values.empty() && problems_.empty())
      problems_.add(place, "expected at least one value");
    if (axis.values.size() > kMostValues) {
      problems_.add(place, "has " + std::to_string(axis.values.size()) +
                               " values, expected at most " + std::to_string(kMostValues));
      axis.values.clear();
    }
    return axis;
  }

  std::vector<json::JsonValue> read_range(const json::JsonValue& value, const std::string& place) {
    const std::size_t before = problems_.size();
    json::CheckedObject object(value, place, problems_);
    const SweepRange range =
        sweep_range_options().read(object.options(sweep_range_options().specs()));
    object.finish();
    if (range.times.has_value() == range.step.has_value() && problems_.size() == before)
      problems_.add(place, "expected exactly one of times and step");
    if (problems_.size() != before) return {};
    return values_of(range, place);
  }

  std::vector<json::JsonValue> values_of(const SweepRange& range, const std::string& place) {
    const bool up = range.to >= range.from;
    if (range.step ? (*range.step == 0 || (*range.step > 0) != up)
                   : (*range.times == 1 || (*range.times > 1) != up || range.from <= 0)) {
      problems_.add(place, std::string(range.step ? "step" : "times") +
                               R"( does not lead from "from" to "to")");
      return {};
    }
    std::vector<json::JsonValue> values;
    // The last value is included even if rounding puts it slightly beyond the end.
    const double slack = 1e-9 * std::fabs(range.step ? *range.step : range.to);
    for (std::size_t i = 0; i <= kMostValues; ++i) {
      const auto count = static_cast<double>(i);
      const double value = range.step ? range.from + count * *range.step
                                      : range.from * std::pow(*range.times, count);
      if (up ? value > range.to + slack : value < range.to - slack) return values;
      values.push_back(rounded(value));
    }
    return values;  // one value more than allowed, so that the caller refuses it
  }

  void read_zip(const json::JsonValue& value, const std::string& place) {
    if (value.list() == nullptr) {
      problems_.add(place, "expected a list of objects, each of axes that advance together, got " +
                               json::describe(value));
      return;
    }
    for (std::size_t i = 0; i < value.list()->size(); ++i) {
      const json::JsonValue& group = (*value.list())[i];
      const std::string inner = json::item_path(place, i);
      if (group.object() == nullptr || group.object()->empty()) {
        problems_.add(inner, "expected an object of axes, got " + json::describe(group));
        continue;
      }
      const std::size_t before = problems_.size();
      SweepDimension dimension;
      for (const json::JsonMember& member : *group.object())
        dimension.push_back(read_axis(member, json::member_path(inner, member.key)));
      for (const SweepAxis& axis : dimension)
        if (axis.values.size() != dimension.front().values.size() && problems_.size() == before)
          problems_.add(inner, json::in_quotes(dimension.front().key) + " has " +
                                   std::to_string(dimension.front().values.size()) +
                                   " values and " + json::in_quotes(axis.key) + " has " +
                                   std::to_string(axis.values.size()) + ", expected as many");
      sweep_.dimensions.push_back(std::move(dimension));
    }
  }

  std::optional<Expression> read_expression(const json::JsonValue& value,
                                            const std::string& place) {
    if (value.text() == nullptr) {
      problems_.add(place, "expected a formula in quotes, got " + json::describe(value));
      return std::nullopt;
    }
    formulas_B_ += value.text()->size();
    if (formulas_B_ > kLongestExpression_B) {
      problems_.add(place, "the formulas of a sweep have more than " +
                               std::to_string(kLongestExpression_B) + " bytes");
      return std::nullopt;
    }
    try {
      Expression formula = Expression::parse(*value.text());
      const KnownPaths& known = KnownPaths::of_scenarios();
      for (const json::JsonPath& path : formula.paths())
        if (!known.contains(path)) problems_.add(place, known.refusal(path, "a scenario"));
      return formula;
    } catch (const UsageError& error) {
      problems_.add(place, error.what());
      return std::nullopt;
    }
  }

  void read_derived(const json::JsonValue& value, const std::string& place) {
    if (value.object() == nullptr) {
      problems_.add(place,
                    "expected an object of paths and formulas, got " + json::describe(value));
      return;
    }
    for (const json::JsonMember& member : *value.object()) {
      const std::string inner = json::member_path(place, member.key);
      json::JsonPath path = read_path(member.key, inner);
      if (auto formula = read_expression(member.value, inner))
        sweep_.derived.push_back({std::move(path), member.key, std::move(*formula)});
    }
  }

  void read_where(const json::JsonValue& value, const std::string& place) {
    if (value.list() == nullptr) {
      problems_.add(place, "expected a list of conditions, got " + json::describe(value));
      return;
    }
    for (std::size_t i = 0; i < value.list()->size(); ++i)
      if (auto condition = read_expression((*value.list())[i], json::item_path(place, i)))
        sweep_.where.push_back(std::move(*condition));
  }

  void read_precision(const json::JsonValue& value, const std::string& place) {
    const std::size_t before = problems_.size();
    json::CheckedObject object(value, place, problems_);
    const OptionValues values = object.options(precision_options().specs());
    object.finish();
    if (problems_.size() == before) sweep_.precision = precision_options().read(values);
  }

  /// Turns lists of components into dimensions, because a point has one component of each family.
  void read_component_lists() {
    std::vector<SweepDimension> lists;
    for (const StackPlace& family : kStack) {
      const std::string key = family_key(family.family);
      const json::JsonValue* value = sweep_.base.find(key);
      if (value == nullptr || value->list() == nullptr || value->list()->empty()) continue;
      const bool replaced = std::any_of(claimed_.begin(), claimed_.end(), [&](const auto& claim) {
        return claim.first == json::JsonPath{key};
      });
      if (!replaced) lists.push_back({SweepAxis{{key}, key, *value->list()}});
    }
    sweep_.dimensions.insert(sweep_.dimensions.begin(), std::make_move_iterator(lists.begin()),
                             std::make_move_iterator(lists.end()));
  }

  /// Values are set in the order of the file. A later one must not overwrite an earlier one.
  void check_overwriting() {
    for (std::size_t later = 0; later < claimed_.size(); ++later)
      for (std::size_t earlier = 0; earlier < later; ++earlier)
        if (claimed_[earlier].first != claimed_[later].first &&
            json::is_within(claimed_[earlier].first, claimed_[later].first))
          problems_.add(json::member_path("sweep", claimed_[later].second),
                        "would overwrite " + json::in_quotes(claimed_[earlier].second) +
                            ", which must come after it");
  }

  void check_size() {
    double product = 1;
    for (const SweepDimension& dimension : sweep_.dimensions)
      product *= static_cast<double>(dimension.front().values.size());
    if (product > static_cast<double>(kMostCombinations))
      problems_.add("sweep", "its axes combine to " + json::shortest(product) +
                                 " points, expected at most " + std::to_string(kMostCombinations));
  }

  Sweep sweep_;
  json::Problems& problems_;
  std::size_t formulas_B_ = 0;
  std::vector<std::pair<json::JsonPath, std::string>>
      claimed_;  ///< places and the keys that set them
};

/// Sets a value of a point. If it does not fit, adds a problem at the key of the sweep.
void set_parameter(SweepPoint& point, const json::JsonPath& path, const std::string& key,
                   json::JsonValue value, json::Problems& problems) {
  const std::string why = json::set_at(point.scenario, path, value);
  if (!why.empty()) problems.add(json::member_path("sweep", key), why);
  point.parameters.push_back({key, std::move(value)});
}

void set_derived(const Sweep& sweep, SweepPoint& point, json::Problems& problems) {
  const auto lookup = [&](const json::JsonPath& path) {
    return json::find_at(point.scenario, path);
  };
  for (const DerivedValue& derived : sweep.derived) {
    try {
      set_parameter(point, derived.path, derived.key, derived.formula.evaluate(lookup), problems);
    } catch (const UsageError& error) {
      problems.add(json::member_path("sweep.derive", derived.key), error.what());
    }
  }
}

const json::JsonValue* value_of(const json::JsonValue::Object& parameters, const std::string& key) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const json::JsonMember& parameter) { return parameter.key == key; });
  return found == parameters.end() ? nullptr : &found->value;
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

std::size_t Sweep::combinations() const {
  std::size_t product = 1;
  for (const SweepDimension& dimension : dimensions) product *= dimension.front().values.size();
  return product;
}

json::JsonValue with_values(json::JsonValue scenario, const json::JsonValue::Object& values,
                            const std::string& place, json::Problems& problems) {
  for (const json::JsonMember& member : values) {
    const std::string stated = json::member_path(place, member.key);
    const json::JsonPath path = path_of(member.key, stated, problems);
    if (path.empty()) continue;
    const std::string why = json::set_at(scenario, path, member.value);
    if (!why.empty()) problems.add(stated, why);
    problems.set_origin(json::path_text(path), "from " + stated);
  }
  return scenario;
}

Sweep read_sweep(json::JsonValue root, json::Problems& problems) {
  return SweepReader(problems).read(std::move(root));
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
    for (const SweepAxis& axis : sweep.dimensions[i])
      set_parameter(point, axis.path, axis.key, axis.values[digits[i]], problems);
  set_derived(sweep, point, problems);
  const auto lookup = [&](const json::JsonPath& path) {
    return json::find_at(point.scenario, path);
  };
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
      set_parameter(point, axis.path, axis.key, *value, problems);
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
