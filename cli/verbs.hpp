// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline::cli {

/// What a verb is called with.
struct Call {
  const VerbOptions& verb;
  const boost::program_options::variables_map& values;  ///< of its options
  const std::vector<std::string>& arguments;            ///< the words after the verb
  std::ostream& out;
};

/// One word of the command line after `faultline`.
struct Verb {
  const char* name;
  const char* summary = "";
  VerbOptions (*options)();
  int (*run)(const Call& call) = nullptr;  ///< returns the exit code; null if the verb has parts
  std::vector<Verb> parts = {};            ///< "generate" of "faults generate"
};

Verb advise_verb();
Verb bench_verb();
Verb calibrate_verb();
Verb compare_verb();
Verb completion_verb();
Verb explore_verb();
Verb faults_generate_verb();
Verb faults_summarize_verb();
Verb faults_verb();
Verb list_verb();
Verb man_verb();
Verb merge_verb();
Verb query_verb();
Verb report_verb();
Verb reproduce_verb();
Verb run_verb();
Verb schema_verb();
Verb search_verb();
Verb step_model_verb();
Verb survival_verb();
Verb sweep_verb();
Verb trace_verb();
Verb tree_verb();
Verb validate_verb();

/// All verbs, in the order in which help shows them.
const std::vector<Verb>& verbs();

/// The options of every verb. Verbs of two words ("faults generate") follow their first word.
std::vector<VerbOptions> commands();

/// Parses the words after a verb and carries it out, or prints its help. Returns the exit code.
/// Throws UsageError if an option, a word or a file is wrong.
int carry_out(const Verb& verb, const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace faultline::cli
