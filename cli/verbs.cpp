// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <ostream>

#include "analysis/runs/exit_code.hpp"
#include "sim/core/error.hpp"

namespace faultline::cli {
namespace {

int carry_out_part(const Verb& verb, const std::vector<std::string>& arguments, std::ostream& out) {
  std::vector<std::string> names;
  for (const Verb& part : verb.parts) names.emplace_back(part.name);
  if (arguments.empty())
    throw UsageError(verb.name + (": expected " + names.front()) + " or " + names.back() +
                     " (see faultline " + verb.name + " --help)");
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    out << help_text(verb.options());
    return runs::kExitGood;
  }
  const std::string name = one_of(verb.name, arguments[0], names);
  const auto part = std::find_if(verb.parts.begin(), verb.parts.end(),
                                 [&name](const Verb& each) { return each.name == name; });
  return carry_out(*part, {arguments.begin() + 1, arguments.end()}, out);
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      run_verb(),        advise_verb(),    trace_verb(),      explore_verb(),   search_verb(),
      sweep_verb(),      query_verb(),     compare_verb(),    report_verb(),    merge_verb(),
      validate_verb(),   list_verb(),      schema_verb(),     reproduce_verb(), survival_verb(),
      faults_verb(),     calibrate_verb(), step_model_verb(), tree_verb(),      bench_verb(),
      completion_verb(), man_verb()};
  return all;
}

std::vector<VerbOptions> commands() {
  std::vector<VerbOptions> all;
  all.reserve(verbs().size());
  for (const Verb& verb : verbs()) {
    all.push_back(verb.options());
    for (const Verb& part : verb.parts) all.push_back(part.options());
  }
  return all;
}

int carry_out(const Verb& verb, const std::vector<std::string>& arguments, std::ostream& out) {
  if (!verb.parts.empty()) return carry_out_part(verb, arguments, out);
  const VerbOptions options = verb.options();
  const auto values = parse_options(options, arguments);
  if (values.count("help") == 0) return verb.run({options, values, arguments, out});
  out << help_text(options);
  return runs::kExitGood;
}

}  // namespace faultline::cli
