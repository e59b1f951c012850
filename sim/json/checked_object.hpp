// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::json {

/// What a value of this option must be, in words: "an integer of at least 1, in bytes".
std::string expectation(const OptionSpec& spec);

/// A unit in words: "seconds" for "s". An unknown unit is returned as it is.
std::string unit_in_words(const std::string& unit);

/// Reads one value as its declaration demands. If it is wrong, adds a problem and returns the
/// default, or any value of the right kind if there is no default.
OptionValue read_option(const JsonValue& value, const OptionSpec& spec, const std::string& path,
                        Problems& problems);

/// Reads a list of different integers from 0 to `end` - 1, such as ranks or nodes. `what` names
/// them in messages. `end` is kNobody if the job's size is not known.
std::vector<std::uint32_t> read_ids(const JsonValue& value, const std::string& path,
                                    std::uint32_t end, const std::string& what, Problems& problems);

/// The keys that data files of every kind begin with: `schema_version`, `name`, `description`.
std::vector<OptionSpec> file_head();

/// Reads a JSON object key by key. A key that was never asked for is a problem.
class CheckedObject {
 public:
  /// If the value is not an object, that is a problem, and this reads as an empty object. `value`
  /// and `problems` must outlive this.
  CheckedObject(const JsonValue& value, std::string path, Problems& problems);

  /// The member with that key, unchecked, or null. The key counts as asked for.
  const JsonValue* child(const std::string& key);

  /// All declared options, with defaults filled in. A missing required option is a problem.
  OptionValues options(const std::vector<OptionSpec>& specs);

  /// Adds a problem for each key that was not asked for, and suggests what was probably meant.
  void finish();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_object() const { return object_ != nullptr; }

 private:
  struct Known {
    std::string name;
    std::string unit;
  };

  [[nodiscard]] std::string unknown_key(const std::string& key) const;
  void add_notes(const std::vector<OptionSpec>& specs, const OptionValues& values);

  const JsonValue* object_ = nullptr;
  std::string path_;
  Problems& problems_;
  std::vector<Known> known_;
};

}  // namespace faultline::json
