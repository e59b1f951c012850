#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace faultline {

struct FaultCounts;
struct FaultTrace;
struct TaskTreeFile;

/// The content of a file that an option names. The front-end reads it, so that components need to
/// know neither JSON nor the folder of the scenario. Two inputs with the same content are equal,
/// whatever their files are called. A default that has not been read yet has only a file name.
template <class Content>
struct FileInput {
  std::string file;                        ///< as the user named it
  std::string hash;                        ///< of the content
  std::shared_ptr<const Content> content;  ///< shared: options are copied to every point

  bool operator==(const FileInput& other) const {
    return hash == other.hash && (!hash.empty() || file == other.file);
  }
};

using TaskTreeInput = FileInput<TaskTreeFile>;
using FaultCountsInput = FileInput<FaultCounts>;
using FaultTraceInput = FileInput<FaultTrace>;

/// The value of a list of texts that has choices: some of them, in the order of their declaration,
/// each once.
using ChosenWords = std::vector<std::string>;

/// A checked value of an option; monostate is JSON's null.
using OptionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>,
                 TaskTreeInput, FaultCountsInput, FaultTraceInput>;

/// The checked options of one component by name, with defaults filled in.
using OptionValues = std::map<std::string, OptionValue>;

/// The type of an option's value. The last three are names of files; how each is read is declared
/// in sim/json/file_option.hpp.
enum class OptionKind {
  boolean,
  integer,
  number,
  text,
  texts,
  task_tree,
  fault_counts,
  fault_trace
};

/// The declaration of one option. Reading, checking, `list`, the JSON Schema and the docs all come
/// from it.
struct OptionSpec {
  std::string name;  ///< JSON key; the name of a number ends in its unit
  OptionKind kind = OptionKind::text;
  bool nullable = false;        ///< JSON null is allowed
  bool required = false;        ///< there is no default
  OptionValue default_value{};  ///< meaningless if required
  std::string unit{};           ///< "" for a pure number, a word or a truth value
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;  ///< the minimum itself is out of range
  /// Allowed values of a text, or of each entry of a list of texts. Empty: any text.
  std::vector<std::string> choices{};
  std::string doc{};
  std::string source{};  ///< paper and section, or where the default comes from
  /// The option came after results had been published: at its default it is not part of their
  /// scenarios' hash.
  bool later = false;
};

/// What the declaration of an option says besides its name and type.
struct OptionNotes {
  std::string doc{};
  std::string unit{};
  std::string source{};
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;
  bool required = false;
  std::vector<std::string> choices{};
  bool later = false;
};

namespace detail {

template <class T>
struct OptionType {
  using Value = T;
  static constexpr bool nullable = false;
};
template <class T>
struct OptionType<std::optional<T>> {
  using Value = T;
  static constexpr bool nullable = true;
};

/// Lists and file inputs are stored in an OptionValue as they are.
template <class T>
inline constexpr bool is_stored_as_it_is =
    std::same_as<T, std::vector<std::string>> || std::same_as<T, TaskTreeInput> ||
    std::same_as<T, FaultCountsInput> || std::same_as<T, FaultTraceInput>;

template <class T>
constexpr OptionKind option_kind() {
  if constexpr (std::same_as<T, bool>) return OptionKind::boolean;
  if constexpr (std::integral<T>) return OptionKind::integer;
  if constexpr (std::floating_point<T>) return OptionKind::number;
  if constexpr (std::same_as<T, std::vector<std::string>>) return OptionKind::texts;
  if constexpr (std::same_as<T, TaskTreeInput>) return OptionKind::task_tree;
  if constexpr (std::same_as<T, FaultCountsInput>) return OptionKind::fault_counts;
  if constexpr (std::same_as<T, FaultTraceInput>) return OptionKind::fault_trace;
  return OptionKind::text;
}

template <class T>
OptionValue to_option(const T& value) {
  if constexpr (std::same_as<T, bool> || is_stored_as_it_is<T>)
    return value;
  else if constexpr (std::integral<T>)
    return static_cast<std::int64_t>(value);
  else if constexpr (std::floating_point<T>)
    return static_cast<double>(value);
  else
    return std::string(value);
}

template <class T>
T from_option(const OptionValue& value) {
  if constexpr (std::same_as<T, bool>)
    return std::get<bool>(value);
  else if constexpr (std::integral<T>)
    return static_cast<T>(std::get<std::int64_t>(value));
  else if constexpr (std::floating_point<T>)
    return std::get<double>(value);
  else if constexpr (is_stored_as_it_is<T>)
    return std::get<T>(value);
  else
    return std::get<std::string>(value);
}

}  // namespace detail

/// Whether a list of texts has this one.
inline bool names(const ChosenWords& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The options of a plain struct: binds its members to names, units, ranges and sources. The
/// default of an option is the member's value in a default-constructed struct.
template <class Struct>
class OptionSet {
 public:
  template <class Member>
  OptionSet& option(const std::string& name, Member Struct::*member, const OptionNotes& notes) {
    using Type = detail::OptionType<Member>;
    OptionSpec spec{.name = name,
                    .kind = detail::option_kind<typename Type::Value>(),
                    .nullable = Type::nullable,
                    .required = notes.required,
                    .default_value = default_of(Struct{}.*member),
                    .unit = notes.unit,
                    .minimum = notes.minimum,
                    .maximum = notes.maximum,
                    .above_minimum = notes.above_minimum,
                    .choices = notes.choices,
                    .doc = notes.doc,
                    .source = notes.source,
                    .later = notes.later};
    if constexpr (std::unsigned_integral<typename Type::Value> &&
                  !std::same_as<typename Type::Value, bool>)
      spec.minimum = std::fmax(spec.minimum, 0.0);
    if constexpr (std::integral<typename Type::Value> && !std::same_as<typename Type::Value, bool>)
      spec.maximum = std::fmin(spec.maximum, largest<typename Type::Value>());
    specs_.push_back(std::move(spec));
    setters_.push_back([member, name](Struct& target, const OptionValues& values) {
      const OptionValue& value = values.at(name);
      if constexpr (Type::nullable) {
        if (std::holds_alternative<std::monostate>(value)) {
          target.*member = std::nullopt;
          return;
        }
      }
      target.*member = detail::from_option<typename Type::Value>(value);
    });
    return *this;
  }

  [[nodiscard]] const std::vector<OptionSpec>& specs() const { return specs_; }

  /// A struct with its members set from checked values, which must include every declared option.
  [[nodiscard]] Struct read(const OptionValues& values) const {
    Struct result{};
    for (const auto& set : setters_) set(result, values);
    return result;
  }

 private:
  template <class T>
  static OptionValue default_of(const T& value) {
    return detail::to_option(value);
  }
  template <class T>
  static OptionValue default_of(const std::optional<T>& value) {
    return value ? detail::to_option(*value) : OptionValue{};
  }
  template <class T>
  static double largest() {
    // JSON readers of other languages do not keep every integer above 2^53.
    return std::fmin(static_cast<double>(std::numeric_limits<T>::max()), 9007199254740992.0);
  }

  std::vector<OptionSpec> specs_;
  std::vector<std::function<void(Struct&, const OptionValues&)>> setters_;
};

}  // namespace faultline
