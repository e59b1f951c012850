// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <vector>

#include "analysis/advice/answer.hpp"
#include "analysis/advice/crossovers.hpp"
#include "analysis/runs/exit_code.hpp"
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
          "       [--time-limit S] [--dry-run] [--format table|json] [--out FILE]\n"
          "       [--quiet]",
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
  add("time-limit", po::value<std::string>()->value_name("S"),
      "begin no further runs after so many seconds; the answer says so");
  add("dry-run", "print the alternatives, and those that are refused, and do nothing else");
  add_format(verb, {"table", "json"});
  add_out(verb);
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
  if (values.count("dry-run") != 0) {
    output.write(advice::dry_run_text(question, field));
    return runs::kExitGood;
  }
  const InterruptGuard guard;
  KeptRuns kept(text_of(values, "store"));
  const advice::Findings findings = advice::find_out(question, field, kept.store(), settings);
  const std::vector<advice::Crossovers> crossed =
      advice::crossovers(question, findings, kept.store(), settings);
  if (findings.end == advice::RaceEnd::interrupted ||
      std::ranges::any_of(crossed, [](const advice::Crossovers& one) {
        return one.end == advice::RaceEnd::interrupted;
      })) {
    complain(values.count("store") != 0
                 ? "interrupted: what was stored stays, and the same command goes on"
                 : "interrupted: nothing is kept without --store");
    return runs::kExitInterrupted;
  }
  output.write(values["format"].as<std::string>() == "json"
                   ? json::to_json(advice::answer_json(question, field, findings, crossed), 2) +
                         "\n"
                   : advice::answer_text(question, field, findings, crossed, output.table_width()));
  return runs::kExitGood;
}

}  // namespace

Verb advise_verb() {
  return {.name = "advise",
          .summary = "answer which protocol to use for a job",
          .options = advise_options,
          .run = carry_out_advise};
}

}  // namespace faultline::cli
