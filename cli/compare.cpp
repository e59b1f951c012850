// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/store/comparison.hpp"
#include "analysis/store/comparison_table.hpp"
#include "cli/output_file.hpp"
#include "cli/stored_points.hpp"
#include "sim/core/error.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

/// Compares by each metric, in the order of the command line.
std::string answer(const po::variables_map& values, const std::vector<store::SelectedPoint>& points,
                   std::size_t width) {
  const std::string format = values["format"].as<std::string>();
  const bool higher_is_better = values.count("higher-is-better") != 0;
  store::ComparisonSettings settings{.by = split_at_commas(values["by"].as<std::string>()),
                                     .metric = {},
                                     .higher_is_better = higher_is_better};
  std::string tables;
  std::vector<store::Row> rows;
  for (const std::string& metric : listed_words_of(values, "metric")) {
    settings.metric = metric;
    settings.higher_is_better = higher_is_better || metric == runs::kCompleted;
    const store::Comparison comparison = store::compare(points, settings);
    if (format == "table") {
      tables += (tables.empty() ? "" : "\n") + store::comparison_table(comparison, settings, width);
      continue;
    }
    for (store::Row& row : store::comparison_rows(comparison)) {
      row.insert(row.begin(), json::JsonMember{"metric", metric});
      rows.push_back(std::move(row));
    }
  }
  return format == "table" ? tables + missing_text(points) : store::rows_text(rows, format);
}

VerbOptions compare_options() {
  VerbOptions verb{
      .verb = "compare",
      .usage =
          "compare STORE --by PATH[,PATH]... --metric NAME[,NAME]...\n"
          "       [--higher-is-better] [--where CONDITION]...\n"
          "       [--format table|csv|json] [--out FILE]",
      .about =
          "Shows which value of PATH is better where everything else is equal. Whoever completes "
          "less often than the best is worse; among the others the metric decides. Prints the "
          "differences between equal replications, with intervals, and names a winner if they show "
          "one. Of several paths, the combinations of their values compete."};
  auto add = verb.options.add_options();
  add("by", po::value<std::string>()->value_name("PATHS"),
      "path whose values compete, such as termination.name or stacks; several, with commas");
  add("metric", po::value<Words>()->composing()->value_name("NAMES"),
      "metric to compare by, such as control_messages; several, with commas, give one comparison "
      "each");
  add("higher-is-better", "higher values win instead of lower ones, as they do for completed");
  add("where", po::value<Words>()->composing()->value_name("CONDITION"),
      "only points that satisfy it");
  add_format(verb, {"table", "csv", "json"});
  add_out(verb);
  verb.hidden.add_options()("store", po::value<std::string>());
  verb.positional.add("store", 1);
  return verb;
}

int carry_out_compare(const Call& call) {
  const po::variables_map& values = call.values;
  for (const char* needed : {"store", "by", "metric"})
    if (values.count(needed) == 0)
      throw UsageError(std::string("compare: expected ") +
                       (std::string(needed) == "store" ? "a store" : std::string("--") + needed) +
                       ": faultline compare RESULTS.sqlite --by termination.name --metric "
                       "control_messages");
  const auto points = stored_points(values["store"].as<std::string>(), words_of(values, "where"));
  store::check_paths("compare: --by", split_at_commas(values["by"].as<std::string>()), points);
  OutputFile output(text_of(values, "out"));
  check_metrics("compare: --metric", listed_words_of(values, "metric"), points);
  output.write(answer(values, points, output.table_width()));
  return runs::kExitGood;
}

}  // namespace

Verb compare_verb() {
  return {.name = "compare",
          .summary = "show which protocol wins where, by paired differences",
          .options = compare_options,
          .run = carry_out_compare};
}

}  // namespace faultline::cli
