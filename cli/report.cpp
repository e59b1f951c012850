// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <cstdio>
#include <map>
#include <optional>
#include <ostream>

#include "analysis/report/study_page.hpp"
#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/saved.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/text/shell_words.hpp"
#include "analysis/text/text_table.hpp"
#include "cli/drawings.hpp"
#include "cli/output_file.hpp"
#include "cli/reproduction_run.hpp"
#include "cli/stored_points.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

/// What --reproduce names: saved results, and items that must still be run.
struct Wanted {
  std::vector<reproduction::Reproduction> saved;
  std::vector<reproduction::ItemFile> items;
};

Wanted wanted_of(const Words& names) {
  Wanted wanted;
  for (const std::string& name : names) {
    if (name.ends_with(".json") && !reproduction::is_reproduction_item(name)) {
      wanted.saved.push_back(reproduction::read_saved_reproduction(name));
      continue;
    }
    if (name.ends_with(".sqlite"))
      throw UsageError("report: --reproduce: expected papers or items, got " +
                       json::in_quotes(name) + "; name a store before --reproduce");
    for (reproduction::ItemFile& item : reproduction::read_items(name))
      wanted.items.push_back(std::move(item));
  }
  return wanted;
}

void add_studies(drawing::HtmlPage& page, const std::vector<report::StudyReport>& reports,
                 const std::string& store, std::optional<double> width_cm, Drawings& drawings) {
  for (const report::StudyReport& report : reports) {
    std::map<std::string, std::string> drawn;
    for (const auto* charts : {&report.survival, &report.curves, &report.boxes})
      for (const drawing::Chart& chart : *charts)
        drawn[chart.stem] = drawings.draw(chart.stem, text::csv_records(drawing::chart_rows(chart)),
                                          drawing::chart_script(chart, width_cm));
    report::add_study(page, report, store, drawn);
  }
}

/// The titles for the store's charts. Throws UsageError if there is no store.
report::Titles titles_of(const po::variables_map& values) {
  report::Titles titles = report::read_titles(words_of(values, "title"));
  if (!titles.empty() && values.count("store") == 0)
    throw UsageError("report: --title: needs a store, whose charts get the titles");
  return titles;
}

/// The command line, for the foot of the page.
std::string command_of(const Words& arguments) {
  Words words = {"faultline", "report"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return text::shell_line(words);
}

VerbOptions report_options() {
  VerbOptions verb{.verb = "report",
                   .usage =
                       "report [STORE] [--reproduce PAPER[/ITEM]...] --html FILE\n"
                       "       [--figures DIR [--width LENGTH]] [--metric NAME[,NAME]...]...\n"
                       "       [--x PATH]\n"
                       "       [--title PATH=TEXT]... [--where CONDITION]...\n"
                       "       [--quick] [--jobs N] [--quiet]",
                   .about =
                       "Writes one HTML page, which needs no other file and no network. It shows a "
                       "store of sweeps (curves, boxplots, survival, comparisons), or what papers "
                       "print beside what Faultline measures, or both. docs/reports.md explains "
                       "it."};
  auto add = verb.options.add_options();
  add("html", po::value<std::string>()->value_name("FILE"),
      "the page; it appears whole or not at all");
  add("reproduce", po::value<Words>()->multitoken()->composing()->value_name("PAPER[/ITEM]"),
      "reproduce these, as the verb reproduce does; or show a result that reproduce wrote with "
      "--format json --out FILE.json");
  add_figures(
      verb,
      "write each chart to this directory, as SVG, PDF and PNG, with its numbers as CSV and "
      "its gnuplot script");
  add("metric", po::value<Words>()->composing()->value_name("NAMES"),
      "chart these metrics of the store, with commas between several (default: those that query "
      "shows)");
  add("x", po::value<std::string>()->value_name("PATH"),
      "path along the x axis of the store's charts, such as platform.processes or termination "
      "(default: the swept number with the most values)");
  add("title", po::value<Words>()->composing()->value_name("PATH=TEXT"),
      "in the store's charts and tables, call this swept path or metric TEXT; units are added");
  add("where", po::value<Words>()->composing()->value_name("CONDITION"),
      "only points of the store that satisfy it");
  add("quick", "with --reproduce: fewer replications, trees and sizes");
  add("jobs", po::value<std::string>()->value_name("N"),
      "with --reproduce: worker processes; default: one per core");
  add("quiet", "no progress");
  verb.hidden.add_options()("store", po::value<std::string>());
  verb.positional.add("store", 1);
  verb.choices["reproduce"] = such_as(reproduction::reproduction_item_names);
  return verb;
}

int carry_out_report(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("store") == 0 && values.count("reproduce") == 0)
    throw UsageError(
        "report: expected a store or --reproduce PAPER: faultline report RESULTS.sqlite "
        "--html report.html");
  const auto html = text_of(values, "html");
  const auto figures = text_of(values, "figures");
  if (!html && !figures) throw UsageError("report: expected --html FILE, the page to write");
  if (figures) need_gnuplot("report: --figures");
  const auto width_cm = figure_width_cm("report", values);
  const bool quiet = values.count("quiet") != 0;
  reproduction::ReproductionSettings settings;
  settings.quick = values.count("quick") != 0;
  settings.jobs = jobs_of("report: --jobs", text_of(values, "jobs"));
  settings.progress = !quiet;
  settings.figure_width_cm = width_cm;

  const report::StoreReportSettings of_store{.store = text_of(values, "store").value_or(""),
                                             .conditions = words_of(values, "where"),
                                             .metrics = listed_words_of(values, "metric"),
                                             .x = text_of(values, "x").value_or(""),
                                             .titles = titles_of(values)};
  Wanted wanted = wanted_of(words_of(values, "reproduce"));
  const auto reports =
      values.count("store") == 0
          ? std::vector<report::StudyReport>{}
          : report::study_reports(stored_points(of_store.store, of_store.conditions), of_store);
  std::optional<OutputFile> file;
  if (html) file.emplace(*html, "--html");
  Drawings drawings(figures, "report: --figures");
  if (!quiet && !wanted.items.empty()) say_duration(wanted.items, settings);

  drawing::HtmlPage page("Faultline report",
                         drawing::escaped(reproduction::versions_of_this_build()) +
                             ". Intervals are 95 %. This page again: <code>" +
                             drawing::escaped(command_of(call.arguments)) + "</code>");
  add_studies(page, reports, of_store.store, width_cm, drawings);
  bool expected = true;
  for (const reproduction::Reproduction& saved : wanted.saved) {
    reproduction::add_reproduction(page, saved);
    expected = expected && reproduction::as_expected(saved.results);
  }
  if (!wanted.items.empty()) {
    const auto reproduction = reproduce_items(std::move(wanted.items), settings, &drawings);
    if (!reproduction) {
      std::fprintf(stderr, "faultline: interrupted: no page is written\n");
      return runs::kExitInterrupted;
    }
    reproduction::add_reproduction(page, *reproduction);
    expected = expected && reproduction::as_expected(reproduction->results);
  }
  if (file) file->append(page.text());
  drawings.keep();
  if (file) file->complete();
  if (!expected) return runs::kExitViolation;
  return drawings.failed() ? runs::kExitRun : runs::kExitGood;
}

}  // namespace

Verb report_verb() {
  return {.name = "report",
          .summary = "write a store or a reproduction as one HTML page with charts",
          .options = report_options,
          .run = carry_out_report};
}

}  // namespace faultline::cli
