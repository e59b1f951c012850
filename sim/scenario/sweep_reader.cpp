// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/stack.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/known_paths.hpp"
#include "sim/scenario/stacks.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/scenario/swept_path.hpp"

namespace faultline::scenario {
namespace {

constexpr std::size_t kMostValues = 10000;
constexpr std::size_t kMostCombinations = 1000000;
/// Limits the swept places, which are compared pair by pair.
constexpr std::size_t kMostPlaces = 1000;

/// Removes the rounding errors of a computation: 0.1 + 2 * 0.1 becomes 0.3.
json::JsonValue rounded(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.15g", value);
  return json::json_number(std::strtod(digits, nullptr));
}

/// A place in a scenario that the sweep sets.
struct SweptPlace {
  json::JsonPath path;
  std::string key;       ///< as the file writes the path
  std::string place;     ///< of the key in the file
  std::size_t axis = 0;  ///< number of the axis in the order in which they are set
  bool of_stack = false;
};

/// The places that an axis sets: its own, and those of its stacks, each once.
void add_places(const SweepAxis& axis, std::size_t number, std::vector<SweptPlace>& places) {
  if (axis.path.empty()) return;
  places.push_back({axis.path, axis.key, axis.place, number});
  std::set<json::JsonPath> known;
  for (std::size_t stack = 0; stack < axis.stacks.size(); ++stack)
    for (const json::JsonMember& member : axis.stacks[stack]) {
      const json::JsonPath path = json::split_path(member.key);
      if (!path.empty() && known.insert(path).second)
        places.push_back({path, member.key, json::member_path(stack_place(axis, stack), member.key),
                          number, true});
    }
}

/// Reads `sweep` and `stacks` key by key. Every key of `sweep` without a meaning of its own is an
/// axis.
class SweepReader {
 public:
  explicit SweepReader(json::Problems& problems) : problems_(problems) {}

  Sweep read(json::JsonValue root) {
    if (root.object() == nullptr) {
      sweep_.base = std::move(root);
      return std::move(sweep_);
    }
    std::vector<SweepDimension> stacks;
    sweep_.base = json::JsonValue::Object{};
    for (json::JsonMember& member : *root.object()) {
      if (member.key == "sweep")
        read_members(member.value);
      else if (member.key == kStacks)
        stacks.push_back({read_axis(member, member.key)});
      else
        sweep_.base.object()->push_back(std::move(member));
    }
    put_first(std::move(stacks));
    put_first(component_lists());
    check_places();
    check_size();
    return std::move(sweep_);
  }

 private:
  /// Puts dimensions before the others, which then vary faster.
  void put_first(std::vector<SweepDimension> dimensions) {
    sweep_.dimensions.insert(sweep_.dimensions.begin(), std::make_move_iterator(dimensions.begin()),
                             std::make_move_iterator(dimensions.end()));
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

  SweepAxis read_axis(const json::JsonMember& member, const std::string& place) {
    if (member.key == kStacks) return limited(read_stacks(member.value, place, problems_));
    SweepAxis axis{.path = path_of(member.key, place),
                   .key = member.key,
                   .place = place,
                   .values = {},
                   .stacks = {}};
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
    return limited(std::move(axis));
  }

  json::JsonPath path_of(const std::string& key, const std::string& place) {
    return swept_path(key, place, problems_, {kStacks, "zip", "derive", "where", "precision"});
  }

  SweepAxis limited(SweepAxis axis) {
    if (axis.values.size() <= kMostValues) return axis;
    problems_.add(axis.place, "has " + std::to_string(axis.values.size()) +
                                  " values, expected at most " + std::to_string(kMostValues));
    axis.values.clear();
    axis.stacks.clear();
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
      json::JsonPath path = path_of(member.key, inner);
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

  /// The lists of components as dimensions, because a point has one component of each family. A
  /// list whose key is an axis of `sweep` counts for nothing.
  [[nodiscard]] std::vector<SweepDimension> component_lists() const {
    std::vector<SweepDimension> lists;
    for (const StackPlace& family : kStack) {
      const std::string key = family_key(family.family);
      const json::JsonValue* value = sweep_.base.find(key);
      if (value == nullptr || value->list() == nullptr || value->list()->empty()) continue;
      const json::JsonPath path = {key};
      const auto sets_it = [&](const SweepAxis& axis) { return axis.path == path; };
      const bool replaced = std::any_of(
          sweep_.dimensions.begin(), sweep_.dimensions.end(), [&](const SweepDimension& dimension) {
            return std::any_of(dimension.begin(), dimension.end(), sets_it);
          });
      if (!replaced) lists.push_back({SweepAxis{path, key, key, *value->list(), {}}});
    }
    return lists;
  }

  /// Values are set in the order of the dimensions. A later one must not overwrite an earlier one.
  void check_places() {
    std::vector<SweptPlace> places;
    std::size_t axes = 0;
    for (const SweepDimension& dimension : sweep_.dimensions)
      for (const SweepAxis& axis : dimension) add_places(axis, axes++, places);
    for (const DerivedValue& derived : sweep_.derived)
      if (!derived.path.empty())
        places.push_back(
            {derived.path, derived.key, json::member_path("sweep.derive", derived.key), axes++});
    if (places.size() > kMostPlaces) {
      problems_.add("sweep",
                    "sweeps more than " + std::to_string(kMostPlaces) + " places of a scenario");
      return;
    }
    for (const SweptPlace& later : places)
      for (const SweptPlace& earlier : places) {
        if (earlier.axis >= later.axis) break;
        if (json::is_within(earlier.path, later.path)) refuse_both(earlier, later);
      }
  }

  void refuse_both(const SweptPlace& earlier, const SweptPlace& later) {
    if (earlier.of_stack != later.of_stack) {
      const SweptPlace& stack = earlier.of_stack ? earlier : later;
      const SweptPlace& axis = earlier.of_stack ? later : earlier;
      problems_.add(stack.place, "is set by " + axis.place + ", too; expected one of the two");
    } else if (earlier.path == later.path) {
      problems_.add(later.place, "is already swept as " + json::in_quotes(earlier.key));
    } else {
      problems_.add(later.place, "would overwrite " + json::in_quotes(earlier.key) +
                                     ", which must come after it");
    }
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
};

}  // namespace

Sweep read_sweep(json::JsonValue root, json::Problems& problems) {
  return SweepReader(problems).read(std::move(root));
}

}  // namespace faultline::scenario
