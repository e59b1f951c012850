// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/runs/exit_code.hpp"
#include "analysis/text/shell_words.hpp"
#include "cli/verbs.hpp"
#include "cli/visible_output.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::cli {
namespace {

void print_verb(const char* name, const char* summary) {
  std::cout << "  " << std::left << std::setw(10) << name << " " << summary << "\n";
}

/// The commands in this help work as printed, from any directory.
void print_help() {
  std::cout << "Faultline simulates the fault-tolerance protocols of HPC runtimes.\n\n"
               "Three commands to begin with:\n"
               "  faultline survival --processes 1024\n"
               "  faultline list protocols\n"
               "  faultline run "
            << text::shell_word(
                   (data_directory() / "examples" / "token-ring-intrepid.json").string())
            << "\n\nVerbs (faultline VERB --help lists its options):\n";
  for (const Verb& verb : verbs()) print_verb(verb.name, verb.summary);
  print_verb("--version", "the versions of Faultline and SimGrid");
}

void print_version() {
  const std::string simgrid = engine::simgrid_version();
  std::cout << "faultline " << version() << "\nSimGrid "
            << (simgrid.empty() ? "not built in" : simgrid) << "\n";
}

int answer(const Verb& verb, const std::vector<std::string>& arguments) {
  VisibleOutput output(std::cout);
  std::ostream out(&output);
  const int code = carry_out(verb, arguments, out);
  out.flush();
  return code;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help();
    return runs::kExitGood;
  }
  if (words[0] == "--version" || words[0] == "-V") {
    print_version();
    return runs::kExitGood;
  }
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    if (words[0] == verb.name) return answer(verb, {words.begin() + 1, words.end()});
    names.emplace_back(verb.name);
  }
  throw UsageError("unknown verb " + json::in_quotes(words[0]) + json::suggestion(words[0], names) +
                   " (faultline --help lists them)");
}

/// Why standard output cannot be written. errno may have changed since the failure, so this tries
/// to write again.
std::string why_no_output(int last_error) {
  const int error = write(STDOUT_FILENO, "", 0) < 0 ? errno : last_error;
  return error == 0 ? "" : ": " + std::string(std::strerror(error));
}

int guarded(const std::vector<std::string>& words) {
  try {
    const int code = dispatch(words);
    std::cout.flush();
    if (!std::cout) throw RunError("standard output cannot be written" + why_no_output(errno));
    return code;
  } catch (const UsageError& error) {
    complain(error.what());
    return runs::kExitUsage;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const RunError& error) {
    complain(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    complain((path.empty() ? "" : path + ": ") + error.code().message());
  } catch (const std::system_error& error) {
    complain("the system reports an error: " + error.code().message());
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
  }
  return runs::kExitRun;
}

/// Opens something that cannot be written in place of closed standard streams. Otherwise the first
/// file that is opened would get the number of standard output, and everything that is printed.
void occupy_standard_streams() {
  int file = open("/dev/null", O_RDONLY);
  while (file >= 0 && file <= STDERR_FILENO) file = dup(file);
  if (file > STDERR_FILENO) close(file);
}

}  // namespace
}  // namespace faultline::cli

int main(int argc, char** argv) {
  faultline::cli::occupy_standard_streams();
  faultline::end_cleanly_on_signals();
  return faultline::cli::guarded(std::vector<std::string>(argv + 1, argv + argc));
}
