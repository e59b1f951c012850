// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <ostream>

#include "analysis/store/study_growth.hpp"
#include "analysis/store/sweep_estimate.hpp"
#include "analysis/store/sweep_plan.hpp"
#include "analysis/store/sweep_run.hpp"
#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

std::string count_of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Tells the user if the store has results by another build of this release: they may differ.
void note_builds(store::ResultStore& store, std::int64_t study_id) {
  const std::string ours(version());
  for (const store::StoredStudy& known : store.studies())
    if (known.id == study_id && known.faultline != ours)
      complain(store.path() + ": has results by Faultline " + known.faultline + ", but this is " +
               ours + ", another build of the release: their results may differ");
}

/// True if a sweep would begin a new store there.
bool is_missing_or_empty(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  return kind == std::filesystem::file_type::not_found ||
         (kind == std::filesystem::file_type::regular &&
          std::filesystem::file_size(path, error) == 0);
}

struct Plan {
  std::string text;      ///< a line, if there is a store
  std::size_t runs = 0;  ///< to simulate; with a precision, the least number
};

/// Describes in a line what a sweep would add to a store. Leaves a file alone that is missing or
/// empty.
Plan plan_for(const scenario::Study& study, const std::string& path, bool may_add,
              const store::SweepSettings& settings) {
  store::check_store_name(path);
  std::vector<store::StoredPoint> stored;
  if (!is_missing_or_empty(path)) {
    store::ResultStore store(path, store::StoreUse::plan);
    if (const auto known = store::study_to_continue(store, study, may_add)) {
      note_builds(store, known->id);
      stored = store.points(known->id);
    }
  }
  const store::SweepPlan plan =
      store::plan_sweep(study, stored, settings.shard, settings.retry_failed);
  std::string text = path + ": " + std::to_string(plan.stored) + " of " +
                     count_of(plan.planned, "point") + " stored";
  if (plan.begun > 0) text += ", " + std::to_string(plan.begun) + " begun";
  if (plan.growing > 0) text += ", " + std::to_string(plan.growing) + " would grow";
  if (plan.failed > 0) text += ", " + std::to_string(plan.failed) + " failed";
  text += study.sweep.precision && plan.runs > 0 ? "; at least " : "; ";
  return {text + count_of(plan.runs, "replication") + " would be simulated\n", plan.runs};
}

std::size_t runs_of(const scenario::Study& study) {
  std::size_t runs = 0;
  for (const scenario::StudyPoint& point : study.points) runs += point.replications;
  return runs;
}

std::string dry_run_text(const scenario::Study& study, const Plan& plan) {
  constexpr std::size_t kShown = 1000;
  const auto& precision = study.sweep.precision;
  std::string text = study.file + ": " + count_of(study.points.size(), "point");
  std::string list;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    if (i < kShown)
      list += "  point " + std::to_string(i) + ": " + scenario::point_label(study, i) + "\n";
  }
  text += precision
              ? ", until half the interval of " + precision->metric + " is within " +
                    json::shortest(precision->relative_half_width) + " of the mean, at most " +
                    count_of(precision->most_replications, "replication") + " each\n"
              : ", " + count_of(runs_of(study), "run") + "\n";
  text += plan.text;
  text += store::estimate_text(study, store::estimate_sweep(study, plan.runs));
  if (study.points.size() == 1) return text;
  if (study.points.size() > kShown)
    list += "  and " + std::to_string(study.points.size() - kShown) + " more\n";
  return text + list;
}

double seconds(const std::string& option, const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && value > 0 && value <= 1e9) return value;
  throw UsageError(option + ": expected a number of seconds above 0 and at most 1e9, got " +
                   json::in_quotes(text));
}

store::Shard shard_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    throw UsageError("sweep: --shard: expected I/N, for instance 1/4, got " +
                     json::in_quotes(text));
  const auto count = whole_number("sweep: --shard: N", text.substr(slash + 1), 1, 1000000);
  const auto index = whole_number("sweep: --shard: I", text.substr(0, slash), 1, count);
  return {index - 1, count};
}

scenario::ScenarioOverrides overrides_of(const po::variables_map& values) {
  scenario::ScenarioOverrides overrides;
  overrides.sets = words_of(values, "set");
  if (values.count("replications") == 0) return overrides;
  const std::string text = values["replications"].as<std::string>();
  whole_number("sweep: --replications", text, 1, 1000000);
  overrides.sets.push_back("replications=" + text);
  return overrides;
}

store::SweepSettings settings_of(const po::variables_map& values) {
  const auto text = [&](const char* option) { return values[option].as<std::string>(); };
  store::SweepSettings settings;
  settings.jobs = static_cast<unsigned>(whole_number("sweep: --jobs", text("jobs"), 1, 4096));
  if (values.count("shard") != 0) settings.shard = shard_of(text("shard"));
  settings.retry_failed = values.count("retry-failed") != 0;
  settings.progress = values.count("quiet") == 0;
  if (values.count("memory-limit") != 0)
    settings.memory_limit_B =
        whole_number("sweep: --memory-limit", text("memory-limit"), 1, 1U << 30U) << 20U;
  if (values.count("time-limit") != 0)
    settings.time_limit_s = seconds("sweep: --time-limit", text("time-limit"));
  return settings;
}

store::SweepOutcome swept(const scenario::Study& study, std::int64_t study_id,
                          store::ResultStore& store, const store::SweepSettings& settings) {
  try {
    return store::run_sweep(study, study_id, store, settings);
  } catch (const RunError& error) {
    throw RunError(error.what() +
                   std::string("; what was stored before stays, and the same command goes on"));
  }
}

void explain_failures(const scenario::Study& study, const store::SweepOutcome& outcome) {
  for (const auto& [number, failure] : outcome.failures) {
    const std::string label = scenario::point_label(study, number);
    std::string point = "point " + std::to_string(number);
    if (!label.empty()) point.append(" (").append(label).append(")");
    complain(point.append(": ").append(failure));
  }
}

std::string summary_text(const std::string& path, const store::SweepOutcome& outcome,
                         const store::Shard& shard, const runs::RunCount& runs) {
  std::string text = path + ": " + std::to_string(outcome.stored) + " of " +
                     count_of(outcome.planned, "point") + " stored";
  if (shard.count > 1)
    text += " as far as shard " + std::to_string(shard.index + 1) + "/" +
            std::to_string(shard.count) + " goes";
  if (outcome.stored_before > 0) text += ", " + std::to_string(outcome.stored_before) + " before";
  if (outcome.grown > 0) text += ", " + std::to_string(outcome.grown) + " grown";
  if (outcome.failed > 0) text += ", " + std::to_string(outcome.failed) + " failed";
  if (runs.cut_off > 0) text += "; " + runs::cut_off_count(runs);
  text += "\n";
  if (outcome.longer > 0)
    text += path + ": " + count_of(outcome.longer, "point") +
            (outcome.longer == 1 ? " has" : " have") +
            " more replications than this study asks for; kept\n";
  if (outcome.kept > 0)
    text += path + ": " + count_of(outcome.kept, "point") +
            (outcome.kept == 1 ? " of the store is" : " of the store are") +
            " not in this study; kept\n";
  return text;
}

VerbOptions sweep_options() {
  VerbOptions verb{.verb = "sweep",
                   .usage =
                       "sweep FILE --store RESULTS [--set PATH=VALUE]...\n"
                       "       [--replications N] [--jobs N] [--shard I/N]\n"
                       "       [--memory-limit MIB] [--time-limit S] [--retry-failed]\n"
                       "       [--add-study] [--dry-run] [--quiet]",
                   .about =
                       "Simulates every point of the scenario's sweep and keeps the results in a "
                       "file. If it was stopped, the same command continues. With more "
                       "replications or values, it adds what the file lacks. docs/sweeps.md "
                       "explains how to write a sweep."};
  auto add = verb.options.add_options();
  add("store", po::value<std::string>()->value_name("RESULTS"),
      "file in which the results are kept");
  add("set", po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
      "change the scenario; VALUE is JSON, as for run");
  add("replications", po::value<std::string>()->value_name("N"), "instead of the scenario's");
  add("jobs", po::value<std::string>()->value_name("N")->default_value("1"),
      "batches of replications to simulate at a time; results do not depend on it");
  add("shard", po::value<std::string>()->value_name("I/N"),
      "simulate the I-th of N parts of the study, counted from 1");
  add("memory-limit", po::value<std::string>()->value_name("MIB"),
      "a point that needs more memory fails; the others go on");
  add("time-limit", po::value<std::string>()->value_name("S"),
      "a point of which a replication takes longer fails; the others go on");
  add("retry-failed", "try the failed points of earlier sweeps again");
  add("add-study", "keep a changed scenario next to the studies in the store");
  add("dry-run", "check every point, and print what would run and, with --store, what is there");
  add("quiet", "no progress");
  verb.hidden.add_options()("file", po::value<std::string>());
  verb.positional.add("file", 1);
  return verb;
}

int carry_out_sweep(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("file") == 0)
    throw UsageError(
        "sweep: expected a scenario file: faultline sweep FILE --store RESULTS.sqlite "
        "(see faultline sweep --help)");
  const scenario::Study study =
      scenario::load_study(values["file"].as<std::string>(), overrides_of(values));
  for (const std::string& note : study.notes) complain(note);
  if (values.count("dry-run") != 0) {
    const auto store = text_of(values, "store");
    const bool may_add = values.count("add-study") != 0;
    call.out << dry_run_text(study, store ? plan_for(study, *store, may_add, settings_of(values))
                                          : Plan{"", runs_of(study)});
    return runs::kExitGood;
  }
  if (values.count("store") == 0)
    throw UsageError(
        "sweep: expected --store RESULTS.sqlite, the file in which the results are kept");
  const store::SweepSettings settings = settings_of(values);
  // An interrupt while a new store is being created would leave one without its tables.
  const InterruptGuard guard;
  store::ResultStore store(values["store"].as<std::string>(), store::StoreUse::sweep);
  const std::int64_t study_id = store::open_study(
      store, study, values.count("add-study") != 0 ? store::Growth::or_add : store::Growth::only);
  note_builds(store, study_id);
  const store::SweepOutcome outcome = swept(study, study_id, store, settings);
  explain_failures(study, outcome);
  if (outcome.interrupted)
    std::fprintf(stderr, "faultline: interrupted: %zu of %zu points are stored\n", outcome.stored,
                 outcome.planned);
  else
    call.out << summary_text(store.path(), outcome, settings.shard,
                             store::run_count(store, study_id, study, settings.shard));
  return store::exit_code(outcome, store, study_id, study, settings.shard);
}

}  // namespace

Verb sweep_verb() {
  return {.name = "sweep",
          .summary = "simulate every point of a sweep, and store the results",
          .options = sweep_options,
          .run = carry_out_sweep};
}

}  // namespace faultline::cli
