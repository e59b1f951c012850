// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>

#include "sim/scenario/listing.hpp"

namespace faultline::cli {
namespace {

VerbOptions list_options() {
  VerbOptions verb{
      .verb = "list",
      .usage =
          "list [protocols|workloads|machines|engines|faults|metrics]\n"
          "       [--format table|json]",
      .about =
          "Lists what a scenario can name, and with `metrics` what a result can have. If "
          "you name a section, its options are listed too. The json format has "
          "everything: options with units, ranges, defaults and sources, message "
          "kinds, and metrics."};
  namespace po = boost::program_options;
  add_format(verb, {"table", "json"});
  verb.hidden.add_options()("section", po::value<std::string>());
  verb.positional.add("section", 1);
  verb.choices["section"] = only(scenario::listing_sections());
  return verb;
}

int carry_out_list(const Call& call) {
  const auto& values = call.values;
  const bool whole = values.count("section") == 0;
  auto shown = whole ? scenario::listing_sections()
                     : std::vector<std::string>{values["section"].as<std::string>()};
  if (values["format"].as<std::string>() == "json") {
    call.out << scenario::listing_json(shown);
    return 0;
  }
  if (whole) std::erase(shown, "metrics");  // no scenario has to name one, and there are many
  call.out << scenario::listing_text(shown, !whole);
  return 0;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .summary = "list protocols, workloads, machines, engines, faults, options",
          .options = list_options,
          .run = carry_out_list};
}

}  // namespace faultline::cli
