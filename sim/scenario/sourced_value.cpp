// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/sourced_value.hpp"

#include <variant>

#include "sim/json/checked_object.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/declarations.hpp"

namespace faultline::scenario {

OptionValue read_sourced(const json::JsonValue& value, const OptionSpec& spec,
                         const std::string& path, json::Problems& problems) {
  json::CheckedObject object(value, path, problems);
  OptionSpec bare = spec;
  bare.name = "value";
  bare.required = true;
  const OptionSpec unit{.name = "unit", .required = true, .choices = {spec.unit}};
  const OptionSpec status{.name = "status", .required = true, .choices = value_statuses()};
  const OptionSpec source{.name = "source", .required = true};
  const OptionValues values = object.options({bare, unit, status, source});
  if (object.child("source") != nullptr && std::get<std::string>(values.at("source")).empty())
    problems.add(json::member_path(path, "source"),
                 "is empty, expected where the value comes from");
  object.finish();
  check_time(values.at("value"), spec, json::member_path(path, "value"), problems);
  return values.at("value");
}

void check_time(const OptionValue& value, const OptionSpec& spec, const std::string& path,
                json::Problems& problems) {
  constexpr double kLeast_s = 1e-15;
  const auto* time_s = std::get_if<double>(&value);
  if (spec.unit == "s" && time_s != nullptr && *time_s > 0 && *time_s < kLeast_s)
    problems.add(path, "expected 0, or at least " + json::shortest(kLeast_s) +
                           " seconds, in which light crosses 0.3 micrometres, "
                           "got " +
                           json::shortest(*time_s));
}

}  // namespace faultline::scenario
