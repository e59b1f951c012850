#include "sim/cli/verbs.hpp"

#include "sim/cli/bench.hpp"
#include "sim/cli/compare.hpp"
#include "sim/cli/completion.hpp"
#include "sim/cli/faults.hpp"
#include "sim/cli/faults_generate.hpp"
#include "sim/cli/faults_summarize.hpp"
#include "sim/cli/list.hpp"
#include "sim/cli/manual.hpp"
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

namespace faultline {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"run", "simulate a scenario file", run_options, run_verb},
      {"trace", "one run as a picture, or for Perfetto and Paje", trace_options, trace_verb},
      {"sweep", "simulate every point of a scenario's sweep, into a store", sweep_options,
       sweep_verb},
      {"query", "means and intervals of what a store has", query_options, query_verb},
      {"compare", "which protocol wins where, by paired differences", compare_options,
       compare_verb},
      {"report", "a store or a reproduction as one HTML page with charts", report_options,
       report_verb},
      {"merge", "join the stores of the parts of a study", merge_options, merge_verb},
      {"validate", "check scenario files without running them", validate_options, validate_verb},
      {"list", "protocols, workloads, machines, engines, faults and their options", list_options,
       list_verb},
      {"schema", "the JSON Schema of scenario files", schema_options, schema_verb},
      {"reproduce", "the tables of a paper, cell by cell", reproduce_options, reproduce_verb},
      {"survival", "closed forms of survival under a machine's fault distribution",
       survival_options, survival_verb},
      {"faults",
       "summaries of failure traces, and traces from models",
       faults_options,
       faults_verb,
       {summarize_options, generate_options}},
      {"step-model", "control messages on a task tree, by the rules of a paper", step_model_options,
       step_model_verb},
      {"tree", "draw a random task tree", tree_options, tree_verb},
      {"bench", "messages per second, beside a bare event queue", bench_options, bench_verb},
      {"completion", "what bash or zsh needs to complete these words", completion_options,
       completion_verb},
      {"man", "this as a manual page", man_options, man_verb},
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
