#include "sim/cli/validate.hpp"

#include <iostream>
#include <ostream>

#include "analysis/reproduction_item.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/problems.hpp"
#include "sim/scenario/study.hpp"

namespace faultline {
namespace {

constexpr const char* kUsage =
    "usage: faultline validate FILE...\n\n"
    "Checks scenario files, and the data files of `reproduce`, without running\n"
    "them: syntax, keys, values, units, combinations, and whether the job fits on\n"
    "its machine. Prints every error of every file.\n"
    "Exit code: 0 all valid, 2 otherwise.\n";

void validate_file(const std::string& file, std::ostream& out) {
  if (is_reproduction_item(file)) {
    const std::size_t cells = read_reproduction_item(file).cells.size();
    out << file << ": valid, " << cells << (cells == 1 ? " cell\n" : " cells\n");
    return;
  }
  const Study study = load_study(file);
  for (const std::string& note : study.notes) std::cerr << "faultline: " << note << "\n";
  const std::size_t points = study.points.size();
  out << file << ": valid, " << points << (points == 1 ? " point\n" : " points\n");
}

}  // namespace

int validate_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  std::vector<std::string> files;
  bool options_end = false;
  for (const std::string& argument : arguments) {
    const bool option = !options_end && argument.size() > 1 && argument[0] == '-';
    if (option && (argument == "--help" || argument == "-h")) {
      out << kUsage;
      return 0;
    }
    if (option && argument == "--") {
      options_end = true;
    } else if (option) {
      throw UsageError("validate: unknown option " + in_quotes(argument) +
                       ", expected files (usage: faultline validate FILE...)");
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty())
    throw UsageError("validate: expected at least one file (usage: faultline validate FILE...)");
  std::string errors;
  for (const std::string& file : files) {
    try {
      validate_file(file, out);
    } catch (const UsageError& error) {
      errors += (errors.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  out.flush();
  if (!errors.empty()) throw UsageError(errors);
  return 0;
}

}  // namespace faultline
