#include "sim/cli/step_model.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "analysis/text/text_table.hpp"
#include "analysis/theory/step_model.hpp"
#include "sim/cli/options.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/task_tree_file.hpp"

namespace faultline {

namespace {

namespace po = boost::program_options;

constexpr std::uint32_t kMostProcesses = std::uint32_t{1} << 24U;
constexpr std::uint64_t kLargestSeed = std::uint64_t{1} << 53U;

constexpr const char* kColumns[] = {"processes", "activity", "rules", "four-counter",
                                    "edod",      "hcda",     "cda"};

struct Request {
  std::string tree;
  std::vector<std::uint32_t> processes;
  std::vector<std::string> activities;
  std::vector<std::string> rules;
  std::string mapping;  ///< "" where it was left open
  std::uint64_t seed = 1;
  std::uint64_t initial_credit = kStepInitialCredit;
  std::string format;
};

/// One line of the result.
struct Row {
  std::uint32_t processes = 1;
  std::string activity;
  std::string rules;
  ControlMessageCounts counts;
};

/// The words between commas. A word that comes twice would make two equal lines of the result.
std::vector<std::string> split(const std::string& option, std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    if (std::find(words.begin(), words.end(), word) != words.end())
      throw UsageError(option + ": " + in_quotes(word) + " is named twice");
    words.push_back(word);
    begin = end + 1;
  }
  return words;
}

std::vector<std::string> activities() { return {"instant", "local", "load"}; }

std::vector<std::string> rule_names() { return {"literal", "resolved"}; }

Request request_of(const po::variables_map& values) {
  const auto named = [](const char* option) { return "step-model: --" + std::string(option); };
  const auto text = [&](const char* option) { return values[option].as<std::string>(); };
  Request request;
  for (const char* required : {"tree", "processes"})
    if (values.count(required) == 0) throw UsageError(named(required) + ": missing");
  request.tree = text("tree");
  for (const std::string& word : split(named("processes"), text("processes")))
    request.processes.push_back(
        static_cast<std::uint32_t>(whole_number(named("processes"), word, 1, kMostProcesses)));
  for (const std::string& word : split(named("activity"), text("activity")))
    request.activities.push_back(one_of(named("activity"), word, activities()));
  for (const std::string& word : split(named("rules"), text("rules")))
    request.rules.push_back(one_of(named("rules"), word, rule_names()));
  if (values.count("mapping") != 0) request.mapping = text("mapping");
  request.seed = whole_number(named("seed"), text("seed"), 0, kLargestSeed);
  request.initial_credit =
      whole_number(named("initial-credit"), text("initial-credit"), 1, kMostStepInitialCredit);
  request.format = text("format");
  return request;
}

/// Settles the mapping and refuses what the file does not allow.
void settle_mapping(Request& request, const TaskTreeFile& file) {
  if (request.mapping.empty()) request.mapping = file.ranks.empty() ? "round-robin" : "file";
  if (request.mapping != "file") return;
  if (file.ranks.empty())
    throw UsageError(file.file +
                     ": ranks: missing, expected the rank of every task for --mapping "
                     "file");
  require_ranks_below(file, *std::min_element(request.processes.begin(), request.processes.end()));
}

std::vector<Rank> ranks_of(const Request& request, const TaskTreeFile& file,
                           std::uint32_t processes) {
  if (request.mapping == "file") return file.ranks;
  if (request.mapping == "round-robin") return round_robin_ranks(file.tree.tasks(), processes);
  return random_ranks(file.tree.tasks(), processes, task_mapping_stream(request.seed, 0));
}

std::vector<Row> count_rows(const Request& request, const TaskTreeFile& file) {
  std::vector<Row> rows;
  rows.reserve(request.processes.size() * request.activities.size() * request.rules.size());
  for (const std::uint32_t processes : request.processes) {
    const std::vector<Rank> ranks = ranks_of(request, file, processes);
    for (const std::string& activity : request.activities) {
      for (const std::string& rules : request.rules) {
        const StepModel model = {
            .processes = processes,
            .activity = activity == "instant" ? StepActivity::instant
                        : activity == "local" ? StepActivity::local
                                              : StepActivity::load,
            .rules = rules == "literal" ? StepRules::literal : StepRules::resolved,
            .initial_credit = request.initial_credit};
        rows.push_back(
            {processes, activity, rules, count_control_messages(model, file.tree, ranks)});
      }
    }
  }
  return rows;
}

std::vector<std::string> cells_of(const Row& row) {
  return {std::to_string(row.processes),
          row.activity,
          row.rules,
          std::to_string(row.counts.four_counter),
          std::to_string(row.counts.edod),
          std::to_string(row.counts.hcda),
          std::to_string(row.counts.cda)};
}

std::string json_text(const std::vector<Row>& rows) {
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  JsonValue::List list;
  list.reserve(rows.size());
  for (const Row& row : rows)
    list.push_back(json_object({{"processes", std::int64_t{row.processes}},
                                {"activity", row.activity},
                                {"rules", row.rules},
                                {"four-counter", number(row.counts.four_counter)},
                                {"edod", number(row.counts.edod)},
                                {"hcda", number(row.counts.hcda)},
                                {"cda", number(row.counts.cda)}}));
  return to_json(JsonValue(std::move(list)), 2) + "\n";
}

std::string csv_text(const std::vector<Row>& rows) {
  std::string text = csv_record({std::begin(kColumns), std::end(kColumns)});
  for (const Row& row : rows) text += csv_record(cells_of(row));
  return text;
}

std::string table_text(const Request& request, const TaskTreeFile& file,
                       const std::vector<Row>& rows) {
  TextTable table;
  table.key_columns = 3;
  for (const char* column : kColumns) table.columns.push_back({column});
  table.columns[1].align = table.columns[2].align = Align::left;
  for (const Row& row : rows) table.rows.push_back(cells_of(row));
  const std::size_t levels = level_starts(file.tree).size() - 1;
  const std::string seed =
      request.mapping == "random" ? " (seed " + std::to_string(request.seed) + ")" : "";
  return wrapped("Control messages by the rules of termination-2022 section 5.2: " + file.file +
                 ", " + std::to_string(file.tree.tasks()) +
                 (file.tree.tasks() == 1 ? " task" : " tasks") + " on " + std::to_string(levels) +
                 (levels == 1 ? " level" : " levels") + ", mapping " + request.mapping + seed) +
         "\n" + render(table);
}

}  // namespace

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
      "as printed, or as they reproduce the paper's Table 1");
  add("mapping", text("M"),
      "round-robin, random or file (the ranks in the tree's file); default: file where it has "
      "ranks, else round-robin");
  add("seed", text("N")->default_value("1"), "seed of the random mapping, 0 to 2^53");
  add("initial-credit", text("C")->default_value(std::to_string(kStepInitialCredit)),
      "initial credit of hcda and cda, 1 to 2^36");
  add_format(verb, {"table", "json", "csv"});
  verb.choices["activity"] = such_as(activities);
  verb.choices["rules"] = such_as(rule_names);
  verb.choices["mapping"] = only({"round-robin", "random", "file"});
  return verb;
}

int step_model_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = step_model_options();
  const po::variables_map values = parse_options(verb, arguments);
  if (values.count("help") != 0) {
    out << help_text(verb);
    return 0;
  }
  Request request = request_of(values);
  const TaskTreeFile file = read_task_tree(request.tree);
  settle_mapping(request, file);
  const std::vector<Row> rows = count_rows(request, file);
  if (request.format == "json")
    out << json_text(rows);
  else if (request.format == "csv")
    out << csv_text(rows);
  else
    out << table_text(request, file, rows);
  return 0;
}

}  // namespace faultline
