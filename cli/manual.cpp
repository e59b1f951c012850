// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>

#include "sim/core/version.hpp"

namespace faultline::cli {

namespace {

/// Escapes text for roff: nothing in it is a command, and a copied minus is a minus.
std::string roff(const std::string& text) {
  std::string safe;
  safe.reserve(text.size());
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) safe += "\\&";
    if (letter == '\\')
      safe += "\\e";
    else if (letter == '-')
      safe += "\\-";
    else
      safe += letter;
    line_begins = letter == '\n';
  }
  return safe;
}

std::string verbatim(const std::string& text) { return ".nf\n" + roff(text) + "\n.fi\n"; }

std::string option_text(const boost::program_options::option_description& option) {
  std::string text = ".TP\n.B " + roff("--" + option.long_name());
  if (option.semantic()->max_tokens() > 0) text += " " + roff(option.semantic()->name());
  return text + "\n" + roff(option.description()) + "\n";
}

/// The section of a verb. A usage can have several parts, separated by blank lines.
std::string verb_text(const VerbOptions& verb) {
  std::string text = ".SS " + roff(verb.verb) + "\n";
  text += verbatim("faultline " + verb.usage);
  if (!verb.about.empty()) text += ".PP\n" + roff(verb.about) + "\n";
  for (const auto& option : verb.options.options()) text += option_text(*option);
  return text;
}

constexpr const char* kIntroduction = R"(" "User Commands"
.SH NAME
faultline \- simulates the fault\-tolerance protocols of HPC runtimes
.SH SYNOPSIS
.B faultline
.I VERB
.RI [ argument ...]
.br
.B faultline
.I VERB
.B \-\-help
.br
.B faultline \-\-version
.SH DESCRIPTION
Runs fault\-tolerance protocols on models of real machines, under faults, and compares the results
with the papers that introduced the protocols.
)";

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nEvery run ended as terminated, finished, fatal\\-reported or all\\-failed.\n"
    ".TP\n.B 1\nA crash, lack of memory, or a limit of the scenario stopped something.\n"
    ".TP\n.B 2\nThe command line or a file is wrong; nothing was written.\n"
    ".TP\n.B 3\nA run broke a promise, or a cell of\n.B reproduce\nis not as expected.\n"
    ".TP\n.B 130\nInterrupted.\n.B run\nreports what had finished, and\n.B sweep\nkeeps it.\n";

constexpr const char* kRest =
    ".SH ENVIRONMENT\n"
    ".TP\n.B FAULTLINE_DATA\nThe directory of the shipped scenarios and machines, instead of the "
    "one beside the program.\n"
    ".SH FILES\n"
    ".TP\n.I ../share/faultline/scenarios\nRelative to the program: scenarios to run, "
    "machines, and a folder for each paper.\n"
    ".TP\n.I ../share/doc/faultline/docs\nWhat a scenario can contain, what the program prints, "
    "and a page for each protocol.\n";

std::string manual() {
  std::string text = R"(.TH FAULTLINE 1 "" "Faultline )" + std::string(version()) + kIntroduction;
  for (const Verb& verb : verbs())
    text += ".TP\n.B " + roff(verb.name) + "\n" + roff(verb.summary) + "\n";
  text += ".SH VERBS\n";
  for (const VerbOptions& verb : commands()) text += verb_text(verb);
  return text + kExitStatus + kRest;
}

VerbOptions man_options() {
  return {.verb = "man",
          .usage = "man",
          .about = "Writes the manual page: faultline man > faultline.1; man ./faultline.1"};
}

int carry_out_man(const Call& call) {
  call.out << manual();
  return 0;
}

}  // namespace

Verb man_verb() {
  return {.name = "man",
          .summary = "print the manual page",
          .options = man_options,
          .run = carry_out_man};
}

}  // namespace faultline::cli
