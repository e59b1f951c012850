// SPDX-License-Identifier: Apache-2.0
#include "sim/json/json_reader.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "sim/core/error.hpp"
#include "sim/core/text_file.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/json_hint.hpp"

namespace faultline::json {
namespace {

/// Builds the tree from the parser's events, because they show duplicate keys and deep nesting.
class TreeBuilder {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the parser asks for these names
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;
  // NOLINTEND(readability-identifier-naming)

  explicit TreeBuilder(Problems& problems) : problems_(problems) {}

  bool null() { return scalar({}); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(number_integer_t value) { return scalar(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return scalar(static_cast<double>(value));
    return scalar(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) { return scalar(value); }
  bool string(string_t& value) {
    if (value.find('\0') != string_t::npos) return refuse_zero();
    return scalar(std::move(value));
  }
  bool binary(binary_t& /*value*/) { return false; }

  bool start_object(std::size_t /*size*/) { return open(JsonValue::Object{}); }
  bool start_array(std::size_t /*size*/) { return open(JsonValue::List{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t& key) {
    Level& level = levels_.back();
    level.key = key;
    if (key.find('\0') != string_t::npos) return refuse_zero();
    level.repeated = !level.keys.insert(key).second;
    if (level.repeated)
      problems_.add(member_path(path(levels_.size() - 1), key),
                    "duplicate key, the object has it already");
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) {
    error_position_ = position;
    error_ = error.what();
    return false;
  }

  [[nodiscard]] JsonValue take() { return std::move(root_); }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::size_t error_position() const { return error_position_; }
  [[nodiscard]] bool too_deep() const { return too_deep_; }
  [[nodiscard]] bool has_zero() const { return has_zero_; }
  [[nodiscard]] std::string path() const { return path(levels_.size()); }

 private:
  struct Level {
    JsonValue value;
    std::string key;
    std::unordered_set<std::string> keys;  // never iterated over
    bool repeated = false;
  };

  bool refuse_zero() {
    has_zero_ = true;
    return false;
  }

  bool scalar(JsonValue value) {
    attach(std::move(value));
    return true;
  }

  bool open(JsonValue value) {
    if (levels_.size() >= static_cast<std::size_t>(kDeepestNesting)) {
      too_deep_ = true;
      return false;
    }
    levels_.push_back({std::move(value), {}, {}, false});
    return true;
  }

  bool close() {
    JsonValue value = std::move(levels_.back().value);
    levels_.pop_back();
    attach(std::move(value));
    return true;
  }

  void attach(JsonValue value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (JsonValue::List* list = level.value.list()) {
      list->push_back(std::move(value));
    } else if (!level.repeated) {
      level.value.object()->push_back({level.key, std::move(value)});
    }
  }

  [[nodiscard]] std::string path(std::size_t depth) const {
    std::string result;
    for (std::size_t i = 0; i < depth; ++i) {
      const JsonValue::List* list = levels_[i].value.list();
      result =
          list != nullptr ? item_path(result, list->size()) : member_path(result, levels_[i].key);
    }
    return result;
  }

  Problems& problems_;
  JsonValue root_;
  std::vector<Level> levels_;
  std::string error_;
  std::size_t error_position_ = 0;
  bool too_deep_ = false;
  bool has_zero_ = false;
};

std::string place(const std::string& text, std::size_t position) {
  const std::size_t end = std::min(position, text.size());
  const auto lines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t line_start = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
  return std::to_string(lines + 1) + ":" + std::to_string(end - line_start + 1);
}

/// The parser's message without its prefix, error code, line and column.
std::string reason(const std::string& error) {
  if (error.find("number overflow") != std::string::npos)
    return "a number is beyond the range of double precision (about 1.8e308)";
  std::size_t start = error.find("syntax error");
  if (start == std::string::npos) start = error.find("] ") + 2;
  std::string words = "not valid JSON: ";
  // Bytes that are not UTF-8 must not reach a terminal. Other bytes are the user's own text.
  const bool ill_formed = error.find("ill-formed UTF-8") != std::string::npos;
  for (const char c : error.substr(start, 300)) {
    if (ill_formed && static_cast<unsigned char>(c) >= 0x80U)
      words += "?";
    else
      words += c;
  }
  return words;
}

[[noreturn]] void refuse(Problems& problems, const std::string& where, const std::string& why) {
  std::string text = problems.text();
  if (!text.empty()) text += '\n';
  throw UsageError(text + visible(problems.file()) + ":" + where + ": " + why);
}

}  // namespace

std::string read_json_text(const std::string& path) {
  return *FileMemo::read_once<std::string>(
      path, [&] { return read_text_file(path, "a JSON object", kLargestFile_B); });
}

JsonValue read_json_file(const std::string& path, Problems& problems) {
  return parse_json(read_json_text(path), problems);
}

JsonValue parse_json(const std::string& text, Problems& problems) {
  if (is_blank(text)) throw UsageError(problems.file() + ": is empty, expected a JSON object");
  if (is_utf16(text))
    throw UsageError(visible(problems.file()) +
                     ": is a text in UTF-16, expected UTF-8 (save it as UTF-8, or convert it with "
                     "iconv -f UTF-16 -t UTF-8)");
  // The parser takes a zero byte for the end of the text and would ignore what follows.
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    refuse(problems, place(text, zero), "not valid JSON: a zero byte");
  TreeBuilder builder(problems);
  if (nlohmann::json::sax_parse(text, &builder)) return builder.take();
  if (builder.too_deep()) {
    refuse(problems, " " + visible(builder.path()),
           "nested too deeply, expected at most " + std::to_string(kDeepestNesting) +
               " objects and lists inside each other");
  }
  // File names and the strings of other programs would end at the zero.
  if (builder.has_zero())
    refuse(problems, " " + visible(builder.path()),
           "a text with a zero character (\\u0000), expected none");
  const std::size_t position = builder.error_position();
  const std::size_t at = position == 0 ? 0 : position - 1;
  const std::string hint = hint_at(text, at, builder.error());
  refuse(problems, place(text, at), reason(builder.error()) + (hint.empty() ? "" : "; " + hint));
}

}  // namespace faultline::json
