// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ostream>

#include "analysis/runs/exit_code.hpp"
#include "analysis/runs/replications.hpp"
#include "analysis/runs/run_report.hpp"
#include "cli/output_file.hpp"
#include "cli/scenario_options.hpp"
#include "sim/core/error.hpp"
#include "sim/core/scratch_directory.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

scenario::ScenarioOverrides overrides_of(const VerbOptions& verb, const po::variables_map& values) {
  scenario::ScenarioOverrides overrides = scenario_overrides(verb, values);
  if (values.count("replications") == 0) return overrides;
  const std::string text = values["replications"].as<std::string>();
  whole_number("run: --replications", text, 1, 1000000);
  overrides.sets.push_back("replications=" + text);
  return overrides;
}

std::string dry_run_text(const scenario::Scenario& scenario) {
  const std::size_t runs = scenario.points.size() * scenario.replications;
  std::string text = scenario.file + ": " + std::to_string(scenario.points.size()) +
                     (scenario.points.size() == 1 ? " point, " : " points, ") +
                     std::to_string(scenario.replications) +
                     (scenario.replications == 1 ? " replication" : " replications") +
                     (scenario.points.size() == 1 ? ": " : " each: ") + std::to_string(runs) +
                     (runs == 1 ? " run\n" : " runs\n");
  for (std::size_t point = 0; point < scenario.points.size(); ++point)
    if (!scenario.point_labels[point].empty())
      text += "  point " + std::to_string(point) + ": " + scenario.point_labels[point] + "\n";
  return text;
}

void write_report(const std::string& format, const scenario::Scenario& scenario,
                  const runs::RunTally& tally, const runs::LineSpool& runs, OutputFile& output) {
  const auto write = [&output](const std::string& text) { output.append(text); };
  if (format == "json")
    runs::write_run_report_json(scenario, tally, runs, write);
  else if (format == "csv")
    runs::write_run_report_csv(scenario, tally, runs, write);
  else
    write(runs::run_report_table(scenario, tally, output.table_width()));
  output.complete();
}

void explain_failures(const runs::RunTally& tally) {
  for (const runs::TroubledReplication& crash : tally.crashes)
    complain("point " + std::to_string(crash.point) + ", replication " +
             std::to_string(crash.replication) + ": " + crash.what);
  if (tally.end.interrupted)
    std::fprintf(stderr, "faultline: interrupted: %zu of %zu replications are complete\n",
                 tally.replications, tally.end.planned);
}

/// Notes stated faults that never struck, for example because the name of a mark is mistyped. Drawn
/// faults need not strike, and could hide that a stated one has not.
void note_missed_faults(const scenario::Scenario& scenario, const runs::RunTally& tally) {
  for (std::size_t i = 0; i < tally.points.size(); ++i) {
    const scenario::RunSpec& point = scenario.points[i];
    const auto& metrics = tally.points[i].metrics;
    const auto stated = std::ranges::count_if(point.faults, &faults::FaultSpec::kills);
    const auto struck = metrics.find("faults_struck");
    if (stated == 0 || point.has_fatal_sources() || struck == metrics.end()) continue;
    const double fewest = struck->second.summary().min.value_or(0.0);
    if (fewest >= static_cast<double>(stated)) continue;
    const bool is_only_run = scenario.points.size() == 1 && scenario.replications == 1;
    return complain((is_only_run ? "" : "in a run of point " + std::to_string(i) + ", ") +
                    std::to_string(static_cast<std::int64_t>(fewest)) + " of " +
                    std::to_string(stated) + " faults of faults.at struck a living rank; others " +
                    "came after the end, or at a mark that was never set, or to the dead");
  }
}

bool has_reached_limit(const runs::PointTally& point) {
  return point.outcomes.contains(engine::outcome_word(engine::Outcome::limit));
}

/// Notes which limits ended runs; the outcome does not tell.
void note_limits(const scenario::Scenario& scenario, const runs::RunTally& tally) {
  const auto first = std::ranges::find_if(tally.points, has_reached_limit);
  if (first == tally.points.end()) return;
  const auto others = std::ranges::count_if(tally.points, has_reached_limit) - 1;
  const auto number = static_cast<std::size_t>(first - tally.points.begin());
  const scenario::StopSpec& stop = scenario.points[number].stop;
  const auto end = first->metrics.find("end_time_s");
  const bool in_time = end != first->metrics.end() && end->second.summary().max >= stop.time_s;
  std::string text = scenario.points.size() == 1 ? "" : "point " + std::to_string(number) + ": ";
  text += "outcome limit: " +
          (in_time ? "stop.time_s, " + json::shortest(stop.time_s) + " s"
                   : "stop.events, " + std::to_string(stop.events)) +
          ", has been reached";
  if (others > 0)
    text +=
        "; " + std::to_string(others) +
        (others == 1 ? " other point has reached a limit" : " other points have reached limits");
  complain(text);
}

VerbOptions run_options() {
  VerbOptions verb{.verb = "run",
                   .usage =
                       "run FILE [--set PATH=VALUE]... [--seed N] [--replications N]\n"
                       "       [--jobs N] [--engine loggp|simgrid]\n"
                       "       [--format table|json|csv] [--out FILE] [--dry-run] [--quiet]"};
  add_scenario_options(verb);
  auto add = verb.options.add_options();
  add("replications", po::value<std::string>()->value_name("N"), "instead of the scenario's");
  add("jobs", po::value<std::string>()->value_name("N")->default_value("1"),
      "worker processes; results do not depend on their number");
  add_format(verb, {"table", "json", "csv"});
  add_out(verb);
  add("dry-run", "check everything and print what would run");
  add("quiet", "no progress");
  return verb;
}

int carry_out_run(const Call& call) {
  const po::variables_map& values = call.values;
  const std::string file = scenario_file(call.verb, values);
  const std::string format = values["format"].as<std::string>();
  const auto jobs = whole_number("run: --jobs", values["jobs"].as<std::string>(), 1, 4096);
  const scenario::Scenario scenario =
      scenario::load_scenario(file, overrides_of(call.verb, values));
  OutputFile output(text_of(values, "out"));
  for (const std::string& note : scenario.notes) complain(note);
  if (values.count("dry-run") != 0) {
    call.out << dry_run_text(scenario);
    return runs::kExitGood;
  }
  const bool progress = values.count("quiet") == 0;
  runs::RunTally tally(scenario.points.size());
  runs::LineSpool runs(output.directory().value_or(temporary_directory()));
  tally.end =
      runs::run_replications(scenario, {static_cast<unsigned>(jobs), progress},
                             [&](const runs::ReplicationRecord& record, const std::string& line) {
                               tally.add(record);
                               if (format != "table" && record.run) runs.add(line);
                             });
  write_report(format, scenario, tally, runs, output);
  note_missed_faults(scenario, tally);
  note_limits(scenario, tally);
  explain_failures(tally);
  return runs::exit_code(tally);
}

}  // namespace

Verb run_verb() {
  return {.name = "run",
          .summary = "simulate a scenario file",
          .options = run_options,
          .run = carry_out_run};
}

}  // namespace faultline::cli
