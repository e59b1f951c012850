// SPDX-License-Identifier: Apache-2.0
#include "sim/json/json_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sim/core/visible_text.hpp"
#include "sim/json/problems.hpp"

namespace faultline::json {
namespace {

void append_unit(std::string& out, std::uint32_t code) {
  constexpr const char* kHex = "0123456789abcdef";
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kHex[code >> shift & 15U];
}

/// Escapes characters that a terminal would obey, so that JSON can be shown as it is. Bytes that
/// are not UTF-8 become the replacement character, because JSON cannot contain them.
void append_character(std::string& out, const std::string& text, std::size_t at,
                      const Character& character) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  constexpr std::uint32_t kLastOfOneUnit = 0xFFFF;
  if (character.bytes == 0)
    append_unit(out, kReplacement);
  else if (is_hidden(character.code) && character.code <= kLastOfOneUnit)
    append_unit(out, character.code);
  else
    out.append(text, at, character.bytes);
}

void append_escaped(std::string& out, const std::string& text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      const Character character = character_at(text, at);
      append_character(out, text, at, character);
      at += std::max<std::size_t>(1, character.bytes) - 1;
    }
    ++at;
  }
  out += '"';
}

/// Writes a tree as text. Use a new object for each text.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const JsonValue& value) {
    std::visit([this](const auto& data) { put(data); }, value.data);
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void put(std::monostate /*null*/) { out_ += "null"; }
  void put(bool value) { out_ += value ? "true" : "false"; }
  void put(std::int64_t value) { out_ += std::to_string(value); }
  void put(double value) { out_ += std::isfinite(value) ? shortest(value) : "null"; }
  void put(const std::string& value) { append_escaped(out_, value); }

  void put(const JsonValue::List& list) {
    open('[');
    for (const JsonValue& item : list) {
      separate(&item == list.data());
      write(item);
    }
    close(']', list.empty());
  }

  void put(const JsonValue::Object& object) {
    open('{');
    for (const JsonMember& member : object) {
      separate(&member == object.data());
      append_escaped(out_, member.key);
      out_ += indent_ > 0 ? ": " : ":";
      write(member.value);
    }
    close('}', object.empty());
  }

  void open(char bracket) {
    out_ += bracket;
    ++depth_;
  }
  void close(char bracket, bool empty) {
    --depth_;
    if (!empty) new_line();
    out_ += bracket;
  }
  void separate(bool first) {
    if (!first) out_ += ',';
    new_line();
  }
  void new_line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
  }

  int indent_;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

// Defined here, because in the class JsonMember is still an incomplete type.
JsonValue::JsonValue() = default;
JsonValue::JsonValue(bool value) : data(value) {}
JsonValue::JsonValue(int value) : data(std::int64_t{value}) {}
JsonValue::JsonValue(std::int64_t value) : data(value) {}
JsonValue::JsonValue(double value) : data(value) {}
JsonValue::JsonValue(const char* value) : data(std::string(value)) {}
JsonValue::JsonValue(std::string value) : data(std::move(value)) {}
JsonValue::JsonValue(List value) : data(std::move(value)) {}
JsonValue::JsonValue(Object value) : data(std::move(value)) {}

const JsonValue* JsonValue::find(const std::string& key) const {
  if (const Object* members = object()) {
    for (const JsonMember& member : *members)
      if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonValue* JsonValue::find(const std::string& key) {
  return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

void JsonValue::set(const std::string& key, JsonValue value) {
  if (object() == nullptr) data = Object{};
  if (JsonValue* old = find(key)) {
    *old = std::move(value);
  } else {
    object()->push_back({key, std::move(value)});
  }
}

JsonValue json_object(std::initializer_list<JsonMember> members) {
  return JsonValue::Object(members);
}

JsonValue json_number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value < kExact && value > -kExact && value == std::trunc(value))
    return static_cast<std::int64_t>(value);
  return value;
}

std::optional<double> number_of(const JsonValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return std::nullopt;
}

std::string to_json(const JsonValue& value, int indent) {
  Writer writer(indent);
  writer.write(value);
  return writer.take();
}

JsonValue sorted(JsonValue value) {
  if (JsonValue::List* list = value.list()) {
    for (JsonValue& item : *list) item = sorted(std::move(item));
  } else if (JsonValue::Object* object = value.object()) {
    for (JsonMember& member : *object) member.value = sorted(std::move(member.value));
    std::sort(object->begin(), object->end(),
              [](const JsonMember& a, const JsonMember& b) { return a.key < b.key; });
  }
  return value;
}

std::string describe(const JsonValue& value) {
  struct Describer {
    std::string operator()(std::monostate /*null*/) const { return "null"; }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return shortest(number); }
    std::string operator()(const std::string& text) const {
      return "the string " + in_quotes(text);
    }
    std::string operator()(const JsonValue::List& list) const {
      return list.empty() ? "an empty list" : "a list";
    }
    std::string operator()(const JsonValue::Object& /*object*/) const { return "an object"; }
  };
  return std::visit(Describer{}, value.data);
}

std::string shortest(double value) {
  if (value == 0) return "0";  // also for -0, which means the same to a reader
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace faultline::json
