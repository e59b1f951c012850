// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "sim/json/json_value.hpp"

namespace faultline::json {

/// A key of an object or an index of a list.
using JsonStep = std::variant<std::string, std::size_t>;

/// A place in a JSON tree, as the steps from its root.
using JsonPath = std::vector<JsonStep>;

/// Splits a text such as `faults.at[0].time_s`. Returns an empty path if the text is not a path, or
/// is deeper than a scenario may nest.
JsonPath split_path(const std::string& text);

/// The text of a path, as messages show it.
std::string path_text(const JsonPath& path);

/// True if `path` is the same place as `parent` or lies inside it.
bool is_within(const JsonPath& path, const JsonPath& parent);

/// The value at a path, or null if the tree has none there.
const JsonValue* find_at(const JsonValue& root, const JsonPath& path);

/// Sets the value at a path. Missing objects are created, and an index one past a list's end
/// appends. Returns "", or the reason why the path does not fit the tree; the tree may then be
/// partly changed.
std::string set_at(JsonValue& root, const JsonPath& path, JsonValue value);

}  // namespace faultline::json
