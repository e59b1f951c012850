// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>

#include "analysis/runs/exit_code.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::cli {
namespace {

VerbOptions schema_options() {
  VerbOptions verb{.verb = "schema",
                   .usage = "schema [--format json|markdown]",
                   .about =
                       "Describes what a scenario file can contain, from the declarations of every "
                       "protocol and workload: as JSON Schema (draft 2020-12), in which "
                       "#/$defs/machine describes machine files, or as a page to read."};
  verb.options.add_options()(
      "format",
      boost::program_options::value<std::string>()->default_value("json")->value_name("F"),
      "json or markdown");
  verb.choices["format"] = only({"json", "markdown"});
  return verb;
}

int carry_out_schema(const Call& call) {
  const auto& values = call.values;
  const std::string format = values["format"].as<std::string>();
  call.out << (format == "json" ? scenario::scenario_schema() : scenario::scenario_reference());
  return runs::kExitGood;
}

}  // namespace

Verb schema_verb() {
  return {.name = "schema",
          .summary = "print the JSON Schema of scenario files",
          .options = schema_options,
          .run = carry_out_schema};
}

}  // namespace faultline::cli
