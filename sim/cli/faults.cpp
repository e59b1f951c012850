#include "sim/cli/faults.hpp"

#include <ostream>

#include "sim/cli/faults_generate.hpp"
#include "sim/cli/faults_summarize.hpp"
#include "sim/cli/options.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/problems.hpp"

namespace faultline {

namespace {

constexpr const char* kUsage =
    "usage: faultline faults summarize FILE [options]\n"
    "       faultline faults generate SOURCE [KEY=VALUE]... --nodes N --duration S\n\n"
    "summarize  how many failures a trace has, how many nodes fail together, and\n"
    "           the laws that fit the times between them\n"
    "generate   writes a trace of a source's faults, which a scenario reads back\n\n"
    "Each has a --help of its own. The sources of faults in scenarios and their\n"
    "options: faultline list faults.\n";

}  // namespace

int faults_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  if (arguments.empty())
    throw UsageError("faults: expected summarize or generate (faultline faults --help tells more)");
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    out << kUsage;
    return 0;
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const std::string what = one_of("faults", arguments[0], {"summarize", "generate"});
  return what == "summarize" ? faults_summarize(rest, out) : faults_generate(rest, out);
}

}  // namespace faultline
