// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/survival_report.hpp"

#include "analysis/text/text_table.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::theory {
namespace {

/// Table 1 has one line for all faults of more nodes than this.
constexpr std::int64_t largest_listed_fault = 20;

std::string row_title(const SurvivalRow& row) {
  return row.fanout ? "INDEP\nf=" + std::to_string(*row.fanout) : "REL*";
}

/// A share of the faults, in percent with three decimals, as in the paper.
std::string percent(std::int64_t count, std::int64_t total) {
  return text::fixed(100.0 * static_cast<double>(count) / static_cast<double>(total), 3);
}

/// The table's line for all large faults together: the last column but one of the paper.
std::vector<std::string> tail_line(const SurvivalReport& report) {
  const faults::FaultCounts& faults = report.faults;
  std::int64_t count = 0;
  for (const faults::FaultCount& size : faults.by_size) {
    if (size.failed > largest_listed_fault) count += size.count;
  }
  std::vector<std::string> line = {"all >" + std::to_string(largest_listed_fault),
                                   std::to_string(count), percent(count, faults.total)};
  for (const SurvivalRow& row : report.rows) {
    double failure = 0.0;
    for (const SizeSurvival& size : row.by_size) {
      if (size.failed > largest_listed_fault) failure += size.failure_probability;
    }
    line.push_back(text::two_digits(failure));
  }
  return line;
}

text::TextTable paper_table(const SurvivalReport& report) {
  const std::vector<SurvivalRow>& rows = report.rows;
  const faults::FaultCounts& faults = report.faults;
  text::TextTable table;
  table.key_columns = 3;
  table.columns = {{"Nodes\nfailed"}, {"Faults"}, {"Fault\n%"}};
  for (const SurvivalRow& row : rows) table.columns.push_back({row_title(row)});
  for (std::size_t i = 0; i < faults.by_size.size(); ++i) {
    const faults::FaultCount& size = faults.by_size[i];
    table.rows.push_back({std::to_string(size.failed), std::to_string(size.count),
                          percent(size.count, faults.total)});
    for (const SurvivalRow& row : rows) {
      table.rows.back().push_back(text::two_digits(row.by_size[i].failure_probability));
    }
  }
  const bool has_tail = faults.by_size.back().failed > largest_listed_fault;
  if (has_tail) table.rows.push_back(tail_line(report));
  std::vector<std::string> sum = {"all", std::to_string(faults.total), "100"};
  std::vector<std::string> survival = {"survival %", "", ""};
  for (const SurvivalRow& row : rows) {
    sum.push_back(text::two_digits(row.failure_probability));
    survival.push_back(text::fixed(row.survival_percent, 3));
  }
  table.rows.push_back(sum);
  table.rows.push_back(survival);
  return table;
}

json::JsonValue row_json(const SurvivalRow& row) {
  json::JsonValue::List by_size;
  by_size.reserve(row.by_size.size());
  for (const SizeSurvival& size : row.by_size)
    by_size.push_back(json::json_object({{"failed", size.failed},
                                         {"count", size.count},
                                         {"failure_probability", size.failure_probability}}));
  return json::json_object(
      {{"protocol", row.protocol},
       {"fanout", row.fanout ? json::JsonValue(*row.fanout) : json::JsonValue()},
       {"survival_percent", row.survival_percent},
       {"failure_probability", row.failure_probability},
       {"by_size", std::move(by_size)}});
}

}  // namespace

std::string survival_table(const SurvivalReport& report) {
  std::string text =
      text::wrapped("Faults that termination detection does not survive, in a job of " +
                    std::to_string(report.processes) +
                    " processes: probability that a fault has this size and is fatal") +
      "\n" + text::render(paper_table(report)) + "\n" +
      text::wrapped(
          "Closed forms: adoption-2013-lifflander, sections 5.4 (INDEP, fanout f) and 6.4 "
          "(REL*: REL-LAZY and REL-EAGER), laid out as its Table 1.") +
      text::wrapped(
          "Faults: " + report.faults.name + ", " + std::to_string(report.faults.total) +
          " recorded" +
          (report.faults.source.empty() ? "." : ". Source: " + report.faults.source + "."));
  for (const std::int64_t fanout : report.left_out)
    text += "f=" + std::to_string(fanout) + " is left out: a process has at most " +
            std::to_string(report.processes - 1) + " successors here.\n";
  return text;
}

std::string survival_json(const SurvivalReport& report) {
  json::JsonValue::List rows;
  rows.reserve(report.rows.size());
  for (const SurvivalRow& row : report.rows) rows.push_back(row_json(row));
  return json::to_json(json::json_object({{"processes", report.processes},
                                          {"distribution", report.faults.name},
                                          {"source", report.faults.source},
                                          {"rows", std::move(rows)}}),
                       2) +
         "\n";
}

std::string survival_csv(const SurvivalReport& report) {
  std::string text = text::csv_record({"processes", "distribution", "protocol", "fanout", "failed",
                                       "count", "failure_probability", "survival_percent"});
  for (const SurvivalRow& row : report.rows) {
    const auto add = [&](const std::string& failed, std::int64_t count, double failure,
                         double survival_percent) {
      text += text::csv_record({std::to_string(report.processes), report.faults.name, row.protocol,
                                row.fanout ? std::to_string(*row.fanout) : "", failed,
                                std::to_string(count), json::shortest(failure),
                                json::shortest(survival_percent)});
    };
    for (const SizeSurvival& size : row.by_size)
      add(std::to_string(size.failed), size.count, size.failure_probability,
          100.0 * size.given_fault.survival);
    add("all", report.faults.total, row.failure_probability, row.survival_percent);
  }
  return text;
}

}  // namespace faultline::theory
