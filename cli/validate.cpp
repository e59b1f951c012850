// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <array>
#include <cstdio>
#include <ostream>
#include <utility>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/network_figures.hpp"
#include "sim/platform/topology.hpp"
#include "sim/platform/transit.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::cli {
namespace {

std::string counted_things(std::uint64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

/// Message sizes that most benchmarks of real machines report.
constexpr std::array<std::pair<const char*, double>, 5> kSizes = {
    {{"0 B", 0}, {"8 B", 8}, {"1 KiB", 1024}, {"64 KiB", 65536}, {"1 MiB", 1048576}}};

std::vector<std::string> half_round_trips(const std::string& between, std::uint32_t hops,
                                          const platform::Machine& machine) {
  const platform::Route route{hops * machine.hop_latency_s, machine.link_bandwidth_Bps, hops};
  std::vector<std::string> row{between, std::to_string(hops)};
  for (const auto& size : kSizes)
    row.push_back(text::fixed(1e6 * platform::half_round_trip_s(route, machine, size.second), 2));
  return row;
}

void show_machine(const std::string& file, const platform::Machine& machine, std::ostream& out) {
  out << file << ": valid, machine of " << counted_things(machine.nodes, "node") << " with "
      << counted_things(machine.cores_per_node, "core") << " each, "
      << platform::describe(machine.topology) << '\n';
  if (machine.nodes < 2) return;
  text::TextTable table{.columns = {{"half round trip, us", text::Align::left}, {"hops"}},
                        .rows = {}};
  for (const auto& size : kSizes) table.columns.push_back({size.first});
  const platform::HopRange hops = platform::hop_range(machine.topology, machine.nodes);
  table.rows.push_back(half_round_trips("nearest nodes", hops.nearest, machine));
  table.rows.push_back(half_round_trips("farthest nodes", hops.farthest, machine));
  const double links = platform::bisection_links(machine.topology);
  out << text::render(table)
      << "bisection bandwidth: " << digits(links * machine.link_bandwidth_Bps * 1e-9)
      << " GB/s each way (" << digits(links) << " x " << digits(machine.link_bandwidth_Bps * 1e-9)
      << " GB/s)\n";
}

/// The tree of a file, or null if it is not JSON; the reader of scenarios reports that error.
json::JsonValue tree_of(const std::string& file) {
  const std::string text = json::read_json_text(file);
  try {
    json::Problems problems(file);
    return json::parse_json(text, problems);
  } catch (const UsageError&) {
    return {};
  }
}

void validate_file(const std::string& file, std::ostream& out) {
  const json::FileMemo files;  // a pipe can be read only once, but its content is needed twice
  if (reproduction::is_reproduction_item(file)) {
    out << file << ": valid, "
        << counted_things(reproduction::read_reproduction_item(file).cells.size(), "cell") << '\n';
    return;
  }
  const json::JsonValue root = tree_of(file);
  if (scenario::is_machine(root)) {
    show_machine(file, scenario::read_machine_file(file), out);
    return;
  }
  if (advice::is_question(root)) {
    const advice::Field field = advice::field_of(advice::load_question(file));
    for (const std::string& note : field.study.notes) complain(note);
    out << file << ": valid, question with "
        << counted_things(field.alternatives.size(), "alternative") << ", and "
        << field.refused.size() << " that cannot run its job\n";
    return;
  }
  if (root.object() != nullptr && root.find("platform") == nullptr &&
      root.find("workload") == nullptr)
    throw UsageError(file +
                     ": is neither a scenario, which has platform and workload, nor a machine, "
                     "which has topology, nor a question, which has scenario");
  const scenario::Study study = scenario::load_study(file);
  for (const std::string& note : study.notes) complain(note);
  out << file << ": valid, " << counted_things(study.points.size(), "point") << '\n';
}

VerbOptions validate_options() {
  VerbOptions verb{
      .verb = "validate",
      .usage = "validate FILE...",
      .about =
          "Checks scenario files, machine files, questions, and the data files of reproduce, "
          "without "
          "running anything: syntax, keys, values, units, combinations, and whether the job fits "
          "on its "
          "machine. Prints every error of every file. For a machine, prints what a benchmark would "
          "measure: half round trips between its nearest and its farthest nodes, and its bisection "
          "bandwidth. Exit code: 0 if all are valid, 2 otherwise."};
  verb.hidden.add_options()("files", boost::program_options::value<std::vector<std::string>>());
  verb.positional.add("files", -1);
  return verb;
}

int carry_out_validate(const Call& call) {
  const auto& values = call.values;
  if (values.count("files") == 0)
    throw UsageError("validate: expected at least one file (usage: faultline validate FILE...)");
  std::string errors;
  for (const std::string& file : values["files"].as<std::vector<std::string>>()) {
    try {
      validate_file(file, call.out);
    } catch (const UsageError& error) {
      errors += (errors.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  call.out.flush();
  if (!errors.empty()) throw UsageError(errors);
  return 0;
}

}  // namespace

Verb validate_verb() {
  return {.name = "validate",
          .summary = "check scenario files without running them",
          .options = validate_options,
          .run = carry_out_validate};
}

}  // namespace faultline::cli
