// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <utility>

#include "analysis/exploration/explorable.hpp"
#include "analysis/exploration/exploration_report.hpp"
#include "analysis/exploration/goal.hpp"
#include "analysis/exploration/seen_states.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/runs/progress.hpp"
#include "analysis/traces/ordered_trace.hpp"
#include "analysis/traces/space_time_page.hpp"
#include "cli/output_file.hpp"
#include "cli/scenario_options.hpp"
#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/overrides.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

constexpr std::uint64_t kMostStates = exploration::SeenStates::kMostStates;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

std::size_t place_in(const std::vector<std::string>& words, const std::string& word) {
  std::size_t place = 0;
  while (words.at(place) != word) ++place;
  return place;
}

std::uint64_t number_of(const po::variables_map& values, const char* option, std::uint64_t low,
                        std::uint64_t high) {
  return whole_number("explore: --" + std::string(option), values[option].as<std::string>(), low,
                      high);
}

double seconds_of(const po::variables_map& values, const char* option) {
  const auto text = values[option].as<std::string>();
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(seconds) || seconds <= 0.0)
    throw UsageError("explore: --" + std::string(option) +
                     ": expected a number of seconds above 0, got " + json::in_quotes(text));
  return seconds;
}

/// Reads how many ranks stall, and for how long.
void read_stalls(const po::variables_map& values, exploration::ExplorationRequest& request) {
  request.stalls =
      static_cast<std::uint32_t>(number_of(values, "stalls", 0, exploration::kMostExplored));
  const bool has_time = values.count("stall-time") != 0;
  if (request.stalls > 0 && !has_time)
    throw UsageError("explore: --stalls: needs --stall-time, how long a stall lasts");
  if (request.stalls == 0 && has_time)
    throw UsageError("explore: --stall-time: has no effect without --stalls");
  if (!has_time) return;
  request.stall_s = seconds_of(values, "stall-time");
  if (request.timers != exploration::TimerRule::patient)
    throw UsageError("explore: --stalls: expected --timers patient, since no time passes");
}

/// Refuses an exchange of ranks that the user asked for and that this search cannot do.
void refuse_idle_exchange(const exploration::ExplorationRequest& request) {
  if (request.alike == exploration::RankOrder::kept || exploration::exchanges_ranks(request))
    return;
  throw UsageError(
      "explore: --alike exchanged: expected a search by breadth or depth that remembers steps: not "
      "--search random, --timers patient, --losses or --departures any");
}

exploration::ExplorationRequest exploration_request(const po::variables_map& values) {
  exploration::ExplorationRequest request;
  request.faults =
      static_cast<std::uint32_t>(number_of(values, "faults", 0, exploration::kMostFaults));
  request.crash = exploration::crash_named(values["crash"].as<std::string>());
  request.search = static_cast<exploration::SearchOrder>(
      place_in(exploration::search_words(), values["search"].as<std::string>()));
  request.timers = static_cast<exploration::TimerRule>(
      place_in(exploration::timers_words(), values["timers"].as<std::string>()));
  request.departures = static_cast<exploration::Departures>(
      place_in(exploration::departures_words(), values["departures"].as<std::string>()));
  request.alike = static_cast<exploration::RankOrder>(
      place_in(exploration::alike_words(), values["alike"].as<std::string>()));
  if (values.count("depth") != 0)
    request.depth = static_cast<std::uint32_t>(number_of(values, "depth", 1, 1000000));
  if (values.count("states") != 0) request.states = number_of(values, "states", 1, kMostStates);
  if (values.count("time-limit") != 0) request.time_limit_s = seconds_of(values, "time-limit");
  if (values.count("message-time") != 0) {
    request.message_s = seconds_of(values, "message-time");
    if (request.timers != exploration::TimerRule::patient)
      throw UsageError("explore: --message-time: expected --timers patient, since no time passes");
  }
  request.losses =
      static_cast<std::uint32_t>(number_of(values, "losses", 0, exploration::kMostFaults));
  read_stalls(values, request);
  request.memory_B = number_of(values, "memory", 1, 1U << 24U) * kMiB;
  request.walks = number_of(values, "walks", 1, 1000000000);
  request.jobs = static_cast<unsigned>(number_of(values, "jobs", 1, 256));
  if (!values["alike"].defaulted()) refuse_idle_exchange(request);
  return request;
}

/// Reads which ranks may die. Throws UsageError if the job has no such rank.
std::vector<ActorId> victims_of(const po::variables_map& values,
                                const exploration::ExplorationRequest& request) {
  const bool in_order = values.count("in-order") != 0;
  if (values.count("victims") == 0) {
    if (in_order) throw UsageError("explore: --in-order: needs --victims, whose order it keeps");
    return {};
  }
  if (request.faults == 0) throw UsageError("explore: --victims: has no effect without --faults");
  std::vector<ActorId> victims;
  const std::uint64_t last = request.spec.platform.processes - 1;
  for (const std::string& word : split_at_commas(values["victims"].as<std::string>())) {
    const auto victim = static_cast<ActorId>(whole_number("explore: --victims", word, 0, last));
    if (std::find(victims.begin(), victims.end(), victim) != victims.end())
      throw UsageError("explore: --victims: rank " + word + " is named twice");
    victims.push_back(victim);
  }
  return victims;
}

/// Reads what the search looks for, and which states it does not look beyond.
void read_goals(const po::variables_map& values, exploration::ExplorationRequest& request) {
  if (values.count("goal") != 0) {
    const std::string name = values["goal"].as<std::string>();
    const std::vector<std::string> words = exploration::goal_words(request.spec);
    if (std::find(words.begin(), words.end(), name) == words.end())
      throw UsageError(
          "explore: --goal: expected a property of the job's components, or how a run "
          "ends, got " +
          json::in_quotes(name) + json::suggestion(name, words));
    request.goal = exploration::goal_named(request.spec, name);
  }
  if (values.count("prune") == 0) return;
  const std::string name = values["prune"].as<std::string>();
  request.prune = exploration::find_property(request.spec, name);
  if (request.prune) return;
  std::vector<std::string> names;
  for (const engine::DeclaredProperty& declared : engine::properties_of(request.spec))
    names.push_back(declared.property->name);
  throw UsageError("explore: --prune: expected a property of the job's components, got " +
                   json::in_quotes(name) +
                   (names.empty() ? ", and they declare none" : json::suggestion(name, names)));
}

/// The scenario as the user wrote it, with the changes of the command line.
json::JsonValue written_scenario(const std::string& file,
                                 const scenario::ScenarioOverrides& overrides) {
  json::Problems problems(file);
  json::JsonValue root = json::parse_json(json::read_json_text(file), problems);
  for (const std::string& set : overrides.sets) scenario::apply_set(root, set, problems);
  return root;
}

exploration::ExplorationResult searched(const exploration::ExplorationRequest& request,
                                        bool progress) {
  runs::ProgressTeller teller(progress);
  exploration::ExplorationResult result =
      exploration::explore(request, [&](const exploration::ExplorationProgress& so_far) {
        if (teller.due())
          teller.tell(std::to_string(so_far.states) + " states, " + std::to_string(so_far.waiting) +
                      " waiting, depth " + std::to_string(so_far.depth));
        return !InterruptGuard::interrupted();
      });
  teller.finish();
  return result;
}

/// The space-time page of a run in a stated order. Throws BrokenInvariant.
std::string page_of(const scenario::RunSpec& spec, const scenario::RunOrder& order,
                    const scenario::Scenario& scenario) {
  const scenario::RunSpec ordered = traces::in_order(spec, order);
  const traces::TraceTitle title{
      .scenario = scenario.name, .point = "", .engine = "loggp", .seed = scenario.seed};
  return traces::space_time_page(traces::recorded(ordered, scenario.seed), ordered, title);
}

void write_page(OutputFile& page, const exploration::ExplorationReport& report) {
  if (!report.told) {
    complain("explore: --trace: there is no run to draw");
    return;
  }
  try {
    page.write(page_of(report.scenario.points.front(), report.told->order, report.scenario));
  } catch (const BrokenInvariant& broken) {
    complain(std::string("explore: --trace: the run breaks off: ") + broken.what());
  }
}

int code_of(const exploration::ExplorationResult& result) {
  if (result.limit == exploration::SearchLimit::interrupt) return runs::kExitInterrupted;
  switch (result.verdict) {
    case exploration::ExplorationResult::Verdict::exhausted:
    case exploration::ExplorationResult::Verdict::reached:
      return runs::kExitGood;
    case exploration::ExplorationResult::Verdict::violated:
      return runs::kExitViolation;
    case exploration::ExplorationResult::Verdict::bounded:
      break;
  }
  return runs::kExitRun;
}

po::typed_value<std::string>* text(const char* shown) {
  return po::value<std::string>()->value_name(shown);
}

/// The options that most people need.
void add_bounds(VerbOptions& verb) {
  auto add = verb.options.add_options();
  add("faults", text("K")->default_value("0"), "at most K actors die in a run");
  add("crash", text("WHERE")->default_value("anywhere"),
      "anywhere: also between two sends or actions of one handler; between-events: only between "
      "handlers; calm: only when nothing can happen but the end of a computation; "
      "calm-together: the same, and several at once; none: nobody dies");
  add("goal", text("NAME"),
      "search only for a state that has this property, or for a run with this outcome");
  add("counterexample", text("FILE"),
      "write the run that breaks a promise or reaches the goal as a scenario for run and trace");
  add("jobs", text("N")->default_value("1"), "threads; results do not depend on their number");
  add("time-limit", text("T"), "stop after T seconds");
  verb.choices["crash"] = only(exploration::crash_words());
}

/// The options for deaths, timers and the network, and for what tells states apart.
void add_what_happens(VerbOptions& verb) {
  auto add = verb.options.add_options();
  add("victims", text("LIST"), "only these ranks can die: 1,2");
  add("in-order", "the victims die in the order in which --victims lists them");
  add("timers", text("RULE")->default_value("any"),
      "any: each timer can run out whenever something can happen; patient: only when nothing else "
      "can happen, in the order of their times");
  add("message-time", text("S"),
      "with --timers patient: a message takes up to S seconds, so that a timer can run out before "
      "it arrives");
  add("stalls", text("K")->default_value("0"),
      "with --timers patient: up to K ranks do nothing for --stall-time, each once");
  add("stall-time", text("S"), "how long a stall lasts, in seconds");
  add("losses", text("K")->default_value("0"),
      "up to K messages of failure detection between nodes are lost in a run");
  add("departures", text("WHEN")->default_value("at-once"),
      "at-once: a message enters the network when it is sent; any: a message to another node may "
      "first wait for the NIC, where actors share it");
  add("histories",
      "tell states apart by what each rank has done, so that every run in which a rank gives up is "
      "judged");
  add("alike", text("WHAT")->default_value("exchanged"),
      "exchanged: treat states that differ only by an exchange of like ranks as one; kept: tell "
      "them apart");
  verb.choices["timers"] = only(exploration::timers_words());
  verb.choices["departures"] = only(exploration::departures_words());
  verb.choices["alike"] = only(exploration::alike_words());
}

/// The options for the order in which the search looks at states, and for its end.
void add_search(VerbOptions& verb) {
  auto add = verb.options.add_options();
  add("search", text("ORDER")->default_value("breadth"),
      "breadth (finds a shortest run), depth, or random (walks from the start)");
  add("walks", text("N")->default_value("10000"), "with --search random: number of walks");
  add("prune", text("NAME"), "do not look beyond states that have this property");
  add("depth", text("N"), "look at most N steps from the start");
  add("states", text("N"), "stop when N states are stored");
  add("memory", text("N")->default_value("4096"), "stop when the states take N MiB");
  verb.choices["search"] = only(exploration::search_words());
}

VerbOptions explore_options() {
  VerbOptions verb{
      .verb = "explore",
      .usage =
          "explore FILE [--faults K] [--crash WHERE] [--goal NAME]\n"
          "       [--counterexample FILE] [--jobs N] [--time-limit T] [OPTION]...",
      .about =
          "Runs a small job through every order of its events, with deaths wherever they can "
          "strike. If a run breaks a promise, shows a shortest one that does.\n",
      .needed = {"faults", "crash", "goal", "counterexample", "jobs", "time-limit"}};
  add_bounds(verb);
  add_what_happens(verb);
  add_search(verb);
  add_format(verb, {"table", "json"});
  add_out(verb);
  verb.options.add_options()("trace", text("FILE"),
                             "draw the run as a page with a space-time diagram (.html)")(
      "quiet", "no progress");
  add_scenario_options(verb);
  return verb;
}

int carry_out_explore(const Call& call) {
  const po::variables_map& values = call.values;
  const std::string file = scenario_file(call.verb, values);
  exploration::ExplorationRequest request = exploration_request(values);
  const scenario::ScenarioOverrides overrides = scenario_overrides(call.verb, values);
  const scenario::Scenario scenario = scenario::load_scenario(file, overrides);
  json::Problems problems(file);
  exploration::refuse_unexplorable(scenario, request, problems);
  problems.throw_if_any();
  request.spec = exploration::explored_spec(scenario.points.front());
  request.seed = scenario.seed;
  request.victims = victims_of(values, request);
  request.in_order = values.count("in-order") != 0;
  request.histories = values.count("histories") != 0;
  read_goals(values, request);
  OutputFile output(text_of(values, "out"));
  std::optional<OutputFile> case_file;
  std::optional<OutputFile> page;
  if (values.count("counterexample") != 0)
    case_file.emplace(text_of(values, "counterexample"), "--counterexample");
  if (values.count("trace") != 0) page.emplace(text_of(values, "trace"), "--trace");

  const InterruptGuard guard;
  const exploration::ExplorationResult result = searched(request, values.count("quiet") == 0);
  exploration::ExplorationReport report{scenario, request, result, std::nullopt, std::nullopt};
  if (const exploration::Refutation* found = exploration::found_by(result)) {
    report.told = exploration::told_run(request, found->steps);
    report.counterexample = exploration::counterexample(
        written_scenario(file, overrides), report.told->order,
        scenario.name + ": " +
            (request.goal ? request.goal->name : found->violations.front().kind));
  }
  output.write(values["format"].as<std::string>() == "json"
                   ? exploration::exploration_json(report)
                   : exploration::exploration_table(report, output.table_width()));
  if (case_file && report.counterexample)
    case_file->write(json::to_json(*report.counterexample, 2) + "\n");
  if (page) write_page(*page, report);
  if (result.limit == exploration::SearchLimit::interrupt)
    complain("interrupted: the search is not complete");
  return code_of(result);
}

}  // namespace

Verb explore_verb() {
  return {.name = "explore",
          .summary = "check every order of events in a small job, with deaths anywhere",
          .options = explore_options,
          .run = carry_out_explore};
}

}  // namespace faultline::cli
