// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/table_trace.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include "sim/core/error.hpp"

namespace faultline::faults {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
    {{"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}}};

/// What people write for a unit, too, and the name of no column of ours ends in.
constexpr auto kOtherUnits = std::to_array<std::string_view>(
    {"ns",     "us",      "msec",  "millis", "milliseconds", "sec",     "secs",
     "second", "seconds", "m",     "mins",   "minute",       "minutes", "hr",
     "hrs",    "hour",    "hours", "day",    "days",         "week",    "weeks"});

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

std::string in_lower_case(std::string_view text) {
  std::string lower(trimmed(text));
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_time(std::string_view name) {
  return name == "down" || name == "time" || name == "up" || name == "repaired";
}

/// The name and the unit of a title such as `up_sec` or `down (h)`, which belongs to times but not
/// to a column of ours; nothing for any other title.
std::optional<std::pair<std::string, std::string>> misnamed_unit(std::string_view title) {
  const std::string name = in_lower_case(title);
  const std::size_t end = std::min(name.find_first_not_of(kLetters), name.size());
  if (!is_time(std::string_view(name).substr(0, end))) return std::nullopt;
  const std::size_t begin = std::min(name.find_first_of(kLetters, end), name.size());
  const std::string unit = name.substr(begin, name.find_first_not_of(kLetters, begin) - begin);
  const auto is_unit = [&](const auto& known) { return known.first == unit; };
  if (std::ranges::none_of(kUnits, is_unit) && std::ranges::count(kOtherUnits, unit) == 0)
    return std::nullopt;
  return std::pair(name.substr(0, end), unit);
}

/// True for what looks like a number: `7`, `-1` or `2.0`.
bool is_numeric(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto are_digits = [](std::string_view part) { return std::ranges::all_of(part, is_digit); };
  return point > 0 && are_digits(text.substr(0, point)) &&
         are_digits(text.substr(std::min(point + 1, text.size())));
}

/// The digits at the front of the text, without zeros that change nothing.
std::string_view number_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

/// Compares names as people do: numbers within them by their values.
bool comes_before(std::string_view a, std::string_view b) {
  std::string_view one = a;
  std::string_view other = b;
  while (!one.empty() && !other.empty()) {
    if (!is_digit(one.front()) || !is_digit(other.front())) {
      if (one.front() != other.front()) return one.front() < other.front();
      one.remove_prefix(1);
      other.remove_prefix(1);
      continue;
    }
    const std::string_view first = number_at(one);
    const std::string_view second = number_at(other);
    if (first.size() != second.size()) return first.size() < second.size();
    if (first != second) return first < second;
    while (!one.empty() && is_digit(one.front())) one.remove_prefix(1);
    while (!other.empty() && is_digit(other.front())) other.remove_prefix(1);
  }
  return one.size() != other.size() ? one.size() < other.size() : a < b;
}

struct ComesBefore {
  bool operator()(const std::string& a, const std::string& b) const { return comes_before(a, b); }
};

}  // namespace

std::optional<std::pair<TableTrace::Role, double>> TableTrace::role_of(std::string_view title) {
  std::string name = in_lower_case(title);
  double unit_s = 1.0;
  const std::size_t line = name.rfind('_');
  if (line != std::string::npos)
    for (const auto& [word, seconds] : kUnits)
      if (name.substr(line + 1) == word) {
        unit_s = seconds;
        name.resize(line);
        break;
      }
  if (name == "down" || name == "time") return std::pair{down, unit_s};
  if (name == "up" || name == "repaired") return std::pair{up, unit_s};
  if (line != std::string::npos) return std::nullopt;  // only times have a unit
  if (name == "node") return std::pair{node, unit_s};
  if (name == "system") return std::pair{system, unit_s};
  return std::nullopt;
}

namespace {

[[noreturn]] void refuse_unit(const std::string& file, std::size_t place, const std::string& name,
                              const std::string& unit) {
  std::string units;
  for (const auto& [word, seconds] : kUnits)
    units.append(units.empty()                 ? ""
                 : word == kUnits.back().first ? " or "
                                               : ", ")
        .append(name)
        .append("_")
        .append(word);
  throw UsageError(file + ": column " + std::to_string(place + 1) + " is \"" + name +
                   "\" in the unit \"" + unit + "\"; expected the name " + units);
}

}  // namespace

/// Otherwise a column `up_sec` would be ignored, and no node would ever be repaired.
void TableTrace::refuse_misnamed_units(const std::vector<std::string>& titles,
                                       const std::string& file) const {
  for (std::size_t place = 0; place < titles.size(); ++place) {
    const auto misnamed = misnamed_unit(titles[place]);
    if (misnamed && !columns_[role_of(misnamed->first)->first].place)
      refuse_unit(file, place, misnamed->first, misnamed->second);
  }
}

/// A table as spreadsheets of some countries write it is recognised, and refused.
void TableTrace::refuse_other_separators(std::string_view header, const std::string& file) {
  for (const auto& [separator, name] : {std::pair('\t', "tabs"), std::pair(';', "semicolons")}) {
    std::string with_commas(header);
    if (std::count(with_commas.begin(), with_commas.end(), separator) == 0) continue;
    std::replace(with_commas.begin(), with_commas.end(), separator, ',');
    const std::vector<std::string> titles = split_csv(with_commas);
    if (std::count_if(titles.begin(), titles.end(),
                      [](const std::string& title) { return role_of(title).has_value(); }) >= 2)
      throw UsageError(file + ": the columns are separated by " + name + "; expected commas");
  }
}

std::optional<TableTrace> TableTrace::begin(std::string_view header, const std::string& file) {
  refuse_other_separators(header, file);
  TableTrace table;
  const std::vector<std::string> titles = split_csv(header);
  table.fields_ = titles.size();
  bool names_any = false;
  for (std::size_t place = 0; place < titles.size(); ++place) {
    const auto role = role_of(titles[place]);
    if (!role) continue;
    Column& column = table.columns_[role->first];
    if (column.place)
      throw UsageError(file + ": two columns have the same meaning, " +
                       std::to_string(*column.place + 1) + " and " + std::to_string(place + 1));
    column = {place, role->second};
    names_any = names_any || role->first != system;
  }
  if (!names_any || titles.size() < 2) return std::nullopt;
  table.refuse_misnamed_units(titles, file);
  const auto need = [&](Role role, const char* name) {
    if (!table.columns_[role].place)
      throw UsageError(file + ": a table of failures without a column " + name +
                       "; expected node, down (or time) and, if known, up (or repaired)");
  };
  need(node, "node");
  need(down, "down");
  return table;
}

std::optional<TableTrace::Time> TableTrace::time_in(std::string_view text, const Column& column) {
  if (const auto number = number_in<double>(text)) return Time{*number * column.unit_s, false};
  if (const auto time_s = iso_time_s(text)) return Time{*time_s, true};
  return std::nullopt;
}

/// Why this time cannot be that of a record; "" if it can. `other`: the form of the other times,
/// if there are any.
std::string TableTrace::refusal(const Time& time, std::optional<bool> other) {
  if (std::abs(time.s) > kLatest_s) return "expected a time between -1e12 and 1e12 s";
  if (!other || *other == time.is_iso) return "";
  return *other ? "expected a time of ISO 8601, like the other times"
                : "expected a number, like the other times";
}

/// Why this cannot be the node of a record; "" if it can. One name among numbers would give all
/// nodes other numbers.
std::string TableTrace::refusal(std::string_view node, std::optional<bool> numbers) {
  if (node.empty()) return "expected a name or a number";
  const bool is_number = is_numeric(node);
  const auto number = number_in<std::int64_t>(node);
  if (is_number && !(number && *number >= 0))
    return "expected a whole number of at least 0, or a name";
  if (!numbers || *numbers == is_number) return "";
  return *numbers ? "expected a number, like the other nodes"
                  : "expected a name, like the other nodes";
}

LineResult TableTrace::read(std::string_view line) {
  if (std::ranges::count(line, '"') % 2 != 0)
    return unreadable("a quote is not closed, and a field ends with its line");
  const std::vector<std::string> fields = split_csv(line);
  if (fields.size() != fields_)
    return unreadable("expected as many fields as columns, " + std::to_string(fields_));
  const auto text_of = [&](Role role) {
    const auto place = columns_[role].place;
    return place ? trimmed(fields[*place]) : std::string_view();
  };
  const auto in_system = text_of(system).empty() ? std::optional<std::int64_t>(0)
                                                 : number_in<std::int64_t>(text_of(system));
  if (!in_system || *in_system < 0) return unreadable("system: expected a number");
  if (const std::string why = refusal(text_of(node), has_numbers_); !why.empty())
    return unreadable("node: " + why, in_system);
  const auto fell = time_in(text_of(down), columns_[down]);
  if (!fell) return unreadable("down: expected a number or a time of ISO 8601", in_system);
  if (const std::string why = refusal(*fell, has_iso_times_); !why.empty())
    return unreadable("down: " + why, in_system);
  const auto rose = time_in(text_of(up), columns_[up]);
  if (!text_of(up).empty() && !rose)
    return unreadable("up: expected a number, a time of ISO 8601, or nothing", in_system);
  if (const std::string why = rose ? refusal(*rose, fell->is_iso) : ""; !why.empty())
    return unreadable("up: " + why, in_system);
  if (rose && rose->s < fell->s) return unreadable("the node is up before it is down", in_system);
  names_.emplace_back(text_of(node));
  has_numbers_ = is_numeric(names_.back());
  has_iso_times_ = fell->is_iso;
  FaultRecord record{.time_s = fell->s, .end_s = {}, .system = *in_system, .node = 0};
  if (rose) record.end_s = rose->s;
  return {record, "", false, {}};
}

void TableTrace::number_nodes(std::vector<FaultRecord>& records) const {
  std::map<std::string, std::int64_t, ComesBefore> numbers;
  for (const std::string& name : names_) numbers.emplace(name, 0);
  std::int64_t next = 0;
  for (auto& [name, value] : numbers)
    value = *has_numbers_ ? *number_in<std::int64_t>(name) : next++;
  for (std::size_t i = 0; i < records.size(); ++i) records[i].node = numbers.at(names_[i]);
}

}  // namespace faultline::faults
