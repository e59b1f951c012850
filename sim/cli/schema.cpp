#include "sim/cli/schema.hpp"

#include <ostream>

#include "sim/core/error.hpp"
#include "sim/scenario/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

int schema_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      out << "usage: faultline schema\n\n"
             "Prints the JSON Schema (draft 2020-12) of scenario files, from the declarations\n"
             "of every protocol and workload. Machine files are described by #/$defs/machine.\n";
      return 0;
    }
    throw UsageError("schema: unexpected word " + in_quotes(argument) +
                     ", expected none (usage: faultline schema)");
  }
  out << scenario_schema();
  return 0;
}

}  // namespace faultline
