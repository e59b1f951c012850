// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "analysis/runs/exit_code.hpp"
#include "analysis/search/aimed_faults.hpp"
#include "analysis/search/judged_run.hpp"
#include "analysis/search/search.hpp"
#include "analysis/search/search_report.hpp"
#include "cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

po::typed_value<std::string>* word(const char* shown) {
  return po::value<std::string>()->value_name(shown);
}

std::uint64_t number_in(const po::variables_map& values, const char* option, std::uint64_t low,
                        std::uint64_t high) {
  return whole_number("search: --" + std::string(option), values[option].as<std::string>(), low,
                      high);
}

double duration_s(const po::variables_map& values) {
  const auto text = values["seconds"].as<std::string>();
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(seconds) || seconds <= 0.0)
    throw UsageError("search: --seconds: expected a number of seconds above 0, got " +
                     json::in_quotes(text));
  return seconds;
}

search::SearchSettings search_settings(const po::variables_map& values) {
  constexpr std::uint64_t kUsualScenarios = 1000;
  search::SearchSettings settings;
  settings.first = number_in(values, "seed", 0, kLargestSeed);
  if (values.count("seconds") != 0) settings.seconds = duration_s(values);
  if (values.count("scenarios") != 0)
    settings.scenarios = number_in(values, "scenarios", 1, 1000000000);
  else if (!settings.seconds)
    settings.scenarios = kUsualScenarios;
  settings.jobs = static_cast<unsigned>(number_in(values, "jobs", 1, 256));
  settings.judging.events = number_in(values, "events", 1, 1000000000);
  settings.judging.as_printed = values.count("as-printed") != 0;
  settings.most_shrunk = number_in(values, "shrink", 0, 10000);
  settings.progress = values.count("quiet") == 0;
  return settings;
}

/// A folder for what is found, made before the search.
void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw UsageError("search: --keep: cannot make the folder " + json::in_quotes(folder));
}

void keep(const search::SearchResult& result, const std::string& folder) {
  for (const search::FoundKind& found : result.found)
    OutputFile((std::filesystem::path(folder) /
                ("search-" + std::to_string(found.numbers.front()) + ".json"))
                   .string(),
               "--keep")
        .write(search::scenario_text(found));
}

/// Judges a scenario as the search would, such as one that the search has kept.
int judge_file(const std::string& file, const search::JudgeSettings& settings, OutputFile& output) {
  json::Problems problems(file);
  const json::JsonValue scenario = json::read_json_file(file, problems);
  problems.throw_if_any();
  const search::Judgement judgement = search::judged_apart(scenario, settings);
  const auto line = [](const std::string& text) { return visible(text) + "\n"; };
  if (!judgement.refused.empty()) throw UsageError(file + ": refused: " + judgement.refused);
  std::string text = judgement.outcome.empty() ? "" : line("outcome: " + judgement.outcome);
  if (judgement.finding)
    text += line(judgement.finding->kind) + line("  " + judgement.finding->text);
  else
    text += line("Nothing was found.");
  output.write(text);
  const bool counts = judgement.finding && (!judgement.as_printed || settings.as_printed);
  return counts ? runs::kExitViolation : runs::kExitGood;
}

int code_of(const search::SearchResult& result) {
  if (!result.found.empty()) return runs::kExitViolation;
  return result.interrupted ? runs::kExitInterrupted : runs::kExitGood;
}

VerbOptions search_options() {
  VerbOptions verb{
      .verb = "search",
      .usage =
          "search [--seed FIRST] [--scenarios N] [--seconds S] [--jobs N]\n"
          "       [--keep FOLDER] [--events N] [--shrink N] [--as-printed]\n"
          "       [--draw NUMBER] [--judge FILE] [--format table|json] [--out FILE]\n"
          "       [--quiet]",
      .about =
          "Draws whole scenarios from what protocols, workloads and machines declare, runs each "
          "and judges the run. Shrinks whatever breaks a rule to a scenario as small as possible. "
          "A scenario depends on its number alone.\n"};
  auto add = verb.options.add_options();
  add("seed", word("FIRST")->default_value("1"), "number of the first scenario");
  add("scenarios", word("N"), "draw N scenarios; default: 1000, or as many as --seconds allows");
  add("seconds", word("S"), "stop after S seconds");
  add("jobs", word("N")->default_value("1"),
      "scenarios at a time; the findings do not depend on it");
  add("keep", word("FOLDER"), "write the scenario of each finding to this folder, for run");
  add("events", word("N")->default_value("100000"), "end a run after N events");
  add("shrink", word("N")->default_value("10"), "shrink at most N findings");
  add("as-printed", "also report what goes wrong in a protocol as printed, or without protection");
  add("draw", word("NUMBER"), "print this scenario and do nothing else");
  add("judge", word("FILE"), "judge this scenario and do nothing else");
  add_format(verb, {"table", "json"});
  add_out(verb);
  add("quiet", "no progress");
  return verb;
}

int carry_out_search(const Call& call) {
  const po::variables_map& values = call.values;
  const search::SearchSettings settings = search_settings(values);
  const auto folder = text_of(values, "keep");
  if (folder) make_folder(*folder);
  OutputFile output(text_of(values, "out"));
  if (values.count("draw") != 0) {
    output.write(
        json::to_json(search::aimed_scenario(number_in(values, "draw", 0, kLargestSeed)), 1) +
        "\n");
    return runs::kExitGood;
  }
  if (const auto file = text_of(values, "judge"))
    return judge_file(*file, settings.judging, output);
  const search::SearchResult result = search::search(settings);
  output.write(values["format"].as<std::string>() == "json"
                   ? search::search_json(result)
                   : search::search_table(result, output.table_width()));
  if (folder) keep(result, *folder);
  if (result.interrupted) complain("interrupted: the search is not complete");
  return code_of(result);
}

}  // namespace

Verb search_verb() {
  return {.name = "search",
          .summary = "draw scenarios that nobody has thought of, and judge their runs",
          .options = search_options,
          .run = carry_out_search};
}

}  // namespace faultline::cli
