// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace faultline::json {

struct JsonMember;

/// A JSON value as plain data. A whole number that fits 64 bits is kept as an integer, any other
/// number as a double. Members keep the order of the text.
struct JsonValue {
  using List = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object>;

  Data data;

  JsonValue();
  JsonValue(bool value);
  JsonValue(int value);
  JsonValue(std::int64_t value);
  JsonValue(double value);
  JsonValue(const char* value);
  JsonValue(std::string value);
  JsonValue(List value);
  JsonValue(Object value);

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data); }
  [[nodiscard]] const List* list() const { return std::get_if<List>(&data); }
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&data); }
  [[nodiscard]] List* list() { return std::get_if<List>(&data); }
  [[nodiscard]] Object* object() { return std::get_if<Object>(&data); }

  /// The member with that key, or null if there is none or this is not an object.
  [[nodiscard]] const JsonValue* find(const std::string& key) const;
  [[nodiscard]] JsonValue* find(const std::string& key);

  /// Sets a member of an object; a new member is appended. A value that is not an object becomes
  /// one.
  void set(const std::string& key, JsonValue value);
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// An object with these members, in this order.
JsonValue json_object(std::initializer_list<JsonMember> members);

/// A number as a JSON value. Whole numbers below 2^53 become integers, so that counts are integers
/// for readers in other languages as well.
JsonValue json_number(double value);

/// The value as a double, or nothing if it is not a number.
std::optional<double> number_of(const JsonValue& value);

/// The value as JSON text, in one line if `indent` is 0. Doubles are written with the fewest digits
/// that read back to the same value, so the text is the same on every machine. Infinity and NaN,
/// which JSON does not have, become null.
std::string to_json(const JsonValue& value, int indent = 0);

/// Sorts the members of every object in the value by key.
JsonValue sorted(JsonValue value);

/// The value in a few words for a message: `the string "1 ms"`, `a list`.
std::string describe(const JsonValue& value);

/// A double with the fewest digits that read back to the same value.
std::string shortest(double value);

}  // namespace faultline::json
