#pragma once

#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

/// What a value of this option must be: "an integer of at least 1, in bytes".
std::string expectation(const OptionSpec& spec);

/// "seconds" for "s"; an unknown unit is its own word.
std::string unit_in_words(const std::string& unit);

/// Reads one value against its declaration. What is wrong goes to the problems, and the default
/// (or, where there is none, a value of the right kind) is returned.
OptionValue read_option(const JsonValue& value, const OptionSpec& spec, const std::string& path,
                        Problems& problems);

/// Reads a list of non-negative integers below `end` without repetitions (ranks, nodes). `what`
/// says what they number; `end` kNobody means that the job's size is not known.
std::vector<std::uint32_t> read_ids(const JsonValue& value, const std::string& path,
                                    std::uint32_t end, const std::string& what, Problems& problems);

/// What data files of every kind begin with: `schema_version`, `name`, `description`.
std::vector<OptionSpec> file_head();

/// Reads a JSON object key by key; a key that nobody asked for is a problem.
class CheckedObject {
 public:
  /// A value that is no object is a problem, and the object is then empty. Both arguments must
  /// outlive this.
  CheckedObject(const JsonValue& value, std::string path, Problems& problems);

  /// The raw member, or null; the key counts as known.
  const JsonValue* child(const std::string& key);

  /// All declared options with defaults filled in. A missing required one is a problem.
  OptionValues options(const std::vector<OptionSpec>& specs);

  /// Reports the keys that nobody asked for, with the nearest name or unit that was meant.
  void finish();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_object() const { return object_ != nullptr; }

 private:
  struct Known {
    std::string name;
    std::string unit;
  };

  [[nodiscard]] std::string unknown_key(const std::string& key) const;

  const JsonValue* object_ = nullptr;
  std::string path_;
  Problems& problems_;
  std::vector<Known> known_;
};

}  // namespace faultline
