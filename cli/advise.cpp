// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <fstream>
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
#include "analysis/store/study_rows.hpp"
#include "analysis/store/sweep_estimate.hpp"
#include "analysis/text/shell_words.hpp"
#include "analysis/text/text_table.hpp"
#include "cli/asked_question.hpp"
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
          "       [--out FILE] [--html FILE] [--bundle FILE] [--quiet]",
      .about =
          "Answers which of several protocols to use for a job. FILE is a question: a scenario, "
          "what is to be chosen, and what the choice must keep to; or a scenario alone, for all "
          "that fits it, or a bundle. All alternatives race on common faults until one is ahead. "
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
  add("dry-run", "print the alternatives, those that are refused, and how long it takes to begin");
  add_format(verb, {"table", "json"});
  add_out(verb);
  add("html", po::value<std::string>()->value_name("FILE"), "write the answer as a page, too");
  add("bundle", po::value<std::string>()->value_name("FILE"),
      "write the question, all files that it names, the runs and the answer into one file, from "
      "which others have the same answer: faultline advise FILE");
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

/// The store that the user names, or one that is gone in the end. That one begins with the runs of
/// a bundle.
class KeptRuns {
 public:
  KeptRuns(const std::optional<std::string>& path, const std::optional<std::string>& bundle) {
    if (path) {
      store_.emplace(*path, store::StoreUse::sweep);
      return;
    }
    scratch_.emplace("the runs of a question without --store");
    const std::string own = scratch_->file("advice.sqlite");
    if (bundle) store::ResultStore(*bundle, store::StoreUse::read).copy_to(own);
    try {
      store_.emplace(own, store::StoreUse::sweep);
    } catch (const UsageError& error) {
      const std::string message = error.what();
      if (!bundle || !message.starts_with(own)) throw;
      throw UsageError(*bundle + message.substr(own.size()));
    }
  }
  [[nodiscard]] store::ResultStore& store() { return *store_; }

 private:
  std::optional<ScratchDirectory> scratch_;
  std::optional<store::ResultStore> store_;
};

/// Writes a bundle to its place.
void write_bundle(const advice::Bundle& bundle, store::ResultStore& runs, OutputFile& output) {
  const ScratchDirectory scratch("a bundle");
  const std::string path = scratch.file("bundle.sqlite");
  advice::write_bundle(bundle, runs, path);
  std::ifstream file(path, std::ios::binary);
  std::string block(std::size_t{1} << 20U, ' ');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    output.append(block.substr(0, static_cast<std::size_t>(file.gcount())));
  output.complete();
}

/// Says before the runs what a reader of a bundle should expect.
void note_version(const advice::Bundle& bundle, const scenario::Study& study,
                  const std::string& path) {
  const store::StoredStudy own = store::stored_study(study);
  if (bundle.faultline == own.faultline && bundle.simgrid == own.simgrid) return;
  complain(path + ": is the work of Faultline " + visible(shortened(bundle.faultline)) +
           ", this is " + own.faultline +
           "; all runs are made anew, and the answer may be another one");
}

/// Says after the runs whether they give the answer of the bundle.
void compare_answers(const advice::Bundle& bundle, const std::string& path,
                     const std::string& answer) {
  complain(path + (answer == bundle.answer ? ": has the same answer"
                                           : ": has another answer, in its table bundle"));
}

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

/// What a dry run says: what would race, and how long the first look takes.
std::string dry_run_of(AskedQuestion& asked) {
  const scenario::Study& study = asked.field().study;
  const std::string takes = store::estimate_text(
      study, store::estimate_sweep(study, advice::kFirstRuns * study.points.size()));
  return asked.in_words(advice::dry_run_text(asked.question(), asked.field())) +
         (takes.empty() ? ""
                        : text::wrapped("The first " + std::to_string(advice::kFirstRuns) +
                                        " runs of each take " + takes));
}

std::string json_of(AskedQuestion& asked, const advice::Advice& found) {
  return json::to_json(advice::answer_json(asked.question(), asked.field(), found), 2) + "\n";
}

int answer(const Call& call, AskedQuestion& asked, advice::AdvisorSettings settings) {
  const po::variables_map& values = call.values;
  const std::string path = values["file"].as<std::string>();
  for (const std::string& note : asked.field().study.notes) complain(asked.in_words(note));
  OutputFile output(text_of(values, "out"));
  std::optional<OutputFile> page;
  if (const auto html = text_of(values, "html")) page.emplace(*html, "--html");
  if (values.count("dry-run") != 0) {
    output.write(dry_run_of(asked));
    return runs::kExitGood;
  }
  std::optional<OutputFile> bundle_file;
  std::optional<advice::Bundle> bundle;
  if (const auto file = text_of(values, "bundle")) {
    bundle_file.emplace(*file, "--bundle");
    bundle = asked.new_bundle();
    bundle->is_quick = settings.is_quick;
  }
  if (asked.bundle()) note_version(*asked.bundle(), asked.field().study, path);
  const InterruptGuard guard;
  KeptRuns kept(text_of(values, "store"), asked.bundle() ? std::optional(path) : std::nullopt);
  const advice::Advice found =
      advice::advise(asked.question(), asked.field(), kept.store(), settings);
  if (found.is_interrupted()) {
    complain(values.count("store") != 0
                 ? "interrupted: what was stored stays, and the same command goes on"
                 : "interrupted: nothing is kept without --store");
    return runs::kExitInterrupted;
  }
  Drawings drawings({}, "advise: --html");
  if (page) page->append(page_of(call, asked.question(), asked.field(), found, drawings));
  const std::string as_json = json_of(asked, found);
  if (bundle) {
    bundle->answer = as_json;
    write_bundle(*bundle, kept.store(), *bundle_file);
  }
  output.write(
      values["format"].as<std::string>() == "json"
          ? as_json
          : advice::answer_text(asked.question(), asked.field(), found, output.table_width()));
  if (page) page->complete();
  if (asked.bundle() && !asked.is_changed() && settings.is_quick == asked.bundle()->is_quick)
    compare_answers(*asked.bundle(), path, as_json);
  return drawings.failed() ? runs::kExitRun : runs::kExitGood;
}

int carry_out_advise(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("file") == 0)
    throw UsageError(
        "advise: expected a question or a scenario: faultline advise FILE (see faultline advise "
        "--help)");
  advice::AdvisorSettings settings = advisor_settings(values);
  if (settings.until && values.count("bundle") != 0)
    throw UsageError(
        "advise: --bundle: nobody could have the same answer again, expected no --time-limit");
  AskedQuestion asked(values["file"].as<std::string>(), words_of(values, "set"));
  if (asked.bundle()) settings.is_quick |= asked.bundle()->is_quick;
  try {
    return answer(call, asked, settings);
  } catch (const UsageError& error) {
    throw UsageError(asked.in_words(error.what()));
  }
}

}  // namespace

Verb advise_verb() {
  return {.name = "advise",
          .summary = "answer which protocol to use for a job",
          .options = advise_options,
          .run = carry_out_advise};
}

}  // namespace faultline::cli
