// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include "cli/bench.hpp"
#include "cli/compare.hpp"
#include "cli/completion.hpp"
#include "cli/explore.hpp"
#include "cli/faults.hpp"
#include "cli/faults_generate.hpp"
#include "cli/faults_summarize.hpp"
#include "cli/list.hpp"
#include "cli/manual.hpp"
#include "cli/merge.hpp"
#include "cli/query.hpp"
#include "cli/report.hpp"
#include "cli/reproduce.hpp"
#include "cli/run.hpp"
#include "cli/schema.hpp"
#include "cli/search.hpp"
#include "cli/step_model.hpp"
#include "cli/survival.hpp"
#include "cli/sweep.hpp"
#include "cli/trace.hpp"
#include "cli/tree.hpp"
#include "cli/validate.hpp"

namespace faultline {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"run", "simulate a scenario file", run_options, run_verb},
      {"trace", "write one run as a diagram, or for Perfetto or Paje", trace_options, trace_verb},
      {"explore", "check every order of events in a small job, with deaths anywhere",
       explore_options, explore_verb},
      {"search", "draw scenarios that nobody has thought of, and judge their runs", search_options,
       search_verb},
      {"sweep", "simulate every point of a sweep, and store the results", sweep_options,
       sweep_verb},
      {"query", "print means and intervals from a store", query_options, query_verb},
      {"compare", "show which protocol wins where, by paired differences", compare_options,
       compare_verb},
      {"report", "write a store or a reproduction as one HTML page with charts", report_options,
       report_verb},
      {"merge", "join the stores of the parts of a study", merge_options, merge_verb},
      {"validate", "check scenario files without running them", validate_options, validate_verb},
      {"list", "list protocols, workloads, machines, engines, faults, options", list_options,
       list_verb},
      {"schema", "print the JSON Schema of scenario files", schema_options, schema_verb},
      {"reproduce", "measure a paper's tables again, cell by cell", reproduce_options,
       reproduce_verb},
      {"survival", "compute survival of a machine's recorded faults in closed form",
       survival_options, survival_verb},
      {"faults",
       "summarize failure traces, or generate traces from models",
       faults_options,
       faults_verb,
       {summarize_options, generate_options}},
      {"step-model", "count control messages on a task tree by a paper's rules", step_model_options,
       step_model_verb},
      {"tree", "draw a random task tree", tree_options, tree_verb},
      {"bench", "measure messages per second, compared with a bare event queue", bench_options,
       bench_verb},
      {"completion", "print the completion script for bash or zsh", completion_options,
       completion_verb},
      {"man", "print the manual page", man_options, man_verb},
  };
  return all;
}

std::vector<VerbOptions> commands() {
  std::vector<VerbOptions> all;
  all.reserve(verbs().size());
  for (const Verb& verb : verbs()) {
    all.push_back(verb.options());
    for (const auto options : verb.second_words) all.push_back(options());
  }
  return all;
}

}  // namespace faultline
