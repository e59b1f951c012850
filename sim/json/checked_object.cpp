// SPDX-License-Identifier: Apache-2.0
#include "sim/json/checked_object.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "sim/core/types.hpp"
#include "sim/json/file_option.hpp"

namespace faultline::json {
namespace {

/// Above 2^53 a double no longer holds every integer.
constexpr double kLargestExact = 9007199254740992.0;

struct UnitScale {
  std::string_view word;
  std::string_view base;
  double times = 1;
  double over = 1;  ///< 2.5 / 1e6 is the double nearest to 2.5e-6, 2.5 * 1e-6 is not
};

/// Units that people write after a number, each as a multiple of the unit that options have.
constexpr std::array<UnitScale, 20> kScales = {
    {{"ns", "s", 1, 1e9},   {"us", "s", 1, 1e6},      {"ms", "s", 1, 1e3},  {"s", "s"},
     {"min", "s", 60},      {"h", "s", 3600},         {"B", "B"},           {"kB", "B", 1e3},
     {"KB", "B", 1e3},      {"MB", "B", 1e6},         {"GB", "B", 1e9},     {"KiB", "B", 1024},
     {"MiB", "B", 1048576}, {"GiB", "B", 1073741824}, {"B/s", "B/s"},       {"MB/s", "B/s", 1e6},
     {"GB/s", "B/s", 1e9},  {"Bps", "B/s"},           {"MBps", "B/s", 1e6}, {"GBps", "B/s", 1e9}}};

std::string kind_in_words(OptionKind kind) {
  switch (kind) {
    case OptionKind::boolean:
      return "true or false";
    case OptionKind::integer:
      return "an integer";
    case OptionKind::number:
      return "a number";
    case OptionKind::text:
      return "a string";
    case OptionKind::texts:
      return "a list of strings";
    case OptionKind::group:
      return "an object";
    default:
      return find_file_option(kind)->expectation;
  }
}

std::string bound_in_words(double bound, const OptionSpec& spec) {
  if (spec.kind == OptionKind::integer) return std::to_string(static_cast<std::int64_t>(bound));
  return shortest(bound);
}

std::string range_in_words(const OptionSpec& spec) {
  const bool low = std::isfinite(spec.minimum);
  const bool high = std::isfinite(spec.maximum) &&
                    (spec.kind == OptionKind::number || spec.maximum < kLargestExact);
  std::string text;
  if (spec.minimum == spec.maximum) return ": " + bound_in_words(spec.minimum, spec);
  if (low && high && !spec.above_minimum)
    return " from " + bound_in_words(spec.minimum, spec) + " to " +
           bound_in_words(spec.maximum, spec);
  if (low)
    text = (spec.above_minimum ? " above " : " of at least ") + bound_in_words(spec.minimum, spec);
  if (high) text += (low ? " and at most " : " of at most ") + bound_in_words(spec.maximum, spec);
  return text;
}

OptionValue fallback(const OptionSpec& spec) {
  if (!spec.required) return spec.default_value;
  const double nearest = std::isfinite(spec.minimum) ? spec.minimum : 0.0;
  switch (spec.kind) {
    case OptionKind::boolean:
      return false;
    case OptionKind::integer:
      return static_cast<std::int64_t>(nearest);
    case OptionKind::number:
      return nearest;
    case OptionKind::text:
      return spec.choices.empty() ? std::string() : spec.choices.front();
    case OptionKind::texts:
      return std::vector<std::string>();
    case OptionKind::group:
      return OptionValue{};
    default:
      return find_file_option(spec.kind)->nothing;
  }
}

/// The bare number for a text with a unit: 0.001 for "1 ms", if the option is in seconds.
std::optional<double> number_with_unit(const std::string& text, const std::string& unit) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  std::string_view word(rest, static_cast<std::size_t>(end - rest));
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  if (word.empty()) return value;
  for (const UnitScale& scale : kScales)
    if (scale.word == word && scale.base == unit) return value * scale.times / scale.over;
  return std::nullopt;
}

std::string wrong_type(const JsonValue& value, const OptionSpec& spec) {
  std::string message = "expected " + expectation(spec) + ", got " + describe(value);
  const bool numeric = spec.kind == OptionKind::integer || spec.kind == OptionKind::number;
  // expectation() leaves out this limit, which is only reached by mistake.
  const auto number = number_of(value);
  if (spec.kind == OptionKind::integer && number && spec.maximum >= kLargestExact &&
      std::abs(*number) >= kLargestExact)
    message += "; the largest integer is 9007199254740992, 2^53";
  if (value.text() == nullptr || !numeric) return message;
  message += "; write a bare number, without quotes or unit";
  if (const auto meant = number_with_unit(*value.text(), spec.unit))
    message += ": " + shortest(*meant);
  return message;
}

bool in_range(double value, const OptionSpec& spec) {
  const bool low = spec.above_minimum ? value > spec.minimum : value >= spec.minimum;
  return low && value <= spec.maximum;
}

/// The value as an integer, whether it is written 4, 4.0 or 1e3, if that is exact.
std::optional<std::int64_t> whole(const JsonValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return *integer;
  if (const auto* number = std::get_if<double>(&value.data))
    if (std::floor(*number) == *number && std::abs(*number) <= kLargestExact)
      return static_cast<std::int64_t>(*number);
  return std::nullopt;
}

/// Reads the strings of a list. Adds a problem for each entry that is not a string.
std::vector<std::string> read_texts(const JsonValue::List& list, const std::string& path,
                                    Problems& problems) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const std::string* text = list[i].text(); text != nullptr)
      texts.push_back(*text);
    else
      problems.add(item_path(path, i), "expected a string, got " + describe(list[i]));
  }
  return texts;
}

/// The checked value, or a message that says what is wrong with it.
std::variant<OptionValue, std::string> convert(const JsonValue& value, const OptionSpec& spec) {
  if (value.is_null() && spec.nullable) return OptionValue{};
  if (spec.kind == OptionKind::boolean) {
    if (const bool* truth = std::get_if<bool>(&value.data)) return OptionValue{*truth};
  } else if (spec.kind == OptionKind::text) {
    const std::string* text = value.text();
    if (text == nullptr) return wrong_type(value, spec);
    const auto& choices = spec.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), *text) != choices.end())
      return OptionValue{*text};
    const auto near = nearest_of(*text, choices);
    return "expected " + expectation(spec) + ", got " + in_quotes(*text) +
           (near ? ", did you mean \"" + *near + "\"?" : "");
  } else if (spec.kind == OptionKind::integer) {
    const auto integer = whole(value);
    // As a double, 2^53 + 1 becomes 2^53, which could equal the maximum.
    const bool exact = integer && std::abs(static_cast<double>(*integer)) <= kLargestExact &&
                       static_cast<std::int64_t>(static_cast<double>(*integer)) == *integer;
    if (exact && in_range(static_cast<double>(*integer), spec)) return OptionValue{*integer};
  } else if (spec.kind == OptionKind::number) {
    const auto number = number_of(value);
    if (number && in_range(*number, spec)) return OptionValue{*number};
  }
  return wrong_type(value, spec);
}

/// One of the words of a list, or nothing and a problem.
std::optional<std::string> read_word(const JsonValue& value, const OptionSpec& spec,
                                     const std::string& path, Problems& problems) {
  const std::string* text = value.text();
  if (text != nullptr && names(spec.choices, *text)) return *text;
  const auto near = text == nullptr ? std::nullopt : nearest_of(*text, spec.choices);
  problems.add(path, "expected one of " + any_of(spec.choices) + ", got " +
                         (text == nullptr ? describe(value) : in_quotes(*text)) +
                         (near ? ", did you mean \"" + *near + "\"?" : ""));
  return std::nullopt;
}

/// Returns the words in the order of their declaration, however they are written: the same words
/// are the same value.
ChosenWords read_words(const JsonValue::List& list, const OptionSpec& spec, const std::string& path,
                       Problems& problems) {
  ChosenWords given;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto word = read_word(list[i], spec, item_path(path, i), problems);
    if (word && names(given, *word))
      problems.add(item_path(path, i), in_quotes(*word) + " is in this list already");
    else if (word)
      given.push_back(*word);
  }
  ChosenWords words;
  std::copy_if(spec.choices.begin(), spec.choices.end(), std::back_inserter(words),
               [&](const std::string& choice) { return names(given, choice); });
  return words;
}

/// A key without its unit: "delay_ms" and "delay_s" have the same stem, "delay".
std::string stem(const std::string& key) {
  const std::size_t cut = key.rfind('_');
  return cut == std::string::npos ? key : key.substr(0, cut);
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return "\"" + name + "\"" + (unit.empty() ? "" : " in " + unit_in_words(unit));
}

}  // namespace

std::string unit_in_words(const std::string& unit) {
  if (unit == "s") return "seconds";
  if (unit == "B") return "bytes";
  if (unit == "B/s") return "bytes per second";
  return unit;
}

std::string expectation(const OptionSpec& spec) {
  std::string text;
  if (spec.kind == OptionKind::texts && !spec.choices.empty()) {
    text = "a list with any of " + any_of(spec.choices);
  } else if (!spec.choices.empty()) {
    text = spec.choices.size() == 1 ? spec.choices.front() : "one of " + any_of(spec.choices);
  } else {
    text = kind_in_words(spec.kind) + range_in_words(spec);
  }
  if (!spec.unit.empty()) text += " in " + unit_in_words(spec.unit);
  return spec.nullable ? text + ", or null" : text;
}

namespace {

OptionValue read_group(const JsonValue& value, const OptionSpec& spec, const std::string& path,
                       Problems& problems) {
  CheckedObject object(value, path, problems);
  OptionGroup group = option_group(object.options(spec.fields));
  object.finish();
  return group;
}

}  // namespace

OptionValue read_option(const JsonValue& value, const OptionSpec& spec, const std::string& path,
                        Problems& problems) {
  const FileOption* file = find_file_option(spec.kind);
  if (file != nullptr && value.text() != nullptr)
    return read_named_file(*file, *value.text(), path, problems);
  if (spec.kind == OptionKind::group && value.object() != nullptr)
    return read_group(value, spec, path, problems);
  if (spec.kind == OptionKind::texts && value.list() != nullptr)
    return spec.choices.empty() ? read_texts(*value.list(), path, problems)
                                : read_words(*value.list(), spec, path, problems);
  auto converted = convert(value, spec);
  if (const auto* problem = std::get_if<std::string>(&converted)) {
    problems.add(path, *problem);
    // Return a value of the option's type even if it has no default, because callers rely on the
    // type.
    OptionSpec required = spec;
    required.required =
        !spec.nullable && std::holds_alternative<std::monostate>(spec.default_value);
    return fallback(required);
  }
  return std::get<OptionValue>(std::move(converted));
}

std::vector<std::uint32_t> read_ids(const JsonValue& value, const std::string& path,
                                    std::uint32_t end, const std::string& what,
                                    Problems& problems) {
  std::vector<std::uint32_t> ids;
  const JsonValue::List* list = value.list();
  if (list == nullptr) {
    problems.add(path, "expected a list of " + what + ", got " + describe(value));
    return ids;
  }
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto id = whole((*list)[i]);
    if (!id || *id < 0 || *id >= std::int64_t{end}) {
      std::string message = "expected one of the job's " + what;
      if (end != kNobody) message += ", 0 to " + std::to_string(end - 1);
      message += ", got " + describe((*list)[i]);
      problems.add(item_path(path, i), message);
    } else if (!seen.insert(*id).second) {
      problems.add(item_path(path, i), std::to_string(*id) + " is in this list already");
    } else {
      ids.push_back(static_cast<std::uint32_t>(*id));
    }
  }
  return ids;
}

std::vector<OptionSpec> file_head() {
  return {{.name = "schema_version",
           .kind = OptionKind::integer,
           .required = true,
           .minimum = 1,
           .maximum = 1},
          {.name = "name", .required = true},
          {.name = "description", .default_value = std::string()}};
}

CheckedObject::CheckedObject(const JsonValue& value, std::string path, Problems& problems)
    : path_(std::move(path)), problems_(problems) {
  if (value.object() != nullptr) {
    object_ = &value;
  } else {
    problems_.add(path_, "expected an object, got " + describe(value));
  }
}

const JsonValue* CheckedObject::child(const std::string& key) {
  known_.push_back({key, {}});
  return object_ == nullptr ? nullptr : object_->find(key);
}

OptionValues CheckedObject::options(const std::vector<OptionSpec>& specs) {
  OptionValues values;
  for (const OptionSpec& spec : specs) {
    known_.push_back({spec.name, spec.unit});
    const JsonValue* given = object_ == nullptr ? nullptr : object_->find(spec.name);
    OptionValue& value = values[spec.name];
    if (given != nullptr) {
      value = read_option(*given, spec, member_path(path_, spec.name), problems_);
      continue;
    }
    if (spec.required && object_ != nullptr)
      problems_.add(member_path(path_, spec.name), "missing, expected " + expectation(spec));
    value = fallback(spec);
    if (const std::string file = unread_file(value); !file.empty())
      value = read_named_file(*find_file_option(spec.kind), file, member_path(path_, spec.name),
                              problems_);
  }
  add_notes(specs, values);
  return values;
}

void CheckedObject::add_notes(const std::vector<OptionSpec>& specs, const OptionValues& values) {
  for (const OptionSpec& spec : specs) {
    const FileOption* const kind = find_file_option(spec.kind);
    if (kind == nullptr || kind->notes == nullptr) continue;
    for (const std::string& line : kind->notes(values.at(spec.name), values))
      problems_.note(member_path(path_, spec.name), line);
  }
}

std::string CheckedObject::unknown_key(const std::string& key) const {
  // text() would not show a suggestion, and finding one takes time.
  if (problems_.full()) return "unknown key";
  std::vector<std::string> names;
  for (const auto& [name, unit] : known_) {
    if (!unit.empty() && (stem(key) == stem(name) || key == stem(name)))
      return "unknown key, expected " + with_unit(name, unit);
    names.push_back(name);
  }
  // A path, as --set takes it.
  const std::size_t dot = key.find('.');
  if (dot != std::string::npos &&
      std::find(names.begin(), names.end(), key.substr(0, dot)) != names.end())
    return "unknown key; in a file it is a key inside " + in_quotes(key.substr(0, dot));
  if (const auto near = nearest_of(key, names)) {
    const auto meant = std::find_if(known_.begin(), known_.end(),
                                    [&](const Known& known) { return known.name == *near; });
    return "unknown key, did you mean " + with_unit(meant->name, meant->unit) + "?";
  }
  return "unknown key, expected " + any_of(names);
}

void CheckedObject::finish() {
  if (object_ == nullptr) return;
  for (const JsonMember& member : *object_->object())
    if (std::none_of(known_.begin(), known_.end(),
                     [&](const Known& known) { return known.name == member.key; }))
      problems_.add(member_path(path_, member.key), unknown_key(member.key));
}

}  // namespace faultline::json
