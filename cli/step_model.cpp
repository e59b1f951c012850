// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "analysis/theory/step_model_report.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/task_tree_file.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

constexpr std::uint32_t kMostModelProcesses = std::uint32_t{1} << 24U;

struct StepModelRequest {
  std::string tree;
  theory::StepModelChoices choices;  ///< an empty mapping means that the user did not choose one
  std::string format;
};

/// The words between commas. A repeated word is refused: it would give two equal lines in the
/// result.
std::vector<std::string> split(const std::string& option, std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    if (std::find(words.begin(), words.end(), word) != words.end())
      throw UsageError(option + ": " + json::in_quotes(word) + " is named twice");
    words.push_back(word);
    begin = end + 1;
  }
  return words;
}

StepModelRequest step_model_request(const po::variables_map& values) {
  const auto named = [](const char* option) { return "step-model: --" + std::string(option); };
  const auto text = [&](const char* option) { return values[option].as<std::string>(); };
  StepModelRequest request;
  theory::StepModelChoices& choices = request.choices;
  for (const char* required : {"tree", "processes"})
    if (values.count(required) == 0) throw UsageError(named(required) + ": missing");
  request.tree = text("tree");
  for (const std::string& word : split(named("processes"), text("processes")))
    choices.processes.push_back(
        static_cast<std::uint32_t>(whole_number(named("processes"), word, 1, kMostModelProcesses)));
  for (const std::string& word : split(named("activity"), text("activity")))
    choices.activities.push_back(one_of(named("activity"), word, theory::step_activity_words()));
  for (const std::string& word : split(named("rules"), text("rules")))
    choices.rules.push_back(one_of(named("rules"), word, theory::step_rules_words()));
  if (values.count("mapping") != 0) choices.mapping = text("mapping");
  choices.seed = whole_number(named("seed"), text("seed"), 0, kLargestSeed);
  choices.initial_credit = whole_number(named("initial-credit"), text("initial-credit"), 1,
                                        theory::kMostStepInitialCredit);
  request.format = text("format");
  return request;
}

/// Chooses the default mapping, and refuses a mapping that the file does not allow.
void settle_mapping(theory::StepModelChoices& choices, const TaskTreeFile& file) {
  if (choices.mapping.empty()) choices.mapping = file.ranks.empty() ? "round-robin" : "file";
  if (choices.mapping != "file") return;
  if (file.ranks.empty())
    throw UsageError(file.file +
                     ": ranks: missing, expected the rank of every task for --mapping "
                     "file");
  scenario::require_ranks_below(
      file, *std::min_element(choices.processes.begin(), choices.processes.end()));
}

VerbOptions step_model_options() {
  VerbOptions verb{
      .verb = "step-model",
      .usage =
          "step-model --tree FILE --processes P[,P...]\n"
          "       [--activity instant|local|load] [--rules literal|resolved]\n"
          "       [--mapping round-robin|random|file] [--seed N]\n"
          "       [--initial-credit C] [--format table|json|csv]\n\n"
          "Counts the control messages of four termination detectors on the steps of a\n"
          "task tree by the rules of termination-2022 section 5.2. No protocol runs.\n"
          "faultline tree writes such trees."};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("tree", text("FILE"), R"(JSON: {"parents": [null, 0, 0, ...], "ranks": [...]})");
  add("processes", text("P,P..."), "numbers of processes, 1 to 16777216");
  add("activity", text("A,A...")->default_value("instant,local,load"),
      "what a process does between two active steps");
  add("rules", text("R,R...")->default_value("literal,resolved"),
      "as printed, or resolved so that they reproduce the paper's Table 1");
  add("mapping", text("M"),
      "round-robin, random or file (the ranks in the tree's file); default: file where it has "
      "ranks, else round-robin");
  add("seed", text("N")->default_value("1"), "seed of the random mapping, 0 to 2^53");
  add("initial-credit", text("C")->default_value(std::to_string(theory::kStepInitialCredit)),
      "initial credit of hcda and cda, 1 to 2^36");
  add_format(verb, {"table", "json", "csv"});
  verb.choices["activity"] = such_as(theory::step_activity_words);
  verb.choices["rules"] = such_as(theory::step_rules_words);
  verb.choices["mapping"] = only({"round-robin", "random", "file"});
  return verb;
}

int carry_out_step_model(const Call& call) {
  const po::variables_map& values = call.values;
  StepModelRequest request = step_model_request(values);
  const TaskTreeFile file = scenario::read_task_tree(request.tree);
  settle_mapping(request.choices, file);
  const std::vector<theory::StepModelRow> rows = theory::step_model_rows(request.choices, file);
  if (request.format == "json")
    call.out << theory::step_model_json(rows);
  else if (request.format == "csv")
    call.out << theory::step_model_csv(rows);
  else
    call.out << theory::step_model_table(request.choices, file, rows);
  return 0;
}

}  // namespace

Verb step_model_verb() {
  return {.name = "step-model",
          .summary = "count control messages on a task tree by a paper's rules",
          .options = step_model_options,
          .run = carry_out_step_model};
}

}  // namespace faultline::cli
