// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/text_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "sim/core/visible_text.hpp"

namespace faultline::text {
namespace {

constexpr std::size_t gap = 2;

/// The number of characters of UTF-8 text. Counting bytes would shift the line of a name with an
/// accent.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

/// The table with invisible characters replaced: names can come from anywhere.
TextTable shown(TextTable table) {
  for (Column& column : table.columns) column.title = visible_lines(column.title);
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = visible(cell);
  return table;
}

/// True if a spreadsheet would take this text for a formula. A number is harmless.
bool is_formula(const std::string& text) {
  if (text.size() < 2 || std::string_view("=+-@").find(text.front()) == std::string_view::npos)
    return false;
  double ignored = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ignored);
  return error == std::errc::invalid_argument || rest != end;
}

std::string quoted_field(const std::string& text) {
  std::string field = (is_formula(text) ? "'" : "") + visible(text);
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = 0;
    for (const std::string& line : lines_of(table.columns[c].title)) {
      width = std::max(width, width_of(line));
    }
    for (const auto& row : table.rows) width = std::max(width, width_of(row[c]));
    widths.push_back(width);
  }
  return widths;
}

/// Splits the columns into blocks that fit into the width. Each block begins with the key columns.
std::vector<std::vector<std::size_t>> blocks_of(const TextTable& table,
                                                const std::vector<std::size_t>& widths,
                                                std::size_t max_width) {
  const std::size_t keys = std::min(table.key_columns, widths.size());
  std::vector<std::size_t> key_block;
  std::size_t key_width = 0;
  for (std::size_t c = 0; c < keys; ++c) {
    key_block.push_back(c);
    key_width += widths[c] + gap;
  }
  std::vector<std::vector<std::size_t>> blocks = {key_block};
  std::size_t used = key_width;
  for (std::size_t c = keys; c < widths.size(); ++c) {
    if (blocks.back().size() > keys && used + widths[c] > max_width) {
      blocks.push_back(key_block);
      used = key_width;
    }
    blocks.back().push_back(c);
    used += widths[c] + gap;
  }
  return blocks;
}

/// The cells of one line that belong to one block.
class Line {
 public:
  void add(std::string_view cell, std::size_t width, Align align) {
    if (!first_) text_.append(gap, ' ');
    first_ = false;
    const std::size_t padding = width - std::min(width, width_of(cell));
    if (align == Align::right) text_.append(padding, ' ');
    text_ += cell;
    if (align == Align::left) text_.append(padding, ' ');
  }

  [[nodiscard]] std::string ended() const {
    return text_.substr(0, text_.find_last_not_of(' ') + 1) + "\n";
  }

 private:
  std::string text_;
  bool first_ = true;
};

std::string header_of(const TextTable& table, const std::vector<std::size_t>& block,
                      const std::vector<std::size_t>& widths) {
  std::size_t height = 0;
  for (const std::size_t c : block) {
    height = std::max(height, lines_of(table.columns[c].title).size());
  }
  std::string text;
  for (std::size_t i = 0; i < height; ++i) {
    Line line;
    for (const std::size_t c : block) {
      const std::vector<std::string> title = lines_of(table.columns[c].title);
      // Short titles are directly above the rule.
      const std::size_t empty_above = height - title.size();
      line.add(i < empty_above ? "" : title[i - empty_above], widths[c], table.columns[c].align);
    }
    text += line.ended();
  }
  Line rule;
  for (const std::size_t c : block) rule.add(std::string(widths[c], '-'), widths[c], Align::left);
  return text + rule.ended();
}

void check_rows(const TextTable& table) {
  for (const auto& row : table.rows) {
    if (row.size() != table.columns.size()) {
      throw std::invalid_argument("text table: a row must have one cell per column");
    }
  }
}

}  // namespace

std::string render(const TextTable& raw, std::size_t max_width) {
  check_rows(raw);
  if (raw.columns.empty()) return "";
  const TextTable table = shown(raw);
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text;
  for (const std::vector<std::size_t>& block : blocks_of(table, widths, max_width)) {
    if (!text.empty()) text += "\n";
    text += header_of(table, block, widths);
    for (const auto& row : table.rows) {
      Line line;
      for (const std::size_t c : block) line.add(row[c], widths[c], table.columns[c].align);
      text += line.ended();
    }
  }
  return text;
}

std::string wrapped(std::string_view raw, std::size_t max_width) {
  const std::string text = visible_lines(raw);
  std::string result;
  std::string line;
  std::size_t position = 0;
  while ((position = text.find_first_not_of(" \t\n", position)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", position), text.size());
    const std::string word = text.substr(position, end - position);
    if (!line.empty() && width_of(line) + 1 + width_of(word) > max_width) {
      result += line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    position = end;
  }
  return line.empty() ? result : result + line + "\n";
}

std::string csv_record(const std::vector<std::string>& fields) {
  std::string record;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) record += ',';
    record += quoted_field(fields[i]);
  }
  return record + "\n";
}

std::string csv_field(const json::JsonValue& value) {
  if (value.is_null()) return {};
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "TRUE" : "FALSE";
  return value.text() != nullptr ? *value.text() : json::to_json(value);
}

std::string csv_records(const std::vector<std::vector<std::string>>& records) {
  std::string text;
  for (const auto& fields : records) text += csv_record(fields);
  return text;
}

std::string fixed(double value, int decimals) {
  std::array<char, 512> text{};  // the largest double has 309 digits before the point
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::fixed, decimals);
  if (error != std::errc()) throw std::invalid_argument("text table: too many decimals");
  return {text.data(), end};
}

std::string two_digits(double value) {
  if (value == 0.0) return "0";
  if (value == 1.0) return "1";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, 1)
                       .ptr;
  std::string text(buffer.data(), end);
  // C++ writes at least two digits of exponent: 1.4e-04.
  const std::size_t zero = text.find_first_of("+-", 1) + 1;
  if (zero + 1 < text.size() && text[zero] == '0') text.erase(zero, 1);
  return text;
}

}  // namespace faultline::text
