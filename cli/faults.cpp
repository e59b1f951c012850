// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

namespace faultline::cli {
namespace {

VerbOptions faults_options() {
  VerbOptions verb{
      .verb = "faults",
      .usage =
          "faults summarize FILE [options]\n"
          "       faultline faults generate SOURCE [KEY=VALUE]... --nodes N --duration S\n\n"
          "summarize  reports how many failures a trace has, how many nodes fail together,\n"
          "           and the laws that fit the times between them\n"
          "generate   writes the faults of a source as a trace, which a scenario can read",
      .about =
          "Each has its own --help. faultline list faults lists the sources of faults and their "
          "options."};
  verb.hidden.add_options()("part", boost::program_options::value<std::string>());
  verb.positional.add("part", 1);
  verb.choices["part"] = only({"summarize", "generate"});
  return verb;
}

}  // namespace

Verb faults_verb() {
  return {.name = "faults",
          .summary = "summarize failure traces, or generate traces from models",
          .options = faults_options,
          .parts = {faults_summarize_verb(), faults_generate_verb()}};
}

}  // namespace faultline::cli
