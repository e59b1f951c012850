// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/table_trace.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "sim/core/error.hpp"

namespace faultline::faults {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
    {{"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}}};

std::string in_lower_case(std::string_view text) {
  std::string lower(trimmed(text));
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
  if (name == "node") return std::pair{node, unit_s};
  if (name == "down" || name == "time") return std::pair{down, unit_s};
  if (name == "up" || name == "repaired") return std::pair{up, unit_s};
  if (name == "system") return std::pair{system, unit_s};
  return std::nullopt;
}

std::optional<TableTrace> TableTrace::begin(std::string_view header, const std::string& file) {
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
  const auto need = [&](Role role, const char* name) {
    if (!table.columns_[role].place)
      throw UsageError(file + ": a table of failures without a column " + name +
                       "; expected node, down (or time) and, if known, up (or repaired)");
  };
  need(node, "node");
  need(down, "down");
  return table;
}

std::optional<double> TableTrace::time_s(std::string_view text, double unit_s) {
  if (const auto number = number_in<double>(text)) return *number * unit_s;
  return iso_time_s(text);
}

LineResult TableTrace::read(std::string_view line) {
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
  if (text_of(node).empty()) return unreadable("node: expected a name or a number", in_system);
  const auto down_s = time_s(text_of(down), columns_[down].unit_s);
  if (!down_s) return unreadable("down: expected a number or a time of ISO 8601", in_system);
  const auto up_s = time_s(text_of(up), columns_[up].unit_s);
  if (!text_of(up).empty() && !up_s)
    return unreadable("up: expected a number, a time of ISO 8601, or nothing", in_system);
  if (up_s && *up_s < *down_s) return unreadable("the node is up before it is down", in_system);
  names_.emplace_back(text_of(node));
  FaultRecord record{.time_s = *down_s, .end_s = up_s, .system = *in_system, .node = 0};
  return {record, "", false, {}};
}

void TableTrace::number_nodes(std::vector<FaultRecord>& records) const {
  const auto number = [](const std::string& name) {
    const auto value = number_in<std::int64_t>(name);
    return value && *value >= 0 ? value : std::nullopt;
  };
  std::map<std::string, std::int64_t, ComesBefore> numbers;
  for (const std::string& name : names_) numbers.emplace(name, 0);
  const bool are_numbers = std::ranges::all_of(
      names_, [&](const std::string& name) { return number(name).has_value(); });
  std::int64_t next = 0;
  for (auto& [name, value] : numbers) value = are_numbers ? *number(name) : next++;
  for (std::size_t i = 0; i < records.size(); ++i) records[i].node = numbers.at(names_[i]);
}

}  // namespace faultline::faults
