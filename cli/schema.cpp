// SPDX-License-Identifier: Apache-2.0
#include "cli/schema.hpp"

#include <ostream>

#include "analysis/runs/exit_code.hpp"
#include "cli/options.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

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

int schema_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = schema_options();
  const auto values = parse_options(verb, arguments);
  if (values.count("help") != 0) {
    out << help_text(verb);
    return kExitGood;
  }
  const std::string format = values["format"].as<std::string>();
  out << (format == "json" ? scenario_schema() : scenario_reference());
  return kExitGood;
}

}  // namespace faultline
