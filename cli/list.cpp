// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>

#include "cli/list_stacks.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/listing.hpp"

namespace faultline::cli {
namespace {

constexpr const char* kStacksSection = "stacks";

VerbOptions list_options() {
  VerbOptions verb{
      .verb = "list",
      .usage =
          "list [protocols|workloads|machines|engines|faults|metrics]\n"
          "       [--format table|json]\n"
          "       faultline list stacks [FILE] [--format table|json|csv]",
      .about =
          "Lists what a scenario can name, and with `metrics` what a result can have. If "
          "you name a section, its options are listed too. The json format has "
          "everything: options with units, ranges, defaults and sources, message "
          "kinds, and metrics. `stacks` shows which programs and detectors work above "
          "which recovery, and why others do not: where processes die, or in the "
          "scenario of FILE."};
  namespace po = boost::program_options;
  add_format(verb, {"table", "json", "csv"});
  verb.hidden.add_options()("section", po::value<std::string>())("file", po::value<std::string>());
  verb.positional.add("section", 1).add("file", 1);
  std::vector<std::string> sections = scenario::listing_sections();
  sections.emplace_back(kStacksSection);
  verb.choices["section"] = only(sections);
  return verb;
}

/// What other sections than `stacks` do not take.
void refuse_what_is_for_stacks(const Call& call) {
  if (call.values.count("file") != 0)
    throw UsageError("list: unexpected word " +
                     json::in_quotes(call.values["file"].as<std::string>()) +
                     ": only the section stacks takes a file (see faultline list --help)");
  if (call.values["format"].as<std::string>() == "csv")
    throw UsageError(
        "list: --format: expected table or json, got \"csv\"; only the section "
        "stacks has csv");
}

int carry_out_list(const Call& call) {
  const auto& values = call.values;
  const bool whole = values.count("section") == 0;
  if (!whole && values["section"].as<std::string>() == kStacksSection) {
    call.out << stacks_listing(values["format"].as<std::string>(), text_of(values, "file"));
    return 0;
  }
  refuse_what_is_for_stacks(call);
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
          .summary = "list what a scenario can name, and what works above what",
          .options = list_options,
          .run = carry_out_list};
}

}  // namespace faultline::cli
