// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/overrides.hpp"

#include <charconv>
#include <system_error>

#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_path.hpp"
#include "sim/json/json_reader.hpp"

namespace faultline::scenario {
namespace {

[[noreturn]] void refuse(const std::string& set, const json::Problems& problems,
                         const std::string& why) {
  throw UsageError(problems.file() + ": --set " + json::in_quotes(set) + ": " + why);
}

/// True for a number beyond the range of a double, which must not be taken for a plain word.
bool is_beyond_double(const std::string& text) {
  double ignored = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ignored);
  return rest == end && error == std::errc::result_out_of_range;
}

json::JsonValue read_value(const std::string& set, const std::string& text,
                           const json::Problems& problems) {
  json::Problems value_problems(problems.file() + ": --set " + json::in_quotes(set));
  const bool structured = text.find_first_of("{[\"") == 0;
  json::JsonValue value;
  try {
    value = json::parse_json(text, value_problems);
  } catch (const UsageError&) {
    if (structured || is_beyond_double(text) || !is_utf8(text)) throw;
    return text;
  }
  value_problems.throw_if_any();
  return value;
}

/// The outermost part of a path that the tree lacks, which setting its value creates; all of the
/// path if it has everything.
json::JsonPath created_part(const json::JsonValue& root, const json::JsonPath& path) {
  json::JsonPath part;
  for (const json::JsonStep& step : path) {
    part.push_back(step);
    if (json::find_at(root, part) == nullptr) break;
  }
  return part;
}

}  // namespace

void apply_set(json::JsonValue& root, const std::string& set, json::Problems& problems) {
  const std::size_t equals = set.find('=');
  if (equals == std::string::npos)
    refuse(set, problems, "expected PATH=VALUE, for instance platform.processes=64");
  const json::JsonPath path = json::split_path(set.substr(0, equals));
  if (path.empty())
    refuse(set, problems, "expected a path such as platform.processes or faults.at[0].time_s");
  json::JsonValue value = read_value(set, set.substr(equals + 1), problems);
  const json::JsonPath created = created_part(root, path);
  const std::string why = json::set_at(root, path, std::move(value));
  if (!why.empty()) refuse(set, problems, why);
  problems.set_origin(json::path_text(created), "from --set " + json::in_quotes(set));
}

}  // namespace faultline::scenario
