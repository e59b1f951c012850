// SPDX-License-Identifier: Apache-2.0
#include "cli/faults.hpp"

#include <ostream>

#include "cli/faults_generate.hpp"
#include "cli/faults_summarize.hpp"
#include "cli/options.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

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

int faults_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  if (arguments.empty())
    throw UsageError("faults: expected summarize or generate (see faultline faults --help)");
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    out << help_text(faults_options());
    return 0;
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const std::string what =
      one_of("faults", arguments[0], faults_options().choices.at("part").words());
  return what == "summarize" ? faults_summarize(rest, out) : faults_generate(rest, out);
}

}  // namespace faultline
