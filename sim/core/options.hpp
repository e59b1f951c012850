// SPDX-License-Identifier: Apache-2.0
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

#include "sim/core/wire_bytes.hpp"

namespace faultline::faults {
struct FaultCounts;
struct FaultTrace;
}  // namespace faultline::faults

namespace faultline {

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
using FaultCountsInput = FileInput<faults::FaultCounts>;
using FaultTraceInput = FileInput<faults::FaultTrace>;

/// The value of a list of texts that has choices: some of them, in the order of their declaration,
/// each once.
using ChosenWords = std::vector<std::string>;

struct OptionGroupContent;

/// The value of an option that is an object with options of its own, all of them filled in.
struct OptionGroup {
  std::shared_ptr<const OptionGroupContent> content;  ///< shared: options are copied to every point

  bool operator==(const OptionGroup& other) const;
};

/// A checked value of an option; monostate is JSON's null.
using OptionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>,
                 OptionGroup, TaskTreeInput, FaultCountsInput, FaultTraceInput>;

/// The checked options of one component by name, with defaults filled in.
using OptionValues = std::map<std::string, OptionValue>;

/// What an OptionGroup holds.
struct OptionGroupContent {
  OptionValues values;
};

/// The value of an option with options of its own.
inline OptionGroup option_group(OptionValues values) {
  return {std::make_shared<const OptionGroupContent>(OptionGroupContent{std::move(values)})};
}

/// The type of an option's value. The last three are names of files; how each is read is declared
/// in sim/json/file_option.hpp.
enum class OptionKind {
  boolean,
  integer,
  number,
  text,
  texts,
  group,  ///< an object with options of its own
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
  std::string source{};              ///< paper and section, or where the default comes from
  bool awaits_message = false;       ///< after so long, what has not come is taken for lost
  std::vector<OptionSpec> fields{};  ///< of a group: its options
};

/// What the declaration of an option says besides its name and type. A size, whose unit is "B", is
/// at most kLargestSize_B unless its maximum is stated.
struct OptionNotes {
  std::string doc{};
  std::string unit{};
  std::string source{};
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;
  bool required = false;
  std::vector<std::string> choices{};
  bool awaits_message = false;
};

template <class Struct>
class OptionSet;

namespace detail {

/// A struct that declares its options itself, so that it can be the value of one.
template <class T>
concept DeclaresOptions = requires {
  { T::options() } -> std::same_as<const OptionSet<T>&>;
};

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

/// An integer of any width, but no truth value.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool>;

template <class T>
constexpr OptionKind option_kind() {
  if constexpr (std::same_as<T, bool>) return OptionKind::boolean;
  if constexpr (std::integral<T>) return OptionKind::integer;
  if constexpr (std::floating_point<T>) return OptionKind::number;
  if constexpr (std::same_as<T, std::vector<std::string>>) return OptionKind::texts;
  if constexpr (DeclaresOptions<T>) return OptionKind::group;
  if constexpr (std::same_as<T, TaskTreeInput>) return OptionKind::task_tree;
  if constexpr (std::same_as<T, FaultCountsInput>) return OptionKind::fault_counts;
  if constexpr (std::same_as<T, FaultTraceInput>) return OptionKind::fault_trace;
  return OptionKind::text;
}

// From a member of a struct to the value of an option, and back. What can be is compiled once, in
// options.cpp, and not with every component.
void to_option(bool value, OptionValue& option);
void to_option(std::int64_t value, OptionValue& option);
void to_option(double value, OptionValue& option);
void to_option(const std::string& value, OptionValue& option);
void to_option(const std::vector<std::string>& value, OptionValue& option);
void to_option(const TaskTreeInput& value, OptionValue& option);
void to_option(const FaultCountsInput& value, OptionValue& option);
void to_option(const FaultTraceInput& value, OptionValue& option);
template <WholeNumber T>
void to_option(T value, OptionValue& option) {
  to_option(static_cast<std::int64_t>(value), option);
}
template <class T>
void to_option(const std::optional<T>& value, OptionValue& option) {
  if (value) to_option(*value, option);
}

[[nodiscard]] bool is_null(const OptionValue& option);
[[nodiscard]] std::int64_t whole(const OptionValue& option);
void from_option(const OptionValue& option, bool& value);
void from_option(const OptionValue& option, double& value);
void from_option(const OptionValue& option, std::string& value);
void from_option(const OptionValue& option, std::vector<std::string>& value);
void from_option(const OptionValue& option, TaskTreeInput& value);
void from_option(const OptionValue& option, FaultCountsInput& value);
void from_option(const OptionValue& option, FaultTraceInput& value);
template <WholeNumber T>
void from_option(const OptionValue& option, T& value) {
  value = static_cast<T>(whole(option));
}
template <DeclaresOptions T>
void from_option(const OptionValue& option, T& value) {
  value = T::options().read(std::get<OptionGroup>(option).content->values);
}
template <class T>
void from_option(const OptionValue& option, std::optional<T>& value) {
  if (is_null(option))
    value.reset();
  else
    from_option(option, value.emplace());
}

/// The options of a struct, whichever it is.
class OptionList {
 public:
  /// Puts a value into its member of the struct.
  using Setter = std::function<void(void* target, const OptionValue& value)>;

  OptionList();
  OptionList(const OptionList&);
  OptionList(OptionList&&) noexcept;
  OptionList& operator=(const OptionList&);
  OptionList& operator=(OptionList&&) noexcept;
  ~OptionList();

  /// Adds the declaration of an option, without its default.
  OptionSpec& add(const std::string& name, OptionKind kind, const OptionNotes& notes,
                  Setter setter);
  void read(void* target, const OptionValues& values) const;
  [[nodiscard]] const std::vector<OptionSpec>& specs() const { return specs_; }
  /// Copies the declarations into `specs`.
  void copy_to(std::vector<OptionSpec>& specs) const;

 private:
  std::vector<OptionSpec> specs_;
  std::vector<Setter> setters_;
};

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
    OptionSpec& spec =
        list_.add(name, detail::option_kind<typename Type::Value>(), notes,
                  [member](void* target, const OptionValue& value) {
                    detail::from_option(value, static_cast<Struct*>(target)->*member);
                  });
    spec.nullable = Type::nullable;
    if constexpr (detail::DeclaresOptions<typename Type::Value>) {
      static_assert(Type::nullable, "a group of options is null unless it is given");
      spec.fields = Type::Value::options().specs();
    } else {
      detail::to_option(Struct{}.*member, spec.default_value);
    }
    if constexpr (detail::WholeNumber<typename Type::Value>) {
      if constexpr (std::unsigned_integral<typename Type::Value>)
        spec.minimum = std::fmax(spec.minimum, 0.0);
      spec.maximum = std::fmin(spec.maximum, largest<typename Type::Value>());
      if (notes.unit == "B" && std::isinf(notes.maximum))
        spec.maximum = std::fmin(spec.maximum, kLargestSize_B);
    }
    return *this;
  }

  [[nodiscard]] const std::vector<OptionSpec>& specs() const { return list_.specs(); }
  void copy_to(std::vector<OptionSpec>& specs) const { list_.copy_to(specs); }

  /// A struct with its members set from checked values, which must include every declared option.
  [[nodiscard]] Struct read(const OptionValues& values) const {
    Struct result{};
    list_.read(&result, values);
    return result;
  }

 private:
  template <class T>
  static double largest() {
    // JSON readers of other languages do not keep every integer above 2^53.
    return std::fmin(static_cast<double>(std::numeric_limits<T>::max()), 9007199254740992.0);
  }

  detail::OptionList list_;
};

}  // namespace faultline

// Made once, in options.cpp.
extern template class std::vector<faultline::OptionSpec>;
