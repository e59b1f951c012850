#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace faultline {

struct JsonMember;

/// A JSON value as plain data. Whole numbers within 64 bits are kept as integers, others as
/// doubles; members keep the order of the text.
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

  /// The member of that key, or null where this is no object or has none.
  [[nodiscard]] const JsonValue* find(const std::string& key) const;
  [[nodiscard]] JsonValue* find(const std::string& key);

  /// Sets a member of an object, a new one at the end. Anything but an object becomes one.
  void set(const std::string& key, JsonValue value);
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// An object of these members, in this order.
JsonValue json_object(std::initializer_list<JsonMember> members);

/// A number, as an integer where it is whole and a double tells it from its neighbours: so counts
/// stay counts in other languages.
JsonValue json_number(double value);

/// The value as a double where it is a number.
std::optional<double> number_of(const JsonValue& value);

/// JSON text. `indent` 0 gives one line. Doubles are written with the fewest digits that read back
/// to the same value, so the text is the same on every machine; what JSON cannot say (infinity,
/// NaN) becomes null.
std::string to_json(const JsonValue& value, int indent = 0);

/// The same value with the members of every object sorted by key.
JsonValue sorted(JsonValue value);

/// The value in a few words for a message: `the string "1 ms"`, `a list`.
std::string describe(const JsonValue& value);

/// A double with the fewest digits that read back to the same value.
std::string shortest(double value);

}  // namespace faultline
