// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/problems.hpp"

namespace faultline::reproduction {

/// Reads the members of an object that `set` declares.
template <class Struct>
Struct read_options(json::CheckedObject& object, const OptionSet<Struct>& set) {
  return set.read(object.options(set.specs()));
}

/// The elements of a list that must exist and must not be empty. If it does not, this adds a
/// problem and returns an empty list.
const json::JsonValue::List& list_of(const json::JsonValue* value, const std::string& path,
                                     json::Problems& problems);

/// The members of an object, which may be missing. Adds a problem if the value is not an object.
const json::JsonValue::Object& object_of(const json::JsonValue* value, const std::string& path,
                                         json::Problems& problems);

/// Reads a list of texts, which must not be empty.
std::vector<std::string> read_texts(const json::JsonValue* value, const std::string& path,
                                    json::Problems& problems);

/// Reads a list of numbers from 0 to the largest Integer, which must not be empty.
template <class Integer>
std::vector<Integer> read_integers(const json::JsonValue* value, const std::string& path,
                                   json::Problems& problems) {
  const OptionSpec spec{.name = "",
                        .kind = OptionKind::integer,
                        .minimum = 0,
                        .maximum = static_cast<double>(std::numeric_limits<Integer>::max())};
  std::vector<Integer> numbers;
  const json::JsonValue::List& list = list_of(value, path, problems);
  numbers.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    numbers.push_back(static_cast<Integer>(std::get<std::int64_t>(
        json::read_option(list[i], spec, json::item_path(path, i), problems))));
  return numbers;
}

}  // namespace faultline::reproduction
