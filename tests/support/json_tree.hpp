// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"

namespace faultline::test {

/// The value that a text states as JSON. Throws UsageError if it is none.
inline json::JsonValue tree(const std::string& text) {
  json::Problems problems("tree");
  json::JsonValue value = json::parse_json(text, problems);
  problems.throw_if_any();
  return value;
}

}  // namespace faultline::test
