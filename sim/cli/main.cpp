#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "analysis/replications.hpp"
#include "sim/cli/bench.hpp"
#include "sim/cli/compare.hpp"
#include "sim/cli/faults.hpp"
#include "sim/cli/list.hpp"
#include "sim/cli/merge.hpp"
#include "sim/cli/query.hpp"
#include "sim/cli/report.hpp"
#include "sim/cli/reproduce.hpp"
#include "sim/cli/run.hpp"
#include "sim/cli/schema.hpp"
#include "sim/cli/step_model.hpp"
#include "sim/cli/survival.hpp"
#include "sim/cli/sweep.hpp"
#include "sim/cli/trace.hpp"
#include "sim/cli/tree.hpp"
#include "sim/cli/validate.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/core/version.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {
namespace {

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>&, std::ostream&);
};

constexpr Verb kVerbs[] = {
    {"run", "simulate a scenario file", run_verb},
    {"trace", "one run as a picture, or for Perfetto and Paje", trace_verb},
    {"sweep", "simulate every point of a scenario's sweep, into a store", sweep_verb},
    {"query", "means and intervals of what a store has", query_verb},
    {"compare", "which protocol wins where, by paired differences", compare_verb},
    {"report", "a store or a reproduction as one HTML page with charts", report_verb},
    {"merge", "join the stores of the parts of a study", merge_verb},
    {"validate", "check scenario files without running them", validate_verb},
    {"list", "protocols, workloads, machines, engines, faults and their options", list_verb},
    {"schema", "the JSON Schema of scenario files", schema_verb},
    {"reproduce", "the tables of a paper, cell by cell", reproduce_verb},
    {"survival", "closed forms of survival under a machine's fault distribution", survival_verb},
    {"faults", "summaries of failure traces, and traces from models", faults_verb},
    {"step-model", "control messages on a task tree, by the rules of a paper", step_model_verb},
    {"tree", "draw a random task tree", tree_verb},
    {"bench", "messages per second, beside a bare event queue", bench_verb},
};

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
  for (const Verb& verb : kVerbs) std::printf("  %-10s %s\n", verb.name, verb.summary);
  std::printf("  %-10s %s\n", "--version", "the versions of Faultline and SimGrid");
}

void print_version() {
  const std::string simgrid = simgrid_version();
  std::cout << "faultline " << version() << "\nSimGrid "
            << (simgrid.empty() ? "not built in" : simgrid) << "\n";
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
  for (const Verb& verb : kVerbs) {
    if (words[0] == verb.name) return verb.run({words.begin() + 1, words.end()}, std::cout);
    names.emplace_back(verb.name);
  }
  throw UsageError("unknown verb " + in_quotes(words[0]) + suggestion(words[0], names) +
                   " (faultline alone lists them)");
}

/// Every line of a message names the program, so that it is found in the log of a batch job.
void complain(const std::string& message) {
  std::size_t begin = 0;
  while (begin < message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    std::cerr << "faultline: " << message.substr(begin, end - begin) << "\n";
    begin = end + 1;
  }
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
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kExitRun;
}

}  // namespace
}  // namespace faultline

int main(int argc, char** argv) {
  return faultline::guarded(std::vector<std::string>(argv + 1, argv + argc));
}
