#include "sim/cli/validate.hpp"

#include <ostream>

#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/study.hpp"

namespace faultline {
namespace {

void validate_file(const std::string& file, std::ostream& out) {
  const FileMemo files;  // to see what kind it is and to read it are two uses of one pipe
  if (is_reproduction_item(file)) {
    const std::size_t cells = read_reproduction_item(file).cells.size();
    out << file << ": valid, " << cells << (cells == 1 ? " cell\n" : " cells\n");
    return;
  }
  const Study study = load_study(file);
  for (const std::string& note : study.notes) complain(note);
  const std::size_t points = study.points.size();
  out << file << ": valid, " << points << (points == 1 ? " point\n" : " points\n");
}

}  // namespace

VerbOptions validate_options() {
  VerbOptions verb{
      .verb = "validate",
      .usage = "validate FILE...",
      .about =
          "Checks scenario files, and the data files of reproduce, without running them: syntax, "
          "keys, values, units, combinations, and whether the job fits on its machine. Prints "
          "every error of every file. Exit code: 0 if all are valid, 2 otherwise."};
  verb.hidden.add_options()("files", boost::program_options::value<std::vector<std::string>>());
  verb.positional.add("files", -1);
  return verb;
}

int validate_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = validate_options();
  const auto values = parse_options(verb, arguments);
  if (values.count("help") != 0) {
    out << help_text(verb);
    return 0;
  }
  if (values.count("files") == 0)
    throw UsageError("validate: expected at least one file (usage: faultline validate FILE...)");
  std::string errors;
  for (const std::string& file : values["files"].as<std::vector<std::string>>()) {
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
