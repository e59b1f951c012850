#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "analysis/replications.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/cli/visible_output.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {
namespace {

/// The commands work as they are printed, from any directory.
void print_help() {
  std::cout << "Faultline simulates the fault-tolerance protocols of HPC runtimes.\n\n"
               "Three commands to begin with:\n"
               "  faultline survival --processes 1024\n"
               "  faultline list protocols\n"
               "  faultline run "
            << (data_directory() / "examples" / "token-ring-intrepid.json").string()
            << "\n\nVerbs (faultline VERB --help tells more):\n";
  std::cout.flush();
  for (const Verb& verb : verbs()) std::printf("  %-10s %s\n", verb.name, verb.summary);
  std::printf("  %-10s %s\n", "--version", "the versions of Faultline and SimGrid");
}

void print_version() {
  const std::string simgrid = simgrid_version();
  std::cout << "faultline " << version() << "\nSimGrid "
            << (simgrid.empty() ? "not built in" : simgrid) << "\n";
}

int carry_out(const Verb& verb, const std::vector<std::string>& arguments) {
  VisibleOutput output(std::cout);
  std::ostream out(&output);
  const int code = verb.run(arguments, out);
  out.flush();
  return code;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help();
    return kExitGood;
  }
  if (words[0] == "--version" || words[0] == "-V") {
    print_version();
    return kExitGood;
  }
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    if (words[0] == verb.name) return carry_out(verb, {words.begin() + 1, words.end()});
    names.emplace_back(verb.name);
  }
  throw UsageError("unknown verb " + in_quotes(words[0]) + suggestion(words[0], names) +
                   " (faultline alone lists them)");
}

int guarded(const std::vector<std::string>& words) {
  try {
    set_scenario_backends(scenario_backends_of_this_build());
    const int code = dispatch(words);
    std::cout.flush();
    if (!std::cout)
      throw RunError("standard output cannot be written: " + std::string(std::strerror(errno)));
    return code;
  } catch (const UsageError& error) {
    complain(error.what());
    return kExitUsage;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const RunError& error) {
    complain(error.what());
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
  }
  return kExitRun;
}

}  // namespace
}  // namespace faultline

int main(int argc, char** argv) {
  return faultline::guarded(std::vector<std::string>(argv + 1, argv + argc));
}
