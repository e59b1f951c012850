// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/step_model_report.hpp"

#include "analysis/text/text_table.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::theory {
namespace {

constexpr const char* kColumns[] = {"processes", "activity", "rules", "four-counter",
                                    "edod",      "hcda",     "cda"};

std::vector<Rank> ranks_of(const StepModelChoices& choices, const TaskTreeFile& file,
                           std::uint32_t processes) {
  if (choices.mapping == "file") return file.ranks;
  if (choices.mapping == "round-robin")
    return workloads::round_robin_ranks(file.tree.tasks(), processes);
  return workloads::random_ranks(file.tree.tasks(), processes,
                                 workloads::task_mapping_stream(choices.seed, 0));
}

std::vector<std::string> cells_of(const StepModelRow& row) {
  return {std::to_string(row.processes),
          row.activity,
          row.rules,
          std::to_string(row.counts.four_counter),
          std::to_string(row.counts.edod),
          std::to_string(row.counts.hcda),
          std::to_string(row.counts.cda)};
}

}  // namespace

std::vector<std::string> step_activity_words() { return {"instant", "local", "load"}; }

std::vector<std::string> step_rules_words() { return {"literal", "resolved"}; }

std::vector<StepModelRow> step_model_rows(const StepModelChoices& choices,
                                          const TaskTreeFile& file) {
  std::vector<StepModelRow> rows;
  rows.reserve(choices.processes.size() * choices.activities.size() * choices.rules.size());
  for (const std::uint32_t processes : choices.processes) {
    const std::vector<Rank> ranks = ranks_of(choices, file, processes);
    for (const std::string& activity : choices.activities) {
      for (const std::string& rules : choices.rules) {
        const StepModel model = {
            .processes = processes,
            .activity = activity == "instant" ? StepActivity::instant
                        : activity == "local" ? StepActivity::local
                                              : StepActivity::load,
            .rules = rules == "literal" ? StepRules::literal : StepRules::resolved,
            .initial_credit = choices.initial_credit};
        rows.push_back(
            {processes, activity, rules, count_control_messages(model, file.tree, ranks)});
      }
    }
  }
  return rows;
}

std::string step_model_table(const StepModelChoices& choices, const TaskTreeFile& file,
                             const std::vector<StepModelRow>& rows) {
  text::TextTable table;
  table.key_columns = 3;
  for (const char* column : kColumns) table.columns.push_back({column});
  table.columns[1].align = table.columns[2].align = text::Align::left;
  for (const StepModelRow& row : rows) table.rows.push_back(cells_of(row));
  const std::size_t levels = workloads::level_starts(file.tree).size() - 1;
  const std::string seed =
      choices.mapping == "random" ? " (seed " + std::to_string(choices.seed) + ")" : "";
  return text::wrapped(
             "Control messages by the rules of termination-2022 section 5.2: " + file.file + ", " +
             std::to_string(file.tree.tasks()) + (file.tree.tasks() == 1 ? " task" : " tasks") +
             " on " + std::to_string(levels) + (levels == 1 ? " level" : " levels") + ", mapping " +
             choices.mapping + seed) +
         "\n" + text::render(table);
}

std::string step_model_json(const std::vector<StepModelRow>& rows) {
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  json::JsonValue::List list;
  list.reserve(rows.size());
  for (const StepModelRow& row : rows)
    list.push_back(json::json_object({{"processes", std::int64_t{row.processes}},
                                      {"activity", row.activity},
                                      {"rules", row.rules},
                                      {"four-counter", number(row.counts.four_counter)},
                                      {"edod", number(row.counts.edod)},
                                      {"hcda", number(row.counts.hcda)},
                                      {"cda", number(row.counts.cda)}}));
  return json::to_json(json::JsonValue(std::move(list)), 2) + "\n";
}

std::string step_model_csv(const std::vector<StepModelRow>& rows) {
  std::string text = text::csv_record({std::begin(kColumns), std::end(kColumns)});
  for (const StepModelRow& row : rows) text += text::csv_record(cells_of(row));
  return text;
}

}  // namespace faultline::theory
