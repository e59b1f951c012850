#include "sim/cli/sweep.hpp"

#include <ostream>

#include "analysis/replications.hpp"
#include "sim/cli/options.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/study.hpp"

namespace faultline {

namespace {

namespace po = boost::program_options;

VerbOptions sweep_options() {
  VerbOptions verb{
      .verb = "sweep",
      .usage =
          "sweep FILE --store RESULTS.sqlite [--set PATH=VALUE]... [--jobs N]\n"
          "       [--shard I/N] [--memory-limit MIB] [--time-limit S]\n"
          "       [--retry-failed] [--add-study] [--dry-run] [--quiet]",
      .about =
          "Simulates every point of the scenario's sweep and keeps the results in a file. "
          "The same command again goes on where it was stopped. docs/sweeps.md has the "
          "form of a sweep."};
  auto add = verb.options.add_options();
  add("store", po::value<std::string>()->value_name("RESULTS"), "where the results are kept");
  add("set", po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
      "change the scenario; VALUE is JSON, as for run");
  add("jobs", po::value<std::string>()->value_name("N")->default_value("1"),
      "points at a time; results do not depend on their number");
  add("shard", po::value<std::string>()->value_name("I/N"),
      "the I-th of N parts of the study, counted from 1");
  add("memory-limit", po::value<std::string>()->value_name("MIB"),
      "a point that takes more fails, alone");
  add("time-limit", po::value<std::string>()->value_name("S"),
      "a point that takes longer fails, alone");
  add("retry-failed", "try the failed points of earlier sweeps again");
  add("add-study", "keep a changed scenario beside what the store has");
  add("dry-run", "check every point and say what would run");
  add("quiet", "no progress");
  verb.hidden.add_options()("file", po::value<std::string>());
  verb.positional.add("file", 1);
  return verb;
}

std::string count_of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string dry_run_text(const Study& study) {
  constexpr std::size_t kShown = 1000;
  const auto& precision = study.sweep.precision;
  std::string text = study.file + ": " + count_of(study.points.size(), "point");
  std::size_t runs = 0;
  std::string list;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    runs += point_scenario(study, i).replications;
    if (i < kShown) list += "  point " + std::to_string(i) + ": " + point_label(study, i) + "\n";
  }
  text += precision ? ", until half the interval of " + precision->metric + " is within " +
                          shortest(precision->relative_half_width) + " of the mean, at most " +
                          count_of(precision->most_replications, "replication") + " each\n"
                    : ", " + count_of(runs, "run") + "\n";
  if (study.points.size() == 1) return text;
  if (study.points.size() > kShown)
    list += "  and " + std::to_string(study.points.size() - kShown) + " more\n";
  return text + list;
}

}  // namespace

int sweep_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = sweep_options();
  const po::variables_map values = parse_options(verb, arguments);
  if (values.count("help") != 0) {
    out << help_text(verb);
    return kExitGood;
  }
  if (values.count("file") == 0)
    throw UsageError(
        "sweep: expected a scenario file: faultline sweep FILE --store RESULTS.sqlite "
        "(faultline sweep --help tells more)");
  ScenarioOverrides overrides;
  if (values.count("set") != 0) overrides.sets = values["set"].as<std::vector<std::string>>();
  const Study study = load_study(values["file"].as<std::string>(), overrides);
  if (values.count("dry-run") != 0) {
    out << dry_run_text(study);
    return kExitGood;
  }
  throw UsageError("sweep: expected --store RESULTS.sqlite");
}

}  // namespace faultline
