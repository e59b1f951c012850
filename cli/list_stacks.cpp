// SPDX-License-Identifier: Apache-2.0
#include "cli/list_stacks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/text/text_table.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/scenario/stack_pairs.hpp"

namespace faultline::cli {
namespace {

using scenario::Ground;
using scenario::PairReason;
using scenario::StackPair;
using scenario::StackPairs;
using scenario::StackPart;

// ---- the matrix --------------------------------------------------------------------------------

/// What a reason is in the matrix: the letter of its ground, and its number among those.
class Marks {
 public:
  std::string of(const StackPair& pair) {
    if (pair.reasons.empty()) return "+";
    const PairReason& reason = pair.reasons.front();
    const auto known = std::ranges::find(
        reasons_, std::pair(reason.ground, reason.reason),
        [](const Numbered& entry) { return std::pair(entry.ground, entry.reason); });
    if (known != reasons_.end()) return known->mark;
    std::string mark =
        letter(reason.ground) + std::to_string(++counts_[index_of_ground(reason.ground)]);
    reasons_.push_back({reason.ground, reason.reason, mark});
    return mark;
  }

  /// What the letters mean, and the reasons, by their letters.
  [[nodiscard]] std::string legend() const {
    std::string text = "+   works\n";
    for (const Ground ground :
         {Ground::warning, Ground::nature, Ground::not_built, Ground::settings}) {
      if (counts_[index_of_ground(ground)] == 0) continue;
      text += meaning(ground);
      for (const Numbered& entry : reasons_)
        if (entry.ground == ground) text += indented("  " + entry.mark + "  ", entry.reason);
    }
    return text;
  }

 private:
  struct Numbered {
    Ground ground;
    std::string reason;
    std::string mark;
  };

  static std::size_t index_of_ground(Ground ground) { return static_cast<std::size_t>(ground); }
  static std::string letter(Ground ground) {
    constexpr std::array<const char*, 4> kLetters = {"n", "b", "s", "w"};
    return kLetters[index_of_ground(ground)];
  }
  static std::string meaning(Ground ground) {
    switch (ground) {
      case Ground::nature:
        return "n   does not work, by nature\n";
      case Ground::not_built:
        return "b   does not work, because Faultline has not built it\n";
      case Ground::settings:
        return "s   does not work with the settings of this scenario\n";
      default:
        return "w   works, with a warning\n";
    }
  }
  /// `head`, and beside it the text in lines of at most 80 characters.
  static std::string indented(const std::string& head, const std::string& words) {
    std::string text = text::wrapped(words, text::kUsualWidth - head.size());
    std::string result = head;
    for (std::size_t i = 0; i < text.size(); ++i) {
      result += text[i];
      if (text[i] == '\n' && i + 1 < text.size()) result += std::string(head.size(), ' ');
    }
    return result;
  }

  std::vector<Numbered> reasons_;
  std::array<std::size_t, 4> counts_{};
};

/// The marks of one row or column, and the names of the parts that have them.
struct Line {
  scenario::StackPart first;
  std::vector<std::string> names;
  std::vector<std::string> marks;
};

/// Lines of one family with the same marks become one.
void add_line(std::vector<Line>& lines, const StackPart& part, std::vector<std::string> marks) {
  const auto alike = std::ranges::find_if(lines, [&](const Line& line) {
    return line.first.family == part.family &&
           (line.first.component == nullptr) == (part.component == nullptr) && line.marks == marks;
  });
  if (alike == lines.end())
    lines.push_back({part, {part.name()}, std::move(marks)});
  else
    alike->names.push_back(part.name());
}

std::string listed(const std::vector<std::string>& names, const std::string& between) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : between).append(name);
  return text;
}

/// The lines of a text without its last line break.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char letter : text)
    if (letter == '\n')
      lines.emplace_back();
    else
      lines.back() += letter;
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

/// The names of a column one below the other, those of several long words in several lines.
std::string title_of(const Line& column) {
  constexpr std::size_t kWide = 14;
  std::string title;
  for (const std::string& name : column.names) {
    if (!title.empty()) title += '\n';
    const std::size_t dash = name.find('-');
    title += name.size() <= kWide || dash == std::string::npos
                 ? name
                 : name.substr(0, dash + 1) + "\n" + name.substr(dash + 1);
  }
  return title;
}

/// The marks of all pairs, by part and then by recovery; blank where there is no such pair.
std::vector<std::vector<std::string>> marks_of(const StackPairs& found, Marks& marks) {
  std::vector<std::vector<std::string>> all;
  auto pair = found.pairs.begin();
  for (const StackPart& part : found.parts) {
    std::vector<std::string>& row = all.emplace_back();
    for (const StackPart& recovery : found.recoveries) {
      const bool is_there =
          pair != found.pairs.end() && pair->part == part && pair->recovery == recovery;
      row.push_back(is_there ? marks.of(*pair++) : "");
    }
  }
  return all;
}

std::vector<Line> columns_of(const StackPairs& found,
                             const std::vector<std::vector<std::string>>& marks) {
  std::vector<Line> columns;
  for (std::size_t i = 0; i < found.recoveries.size(); ++i) {
    std::vector<std::string> column;
    column.reserve(marks.size());
    for (const auto& row : marks) column.push_back(row[i]);
    add_line(columns, found.recoveries[i], std::move(column));
  }
  return columns;
}

std::vector<Line> rows_of(const StackPairs& found, const std::vector<Line>& columns) {
  std::vector<Line> rows;
  for (std::size_t i = 0; i < found.parts.size(); ++i) {
    std::vector<std::string> row;
    row.reserve(columns.size());
    for (const Line& column : columns) row.push_back(column.marks[i]);
    add_line(rows, found.parts[i], std::move(row));
  }
  return rows;
}

/// Adds a row to the table; names that need more room go on below it.
void add_row(text::TextTable& table, const Line& row) {
  constexpr std::size_t kNamesWidth = 20;
  const std::vector<std::string> names =
      lines_of(text::wrapped(listed(row.names, ", "), kNamesWidth));
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> cells{"  " + names[i]};
    if (i == 0)
      cells.insert(cells.end(), row.marks.begin(), row.marks.end());
    else
      cells.resize(row.marks.size() + 1);
    table.rows.push_back(std::move(cells));
  }
}

std::string matrix(const StackPairs& found, Marks& marks) {
  const std::vector<Line> columns = columns_of(found, marks_of(found, marks));
  text::TextTable table{.columns = {{"above", text::Align::left}}, .rows = {}};
  for (const Line& column : columns) table.columns.push_back({title_of(column), text::Align::left});
  std::optional<Family> family;
  for (const Line& row : rows_of(found, columns)) {
    if (family != row.first.family) {
      family = row.first.family;
      table.rows.emplace_back(columns.size() + 1);
      table.rows.back().front() = family_key(row.first.family);
    }
    add_row(table, row);
  }
  return text::render(table);
}

/// Which family the names of the columns belong to.
std::string recoveries_text(const StackPairs& found) {
  std::string text = "What recovers ranks: none";
  for (const Family family : {Family::transactions, Family::message_logging}) {
    std::vector<std::string> names;
    for (const StackPart& recovery : found.recoveries)
      if (recovery.family == family && recovery.component != nullptr)
        names.push_back(recovery.name());
    text += std::string("; ") + family_key(family) + " " + listed(names, ", ");
  }
  return text::wrapped(text + ".");
}

std::string table_text(const StackPairs& found, const std::optional<std::string>& file) {
  Marks marks;
  const std::string table = matrix(found, marks);
  return text::wrapped(file ? visible(*file) + ": what works above what, with its program, " +
                                  "platform, faults and other settings."
                            : "What works above what, where processes die.") +
         recoveries_text(found) + "\n" + table + "\n" + marks.legend();
}

// ---- JSON and CSV ------------------------------------------------------------------------------

std::string verdict_of(const StackPair& pair) {
  if (pair.reasons.empty()) return "works";
  return scenario::ground_word(pair.reasons.front().ground);
}

json::JsonValue part_entry(const StackPart& part) {
  return json::json_object({{"family", family_key(part.family)}, {"name", part.name()}});
}

json::JsonValue pair_entry(const StackPair& pair) {
  json::JsonValue::List reasons;
  for (const PairReason& reason : pair.reasons)
    reasons.push_back(json::json_object({{"ground", scenario::ground_word(reason.ground)},
                                         {"reason", reason.reason},
                                         {"words", reason.words}}));
  return json::json_object({{"above", part_entry(pair.part)},
                            {"recovery", part_entry(pair.recovery)},
                            {"works", pair.works},
                            {"verdict", verdict_of(pair)},
                            {"reasons", std::move(reasons)}});
}

std::string json_text(const StackPairs& found) {
  json::JsonValue::List pairs;
  for (const StackPair& pair : found.pairs) pairs.push_back(pair_entry(pair));
  return json::to_json(json::json_object({{"schema_version", 1}, {"stacks", std::move(pairs)}}),
                       2) +
         "\n";
}

std::string csv_text(const StackPairs& found) {
  std::string text = text::csv_record(
      {"family", "name", "recovery_family", "recovery", "works", "verdict", "reason", "words"});
  for (const StackPair& pair : found.pairs) {
    const PairReason first = pair.reasons.empty() ? PairReason() : pair.reasons.front();
    text += text::csv_record({family_key(pair.part.family), pair.part.name(),
                              family_key(pair.recovery.family), pair.recovery.name(),
                              text::csv_field(pair.works), verdict_of(pair), first.reason,
                              first.words});
  }
  return text;
}

}  // namespace

std::string stacks_listing(const std::string& format, const std::optional<std::string>& file) {
  const StackPairs found = file ? scenario::stack_pairs_of(*file) : scenario::stack_pairs();
  if (format == "json") return json_text(found);
  return format == "csv" ? csv_text(found) : table_text(found, file);
}

}  // namespace faultline::cli
