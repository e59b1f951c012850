// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ostream>

#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/page.hpp"
#include "analysis/runs/exit_code.hpp"
#include "cli/drawings.hpp"
#include "cli/output_file.hpp"
#include "cli/reproduction_run.hpp"
#include "sim/core/error.hpp"

namespace faultline::cli {
namespace {

namespace po = boost::program_options;

VerbOptions reproduce_options() {
  VerbOptions verb{
      .verb = "reproduce",
      .usage =
          "reproduce PAPER[/ITEM] [--quick] [--jobs N]\n"
          "       [--format table|json] [--out FILE] [--html FILE]\n"
          "       [--figures DIR [--width LENGTH]] [--quiet]\n\n"
          "Measures what a paper prints and compares the two cell by cell. Each cell is a\n"
          "match (within the tolerance of its data file), differs, or is not comparable.\n"
          "Exit code: 0 if every cell has the verdict that its data file expects, else 3.\n\n"
          "  faultline reproduce termination-2022/theorem-1 --quick\n"
          "  faultline reproduce adoption-2013"};
  auto add = verb.options.add_options();
  add("quick", "fewer replications, trees and sizes; takes much less time");
  add("jobs", po::value<std::string>()->value_name("N"),
      "worker processes; results do not depend on their number; default: one per core");
  add_format(verb, {"table", "json"});
  add_out(verb);
  add("html", po::value<std::string>()->value_name("FILE"),
      "also write tables and figures to this file, as one page that needs no other file");
  add_figures(verb,
              "write the curves of figures to this directory, as CSV, SVG, PDF and PNG named "
              "PAPER-ITEM (needs gnuplot), and pictures of runs as SVG");
  add("quiet", "no progress");
  verb.hidden.add_options()("what", po::value<std::string>());
  verb.positional.add("what", 1);
  verb.choices["what"] = such_as(reproduction::reproduction_item_names);
  return verb;
}

int carry_out_reproduce(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("what") == 0)
    throw UsageError("reproduce: which paper? usage: faultline " + call.verb.usage);
  const std::string format = values["format"].as<std::string>();
  reproduction::ReproductionSettings settings;
  settings.quick = values.count("quick") != 0;
  settings.jobs = jobs_of("reproduce: --jobs", text_of(values, "jobs"));
  const bool quiet = values.count("quiet") != 0;
  settings.progress = !quiet;
  settings.figure_width_cm = figure_width_cm("reproduce", values);
  const auto figures = text_of(values, "figures");
  std::vector<reproduction::ItemFile> items =
      reproduction::read_items(values["what"].as<std::string>());
  const bool has_curves =
      std::any_of(items.begin(), items.end(),
                  [](const reproduction::ItemFile& entry) { return !entry.item.curves.empty(); });
  if (figures && has_curves) need_gnuplot("reproduce: --figures");
  OutputFile output(text_of(values, "out"));
  std::optional<OutputFile> page;
  if (const auto html = text_of(values, "html")) page.emplace(*html, "--html");
  std::optional<Drawings> drawings;
  if (figures || page) drawings.emplace(figures, "reproduce: --figures");
  if (!quiet) say_duration(items, settings);
  const auto reproduction =
      reproduce_items(std::move(items), settings, drawings ? &*drawings : nullptr);
  if (!reproduction) {
    std::fprintf(stderr, "faultline: interrupted: nothing is written\n");
    return runs::kExitInterrupted;
  }
  const std::vector<reproduction::ItemResult>& results = reproduction->results;
  // All files are written before the first gets its name, because the disk may become full.
  if (page) page->append(reproduction::reproduction_page(*reproduction));
  if (drawings) drawings->keep();
  output.append(format == "json" ? reproduction::reproduction_json(results, settings.quick)
                                 : reproduction::reproduction_table(results, settings.quick,
                                                                    output.table_width()));
  if (page) page->complete();
  output.complete();
  if (!reproduction::as_expected(results)) return runs::kExitViolation;
  return drawings && drawings->failed() ? runs::kExitRun : runs::kExitGood;
}

}  // namespace

Verb reproduce_verb() {
  return {.name = "reproduce",
          .summary = "measure a paper's tables again, cell by cell",
          .options = reproduce_options,
          .run = carry_out_reproduce};
}

}  // namespace faultline::cli
