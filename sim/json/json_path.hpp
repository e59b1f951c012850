#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "sim/json/json_value.hpp"

namespace faultline {

/// A key of an object or an index of a list.
using JsonStep = std::variant<std::string, std::size_t>;

/// A place in a JSON tree.
using JsonPath = std::vector<JsonStep>;

/// Splits `faults.at[0].time_s`; an empty result means that the text is no path, or one deeper than
/// a scenario may nest.
JsonPath split_path(const std::string& text);

/// The text of a path, as messages show it.
std::string path_text(const JsonPath& path);

/// Is `path` the same place as `parent`, or one inside it?
bool is_within(const JsonPath& path, const JsonPath& parent);

/// The value at a path, or null where the tree has none.
const JsonValue* find_at(const JsonValue& root, const JsonPath& path);

/// Sets the value at a path. Objects on the way are made, and an index one past a list's end
/// appends. Returns "", or why the path does not fit the tree, which may then be changed in part.
std::string set_at(JsonValue& root, const JsonPath& path, JsonValue value);

}  // namespace faultline
