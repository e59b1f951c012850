#include "sim/cli/reproduce.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <ostream>
#include <thread>

#include "analysis/progress.hpp"
#include "analysis/replications.hpp"
#include "analysis/reproduction.hpp"
#include "analysis/reproduction_figure.hpp"
#include "analysis/reproduction_page.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/scratch_directory.hpp"
#include "sim/scenario/json_reader.hpp"
#include "sim/scenario/problems.hpp"

namespace faultline {

namespace {

namespace po = boost::program_options;

VerbOptions reproduce_options() {
  VerbOptions verb{
      .verb = "reproduce",
      .usage =
          "reproduce PAPER[/ITEM] [--quick] [--jobs N]\n"
          "       [--format table|json] [--out FILE] [--html FILE]\n"
          "       [--figures DIR] [--quiet]\n\n"
          "Measures what a paper prints and compares cell by cell. Each cell is a match (within\n"
          "the tolerance of its data file), differs, or is not comparable.\n"
          "Exit code: 0 if every cell has the verdict that its data file expects, 3 otherwise.\n\n"
          "  faultline reproduce termination-2022/theorem-1 --quick\n"
          "  faultline reproduce adoption-2013"};
  auto add = verb.options.add_options();
  add("quick", "fewer replications, trees and sizes: a paper in two minutes on 2 cores");
  add("jobs", po::value<std::string>()->value_name("N"),
      "worker processes; results do not depend on their number; default: one per core");
  add("format", po::value<std::string>()->value_name("F")->default_value("table"), "table or json");
  add("out", po::value<std::string>()->value_name("FILE"),
      "write there, whole or not at all, instead of to standard output");
  add("html", po::value<std::string>()->value_name("FILE"),
      "write tables and figures there too, as one page that needs no other file");
  add("figures", po::value<std::string>()->value_name("DIR"),
      "write the curves of figures there, as CSV, and as SVG where gnuplot is installed");
  add("quiet", "no progress");
  verb.hidden.add_options()("what", po::value<std::string>());
  verb.positional.add("what", 1);
  return verb;
}

struct ItemFile {
  std::string file;
  ReproductionItem item;
};

/// All files are read before anything runs, so that what is wrong with the last is known at once.
std::vector<ItemFile> read_items(const std::string& what) {
  std::vector<ItemFile> items;
  for (const auto& file : find_reproduction_items(what))
    items.push_back({file.string(), read_reproduction_item(file)});
  return items;
}

void say_duration(const std::vector<ItemFile>& items, const ReproductionSettings& settings) {
  double time_s = 0;
  for (const ItemFile& entry : items)
    time_s += settings.quick ? entry.item.quick_time_s : entry.item.time_s;
  std::fprintf(stderr, "faultline: %zu %s, about %s with %u %s%s\n", items.size(),
               items.size() == 1 ? "item" : "items",
               duration_words(std::max(1.0, time_s / settings.jobs)).c_str(), settings.jobs,
               settings.jobs == 1 ? "worker" : "workers",
               settings.quick ? "" : " (--quick takes less)");
}

/// The directory of --figures, made where it is missing; "" without the option.
std::string figures_directory(const po::variables_map& values) {
  if (values.count("figures") == 0) return "";
  std::string directory = values["figures"].as<std::string>();
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!std::filesystem::is_directory(directory) || access(directory.c_str(), W_OK) != 0)
    throw UsageError("reproduce: --figures " + in_quotes(directory) +
                     ": expected a directory that can be written");
  return directory;
}

/// A series that could not be measured has no points to draw.
bool has_figure(const ItemResult& result) {
  const auto& curves = result.item.curves;
  return !curves.empty() && std::all_of(curves.begin(), curves.end(), [&](std::size_t curve) {
    return result.measured[curve].trouble.empty();
  });
}

/// The curves of one item: its CSV, the gnuplot script that draws it, and the drawing, which the
/// result keeps for the page.
void write_figure(ItemResult& result, const std::string& directory,
                  const ReproductionSettings& settings) {
  const std::string stem = result.item.name.substr(result.item.name.find('/') + 1);
  const std::string path = directory + "/" + stem;
  OutputFile(path + ".csv", "--figures").write(figure_csv(result, settings));
  OutputFile(path + ".gnuplot", "--figures").write(figure_script(result, stem));
  if (draw_figure(directory, stem + ".gnuplot"))
    result.drawing = read_text_file(path + ".svg");
  else
    std::fprintf(stderr,
                 "faultline: %s.svg is not drawn: gnuplot is missing or fails; where it works, run "
                 "gnuplot %s.gnuplot in the folder that --figures names\n",
                 stem.c_str(), stem.c_str());
}

}  // namespace

int reproduce_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = reproduce_options();
  const po::variables_map values = parse_options(verb, arguments);
  if (values.count("help") != 0) {
    out << help_text(verb);
    return kExitGood;
  }
  if (values.count("what") == 0)
    throw UsageError("reproduce: which paper? usage: faultline " + verb.usage);
  const std::string format =
      one_of("reproduce: --format", values["format"].as<std::string>(), {"table", "json"});
  ReproductionSettings settings;
  settings.quick = values.count("quick") != 0;
  settings.jobs = std::max(1U, std::thread::hardware_concurrency());
  if (values.count("jobs") != 0)
    settings.jobs = static_cast<unsigned>(
        whole_number("reproduce: --jobs", values["jobs"].as<std::string>(), 1, 4096));
  const bool quiet = values.count("quiet") != 0;
  settings.progress = !quiet && isatty(STDERR_FILENO) != 0;
  std::vector<ItemFile> items = read_items(values["what"].as<std::string>());
  OutputFile output(values.count("out") == 0 ? std::nullopt
                                             : std::optional(values["out"].as<std::string>()));
  std::optional<OutputFile> page;
  if (values.count("html") != 0) page.emplace(values["html"].as<std::string>(), "--html");
  const std::string figures = figures_directory(values);
  if (!quiet) say_duration(items, settings);
  std::optional<ScratchDirectory> scratch;
  std::vector<ItemResult> results;
  results.reserve(items.size());
  for (ItemFile& entry : items) {
    results.push_back(reproduce_item(std::move(entry.item), entry.file, settings));
    if (results.back().interrupted) {
      std::fprintf(stderr, "faultline: interrupted: nothing is written\n");
      return kExitInterrupted;
    }
    const bool drawn = !figures.empty() || page;
    if (!drawn || !has_figure(results.back())) continue;
    if (figures.empty() && !scratch) scratch.emplace("to draw figures");
    write_figure(results.back(), figures.empty() ? scratch->path() : figures, settings);
  }
  output.write(format == "json" ? reproduction_json(results, settings.quick)
                                : reproduction_table(results, settings.quick));
  if (page) page->write(reproduction_page(results, settings.quick));
  return as_expected(results) ? kExitGood : kExitViolation;
}

}  // namespace faultline
