// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>

#include "analysis/calibration/calibration.hpp"
#include "analysis/calibration/residuals.hpp"
#include "analysis/calibration/timing_chart.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/text/text_table.hpp"
#include "cli/drawings.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/network_figures.hpp"
#include "sim/platform/transit.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::cli {
namespace {

namespace po = boost::program_options;
using calibration::Timing;

VerbOptions calibrate_options() {
  VerbOptions verb{
      .verb = "calibrate",
      .usage =
          "calibrate FILE... [--within-node FILE]... [--base MACHINE] [--name NAME]\n"
          "       [--columns LIST [--half-round-trip]] [--out FILE]\n"
          "       [--figures DIR [--width LENGTH]]\n"
          "       faultline calibrate FILE... --check MACHINE",
      .about =
          "Makes a machine file from what benchmarks have measured between two nodes: the output "
          "of osu_latency, osu_bw or osu_mbw_mr, of IMB's PingPong, of netgauge's loggp, or a "
          "table of sizes and times. Prints measured and modelled times side by side. Files can "
          "be packed with gzip or xz. docs/machines.md shows a case."};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("within-node", po::value<std::vector<std::string>>()->value_name("FILE"),
      "measured between two processes of one node");
  add("base", text("MACHINE"),
      "a machine, by name or file, whose values hold for what the files cannot tell; default: "
      "1,024 nodes on one switch");
  add("name", text("NAME"), "of the machine; default: the name of --out without its ending");
  add("columns", text("LIST"),
      "the files are tables, with bytes and seconds (or milliseconds, microseconds, nanoseconds) "
      "in these columns, - for others: bytes,seconds");
  add("half-round-trip", po::bool_switch(),
      "with --columns: the times are of one way, not of both");
  add("check", text("MACHINE"), "make no machine, but compare this one with the files");
  add_figures(verb, "draw measured and modelled times over sizes, as SVG, PDF and PNG, with CSV");
  add("out", text("FILE"), "write the machine to this file, whole or not at all");
  verb.hidden.add_options()("files", po::value<std::vector<std::string>>());
  verb.positional.add("files", -1);
  return verb;
}

/// The names of files without their folders, in words.
std::string names_of(const std::vector<std::string>& files) {
  std::string names;
  for (std::size_t i = 0; i < files.size(); ++i)
    names += (i == 0                  ? ""
              : i + 1 == files.size() ? " and "
                                      : ", ") +
             std::filesystem::path(files[i]).filename().string();
  return names;
}

calibration::Measured measured_in(const po::variables_map& values) {
  const std::vector<std::string> files = words_of(values, "files");
  if (files.empty())
    throw UsageError(
        "calibrate: expected a file with the times of messages (see faultline calibrate --help)");
  const bool half = values["half-round-trip"].as<bool>();
  std::optional<calibration::TableColumns> columns;
  if (const auto list = text_of(values, "columns"))
    columns = calibration::read_columns(*list, half);
  else if (half)
    throw UsageError("--half-round-trip: says what the times of a table are, expected --columns");
  const std::vector<std::string> local = words_of(values, "within-node");
  calibration::Measured measured{.name = text_of(values, "name").value_or("calibrated"),
                                 .between_nodes = {},
                                 .files = names_of(files),
                                 .within_node = {},
                                 .local_files = names_of(local)};
  if (const auto out = text_of(values, "out"); out && values.count("name") == 0)
    measured.name = std::filesystem::path(*out).stem().string();
  for (const std::string& file : files) add_measurements(file, columns, measured.between_nodes);
  for (const std::string& file : local) add_measurements(file, columns, measured.within_node);
  if (measured.between_nodes.half_round_trips.empty())
    throw UsageError(measured.files +
                     ": has no times of a ping-pong, expected osu_latency or another beside it");
  return measured;
}

calibration::Base base_of(const std::string& name) {
  const std::string path = scenario::machine_path(name, "");
  json::Problems problems(path);
  json::JsonValue file = json::read_json_file(path, problems);
  const platform::Machine machine = scenario::read_machine(file, problems);
  problems.throw_if_any();
  return {.name = machine.name, .file = std::move(file), .machine = machine};
}

/// Measured times, and those that a machine has instead.
struct Comparison {
  std::string stem;
  std::string title;
  const std::vector<Timing>& measured;
  std::function<double(double bytes)> model;
};

std::vector<Comparison> comparisons(const calibration::Measured& measured,
                                    const platform::Machine& machine) {
  const std::uint32_t hops =
      machine.nodes > 1 ? platform::hop_range(machine.topology, machine.nodes).nearest : 0;
  const platform::Route nearest{hops * machine.hop_latency_s, machine.link_bandwidth_Bps, hops};
  std::vector<Comparison> all = {
      {.stem = "between-nodes",
       .title = "Half round trips between the nearest nodes of " + visible(machine.name),
       .measured = measured.between_nodes.half_round_trips,
       .model = [nearest, machine](double bytes) {
         return platform::half_round_trip_s(nearest, machine, bytes);
       }}};
  if (!measured.within_node.half_round_trips.empty())
    all.push_back({.stem = "within-node",
                   .title = "Half round trips within a node of " + visible(machine.name),
                   .measured = measured.within_node.half_round_trips,
                   .model = [machine](double bytes) {
                     return platform::local_half_round_trip_s(machine, bytes);
                   }});
  return all;
}

/// Prints the comparisons, and draws them if there is somewhere to draw. Returns the exit code.
int show(const std::vector<Comparison>& all, const po::variables_map& values, std::ostream& out) {
  const auto figures = text_of(values, "figures");
  const std::optional<double> width_cm = figure_width_cm("calibrate", values);
  Drawings drawings(figures, "calibrate: --figures");
  for (const Comparison& one : all) {
    out << (&one == &all.front() ? "" : "\n") << one.title << ":\n"
        << residual_table(calibration::residuals(one.measured, one.model));
    if (!figures) continue;
    const drawing::Chart chart =
        calibration::timing_chart(one.stem, one.title, one.measured, one.model);
    drawings.draw(chart.stem, text::csv_records(drawing::chart_rows(chart)),
                  drawing::chart_script(chart, width_cm));
  }
  drawings.keep();
  return drawings.failed() ? runs::kExitRun : runs::kExitGood;
}

int carry_out_calibrate(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("figures") != 0) need_gnuplot("calibrate: --figures");
  const calibration::Measured measured = measured_in(values);
  if (const auto checked = text_of(values, "check")) {
    for (const char* other : {"out", "base", "name"})
      if (values.count(other) != 0)
        throw UsageError("--check: makes no machine, expected no --" + std::string(other));
    return show(comparisons(measured, scenario::load_machine(*checked, "")), values, call.out);
  }
  std::optional<OutputFile> out;
  if (const auto path = text_of(values, "out")) out.emplace(*path);
  const auto base = text_of(values, "base");
  const calibration::Calibration made =
      calibration::calibrated(measured, base ? base_of(*base) : assumed_base(measured));
  json::Problems problems(text_of(values, "out").value_or(measured.name));
  const platform::Machine machine = scenario::read_machine(made.file, problems);
  problems.throw_if_any();
  const int code = show(comparisons(measured, machine), values, call.out);
  for (const std::string& note : made.notes) call.out << '\n' << text::wrapped(note);
  if (out) out->write(json::to_json(made.file, 2) + "\n");
  return code;
}

}  // namespace

Verb calibrate_verb() {
  return {.name = "calibrate",
          .summary = "make a machine file from the times of messages",
          .options = calibrate_options,
          .run = carry_out_calibrate};
}

}  // namespace faultline::cli
