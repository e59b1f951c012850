// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/advice.hpp"
#include "analysis/advice/answer.hpp"
#include "analysis/advice/answer_page.hpp"
#include "analysis/advice/crossovers.hpp"
#include "analysis/reproduction/page.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/text/shell_words.hpp"
#include "analysis/text/text_table.hpp"
#include "cli/drawings.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/scratch_directory.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

VerbOptions advise_options() {
  VerbOptions verb{
      .verb = "advise",
      .usage =
          "advise FILE [--store RESULTS] [--set PATH=VALUE]... [--jobs N]\n"
          "       [--quick] [--time-limit S] [--dry-run] [--format table|json]\n"
          "       [--out FILE] [--html FILE] [--quiet]",
      .about =
          "Answers which of several protocols to use for a job. FILE is a question: a scenario, "
          "what is to be chosen, and what the choice must keep to; or a scenario alone, for all "
          "that fits it. All alternatives race on common faults until one is ahead. "
          "docs/advise.md explains questions and answers."};
  auto add = verb.options.add_options();
  add("store", po::value<std::string>()->value_name("RESULTS"),
      "file in which the runs are kept; the same question goes on from there");
  add("set", po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
      "change the question; VALUE is JSON, as in --set scenario.platform.processes=64");
  add("jobs", po::value<std::string>()->value_name("N")->default_value("1"),
      "runs to simulate at a time; the answer does not depend on it");
  add("quick", "at most 40 runs of each, and no look at what the answer rests on");
  add("time-limit", po::value<std::string>()->value_name("S"),
      "begin no further runs after so many seconds; the answer says so");
  add("dry-run", "print the alternatives, and those that are refused, and do nothing else");
  add_format(verb, {"table", "json"});
  add_out(verb);
  add("html", po::value<std::string>()->value_name("FILE"), "write the answer as a page, too");
  add("quiet", "no progress");
  verb.hidden.add_options()("file", po::value<std::string>());
  verb.positional.add("file", 1);
  return verb;
}

advice::AdvisorSettings advisor_settings(const po::variables_map& values) {
  advice::AdvisorSettings settings;
  settings.jobs = static_cast<unsigned>(
      whole_number("advise: --jobs", values["jobs"].as<std::string>(), 1, 4096));
  settings.progress = values.count("quiet") == 0;
  settings.is_quick = values.count("quick") != 0;
  if (const auto limit = text_of(values, "time-limit"))
    settings.until =
        std::chrono::steady_clock::now() +
        std::chrono::seconds(whole_number("advise: --time-limit", *limit, 1, 1000000000));
  return settings;
}

/// The store that the user names, or one that is gone in the end.
class KeptRuns {
 public:
  explicit KeptRuns(const std::optional<std::string>& path) {
    if (!path) scratch_.emplace("the runs of a question without --store");
    store_.emplace(path ? *path : scratch_->file("advice.sqlite"), store::StoreUse::sweep);
  }
  [[nodiscard]] store::ResultStore& store() { return *store_; }

 private:
  std::optional<ScratchDirectory> scratch_;
  std::optional<store::ResultStore> store_;
};

std::string page_of(const Call& call, const advice::Question& question, const advice::Field& field,
                    const advice::Advice& found, Drawings& drawings) {
  std::vector<std::string> words = {"faultline", "advise"};
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  drawing::HtmlPage page(question.name.empty() ? "Advice" : question.name,
                         drawing::escaped(reproduction::versions_of_this_build()) +
                             ". This page again: <code>" +
                             drawing::escaped(text::shell_line(words)) + "</code>");
  std::map<std::string, std::string> drawn;
  for (const drawing::Chart& chart : advice::crossover_charts(found))
    drawn[chart.stem] = drawings.draw(chart.stem, text::csv_records(drawing::chart_rows(chart)),
                                      drawing::chart_script(chart));
  advice::add_answer(page, field, found, drawn);
  return page.text();
}

int carry_out_advise(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("file") == 0)
    throw UsageError(
        "advise: expected a question or a scenario: faultline advise FILE (see faultline advise "
        "--help)");
  const advice::AdvisorSettings settings = advisor_settings(values);
  const advice::Question question =
      advice::load_question(values["file"].as<std::string>(), words_of(values, "set"));
  advice::Field field = advice::field_of(question);
  advice::check_paths(question);
  for (const std::string& note : field.study.notes) complain(note);
  OutputFile output(text_of(values, "out"));
  const auto html = text_of(values, "html");
  std::optional<OutputFile> page;
  if (html) page.emplace(*html, "--html");
  if (values.count("dry-run") != 0) {
    output.write(advice::dry_run_text(question, field));
    return runs::kExitGood;
  }
  const InterruptGuard guard;
  KeptRuns kept(text_of(values, "store"));
  const advice::Advice found = advice::advise(question, field, kept.store(), settings);
  if (found.is_interrupted()) {
    complain(values.count("store") != 0
                 ? "interrupted: what was stored stays, and the same command goes on"
                 : "interrupted: nothing is kept without --store");
    return runs::kExitInterrupted;
  }
  Drawings drawings({}, "advise: --html");
  if (page) page->append(page_of(call, question, field, found, drawings));
  output.write(values["format"].as<std::string>() == "json"
                   ? json::to_json(advice::answer_json(question, field, found), 2) + "\n"
                   : advice::answer_text(question, field, found, output.table_width()));
  if (page) page->complete();
  return drawings.failed() ? runs::kExitRun : runs::kExitGood;
}

}  // namespace

Verb advise_verb() {
  return {.name = "advise",
          .summary = "answer which protocol to use for a job",
          .options = advise_options,
          .run = carry_out_advise};
}

}  // namespace faultline::cli
