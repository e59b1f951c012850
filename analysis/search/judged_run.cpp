#include "analysis/search/judged_run.hpp"

#include <algorithm>
#include <cctype>
#include <exception>
#include <utility>

#include "analysis/exploration/explorable.hpp"
#include "analysis/lemmas/block_promise.hpp"
#include "analysis/lemmas/recovery_promise.hpp"
#include "analysis/runs/replications.hpp"
#include "analysis/runs/worker_process.hpp"
#include "analysis/search/run_watch.hpp"
#include "analysis/search/unpromised.hpp"
#include "sim/core/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_reader.hpp"

namespace faultline::search {

namespace {

constexpr const char* kFile = "search.json";

/// A message without what differs from run to run: numbers and quoted words.
std::string kind_of_message(const std::string& message) {
  constexpr std::size_t kLongest = 90;
  std::string kind;
  bool quoted = false;
  for (const char letter : message) {
    if (letter == '"') {
      if (!quoted) kind += "\"..\"";
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (std::isdigit(static_cast<unsigned char>(letter)) != 0) {
      if (kind.empty() || kind.back() != '#') kind += '#';
    } else {
      kind += letter;
    }
    if (kind.size() >= kLongest) break;
  }
  return kind;
}

/// The first problem of a refused scenario, without the file's name.
std::string refusal_of(const std::string& problems) {
  std::string first = problems.substr(0, problems.find('\n'));
  const std::string file = std::string(kFile) + ": ";
  if (first.starts_with(file)) first.erase(0, file.size());
  return kind_of_message(first);
}

/// What a run is asked to be: nobody can die, or be late without end.
bool is_undisturbed(const RunSpec& spec) {
  return spec.faults.empty() && spec.fault_sources.empty() && spec.partitions.empty();
}

/// Does nothing disturb a run but deaths of those who stay dead, few enough that a detector can
/// pass on what it knows?
bool has_deaths_alone(const RunSpec& spec) {
  constexpr std::size_t kMostDeaths = 3;
  const auto has = [&](Family family) { return spec.component(family).registration != nullptr; };
  const PlatformSpec& platform = spec.platform;
  std::size_t deaths = 0;
  for (const FaultSpec& fault : spec.faults)
    deaths += fault.ranks.size() + fault.nodes.size() + fault.daemons.size();
  return deaths <= kMostDeaths && has(Family::failure_detection) && !has(Family::transactions) &&
         !has(Family::message_logging) && spec.fault_sources.empty() && spec.slow.empty() &&
         spec.partitions.empty() && platform.detection_loss_probability <= 0.0 &&
         !platform.delay_noise && !platform.os_noise && platform.start_delay_s <= 0.0 &&
         std::ranges::all_of(spec.faults, [](const FaultSpec& fault) { return fault.kills(); });
}

/// The times of all options of a detector, and of what tells it of deaths, for every process. The
/// probe of a connection takes long, and matters to those alone who live by nothing else.
double patience_s(const RunSpec& spec) {
  const ComponentChoice& detector = spec.component(Family::failure_detection);
  const PlatformSpec& platform = spec.platform;
  double all_s = 1.0 + platform.local_exit_delay_s + platform.link_lost_delay_s;
  if (!detector.options.contains("heartbeat_period_s")) all_s += platform.silent_link_lost_delay_s;
  for (const OptionSpec& option : detector.registration->options)
    if (const auto* given = std::get_if<double>(&detector.options.at(option.name));
        given != nullptr && option.unit == "s")
      all_s += *given;
  constexpr double kTimes = 20;  // probes and suspicions take several periods
  return kTimes * (platform.processes + platform.spare_nodes) * all_s;
}

/// When the last of the deaths strikes that a scenario states at a time.
double last_stated_s(const RunSpec& spec) {
  double last_s = 0.0;
  for (const FaultSpec& fault : spec.faults) last_s = std::max(last_s, fault.time_s.value_or(0.0));
  return last_s;
}

class Judge {
 public:
  Judge(Scenario scenario, const JudgeSettings& settings)
      : scenario_(std::move(scenario)), settings_(settings), spec_(scenario_.points.front()) {
    spec_.checks_state = true;
    spec_.stop.events = std::min(spec_.stop.events, settings.events);
  }

  Judgement take() {
    judgement_.as_printed = is_wrong_on_purpose(spec_);
    const ReplicationRecord first = run(scenario_);
    if (!first.run) return without_result(first.error);
    judgement_.outcome = outcome_word(first.run->outcome);
    judgement_.events = static_cast<std::uint64_t>(first.run->events);
    judge_end(*first.run);
    if (judgement_.finding && is_unpromised(scenario_, *first.run)) {
      judgement_.finding.reset();
      judgement_.by_membership = true;
    }
    if (!judgement_.finding && settings_.repeats) repeat(first);
    if (!judgement_.finding) watch(*first.run);
    if (!judgement_.finding && !judgement_.by_membership) ask_for_all_deaths(*first.run);
    if (!judgement_.finding && settings_.compares) compare(*first.run);
    if (!judgement_.finding && settings_.explored_each > 0 &&
        scenario_.seed % settings_.explored_each == 0)
      explore_it();
    return std::move(judgement_);
  }

 private:
  static ReplicationRecord run(const Scenario& scenario) {
    if (scenario.engine == EngineKind::loggp) return simulated(scenario, 0, 0);
    std::string written;
    try {
      in_processes(
          1,
          [&](unsigned, const WriteLine& write) {
            write(replication_line(scenario, simulated(scenario, 0, 0)));
          },
          [&](const std::string& line) { written = line; });
    } catch (const RunError& error) {
      return {.run = std::nullopt, .error = error.what()};
    }
    if (written.empty()) throw RunError("interrupted");
    return read_replication_line(written);
  }

  void found(std::string kind, std::string text) {
    judgement_.finding = Finding{std::move(kind), std::move(text)};
  }

  Judgement without_result(const std::string& error) {
    if (error == "out of memory")
      judgement_.outcome = "memory";
    else if (const std::string reason = refused_at_the_start(); !reason.empty())
      judgement_.refused = "when it runs: " + kind_of_message(reason);
    else
      found("exception: " + kind_of_message(error), error);
    return std::move(judgement_);
  }

  /// What shows only when the run is made, such as a tree that grows too large. The engines say the
  /// same.
  std::string refused_at_the_start() {
    try {
      run_simulation(spec_, EngineKind::loggp, scenario_.seed, 0);
    } catch (const UsageError& error) {
      return error.what();
    } catch (const std::exception&) {
      return {};
    }
    return {};
  }

  /// How the run ended, against what every family promises.
  void judge_end(const RunRecord& run) {
    switch (run.outcome) {
      case Outcome::deadlock:
        if (outlives_deaths(spec_) || run.number("failed_ranks").value_or(0.0) == 0.0)
          found_violation(run);
        return;
      case Outcome::premature:
      case Outcome::wrong_state:
      case Outcome::inconsistent:
      case Outcome::violated:
        return found_violation(run);
      case Outcome::hung:
        if (is_hung_for_good()) found_violation(run);
        return;
      case Outcome::fatal_reported:
        if (!was_in_peace(spec_, run))
          judge_giving_up(run);
        else if (is_given_up_for_good())
          found("gives up in peace", run.fatal_reason);
        return;
      default:
        return;
    }
  }

  void found_violation(const RunRecord& run) {
    const std::string word = outcome_word(run.outcome);
    if (run.violations.empty()) return found(word, "the run ended as " + word);
    const Violation& first = run.violations.front();
    found(first.kind, first.kind + ": " + first.detail);
  }

  /// What is announced late, because everything is slow, is announced all the same.
  bool is_hung_for_good() {
    constexpr double kGrace_s = 1e5;
    Scenario patient = scenario_;
    RunSpec& spec = patient.points.front();
    spec.stop.grace_s = std::max(spec.stop.grace_s, kGrace_s);
    spec.stop.time_s = std::max(spec.stop.time_s, 2 * kGrace_s);
    spec.stop.events *= 10;
    const ReplicationRecord again = run(patient);
    return again.run && again.run->outcome == Outcome::hung;
  }

  /// The same with timeouts that are never too short for the program.
  [[nodiscard]] Scenario with_long_timeouts() const {
    constexpr double kTimeout_s = 1e5;
    Scenario patient = scenario_;
    RunSpec& spec = patient.points.front();
    spec.stop.time_s = std::max(spec.stop.time_s, 10 * kTimeout_s);
    for (auto& [name, value] : spec.components[index_of(Family::transactions)].options)
      if (name.ends_with("_timeout_s")) value = kTimeout_s;
    return patient;
  }

  /// A protocol that gives up because a request has timed out does not do so if it waits longer.
  bool is_given_up_for_good() {
    const ReplicationRecord again = run(with_long_timeouts());
    return again.run && again.run->outcome == Outcome::fatal_reported;
  }

  /// A program of TryBlocks is given up for the reasons on the pages of the protocols, where they
  /// hold. Whether a timeout was long enough, nobody can tell from outside.
  void judge_blocks() {
    const Scenario patient = with_long_timeouts();
    const RunSpec& spec = patient.points.front();
    const std::optional<BlockPromise> promise = block_promise_of(spec);
    if (!promise || !spec.fault_sources.empty() || !spec.partitions.empty()) return;
    BlockLog log(spec.platform.processes, spec.component(Family::transactions));
    const RunResult result = run_simulation(spec, EngineKind::loggp, patient.seed, 0, &log);
    // A detector of termination gives up for its own reasons.
    const bool is_given_up =
        result.outcome == Outcome::fatal_reported &&
        (result.fatal_family == Family::workload || result.fatal_family == Family::transactions);
    if (!is_given_up) return;
    if (const auto broken = against_blocks(*promise, result, log))
      found("needless-fatal", broken->text);
  }

  /// Nobody can come back where no node is left.
  [[nodiscard]] bool nodes_can_run_out() const {
    std::size_t nodes = 0;
    for (const FaultSpec& fault : spec_.faults) nodes += fault.nodes.size() + fault.daemons.size();
    return !spec_.fault_sources.empty() || (nodes > 0 && nodes >= spec_.platform.spare_nodes);
  }

  /// Message logging gives up where the image of a rank is lost, and nowhere else. Of transactions
  /// see judge_blocks().
  void judge_giving_up(const RunRecord& run) {
    if (spec_.component(Family::workload).registration->try_blocks) return judge_blocks();
    const Registration* const logging = spec_.component(Family::message_logging).registration;
    if (logging == nullptr || scenario_.engine != EngineKind::loggp) return;
    if (nodes_can_run_out()) return;
    RecoveryLog log(spec_.platform.processes, *logging);
    RunResult result = run_simulation(spec_, scenario_.engine, scenario_.seed, 0, &log);
    if (result.fatal_reason != run.fatal_reason)
      return found("not deterministic", "an observer changes why the run is given up: " +
                                            run.fatal_reason + "; " + result.fatal_reason);
    if (result.fatal_family != Family::message_logging) return;
    if (const auto broken = against_recovery({.survives_overlaps = false}, result, log))
      found("needless-fatal", broken->text);
  }

  void repeat(const ReplicationRecord& first) {
    const auto line = [&](ReplicationRecord record) {
      record.run->wall_s = 0;
      record.run->peak_rss_bytes = 0;
      return replication_line(scenario_, record);
    };
    const ReplicationRecord second = run(scenario_);
    if (!second.run)
      return found("not deterministic", "the same run once more fails: " + second.error);
    if (line(first) != line(second))
      found("not deterministic", "the same run once more gives another result");
  }

  /// What the scenario states, whatever its protocols, holds in every run.
  void watch(const RunRecord& first) {
    if (scenario_.engine != EngineKind::loggp) return;
    RunWatch seen(spec_);
    const RunResult result = run_simulation(spec_, scenario_.engine, scenario_.seed, 0, &seen);
    if (static_cast<std::int64_t>(result.events) != first.events)
      return found("not deterministic", "an observer changes the run");
    if (seen.breach()) found(seen.breach()->kind, seen.breach()->text);
  }

  /// A detector that is left in peace tells all who live of every death. The same job waits for
  /// nothing else, and for long.
  void ask_for_all_deaths(const RunRecord& first) {
    if (scenario_.engine != EngineKind::loggp || !has_deaths_alone(spec_)) return;
    const double patience = patience_s(spec_);
    const auto last_s = [](const RunRecord& of) {
      return of.number("last_fault_time_s").value_or(0.0);
    };
    Scenario patient = scenario_;
    StopSpec& stop = patient.points.front().stop;
    stop.when = StopWhen::all_reported;
    stop.time_s = std::max(last_s(first), last_stated_s(spec_)) + patience;
    stop.events *= 10;
    const ReplicationRecord again = run(patient);
    if (!again.run || again.run->number("missed_reports").value_or(0.0) == 0.0 ||
        again.run->number("false_reports").value_or(0.0) > 0.0)
      return;
    const double waited_s = again.run->number("end_time_s").value_or(0.0) - last_s(*again.run);
    const bool has_waited = again.run->outcome == Outcome::limit && waited_s >= patience;
    if (has_waited || again.run->outcome == Outcome::deadlock)
      found("missed death", "somebody who lives is never told of a death");
  }

  /// Without faults the engines must agree on how a run ends, and on how many messages the
  /// application sends, if that does not depend on their order.
  void compare(const RunRecord& on_simgrid) {
    if (scenario_.engine != EngineKind::simgrid || !is_undisturbed(spec_)) return;
    Scenario other = scenario_;
    other.engine = EngineKind::loggp;
    const ReplicationRecord on_loggp = run(other);
    if (!on_loggp.run) return found("engines differ", "on loggp: " + on_loggp.error);
    if (on_simgrid.outcome == Outcome::limit || on_loggp.run->outcome == Outcome::limit) return;
    if (on_simgrid.outcome != on_loggp.run->outcome)
      return found("engines differ", std::string(outcome_word(on_simgrid.outcome)) +
                                         " on simgrid, " + outcome_word(on_loggp.run->outcome) +
                                         " on loggp");
    const Registration* const workload = spec_.component(Family::workload).registration;
    constexpr const char* kMessages = "application_messages";
    if (workload->traits.order_free && spec_.stop.when != StopWhen::time &&
        on_simgrid.number(kMessages) != on_loggp.run->number(kMessages))
      found("engines differ", "in the number of messages of the application");
  }

  [[nodiscard]] bool has_erring_detector() const {
    const Registration* const detector = spec_.component(Family::failure_detection).registration;
    return detector != nullptr && detector->name == "erring-oracle";
  }

  /// All orders of a small job, and all deaths if there may be any. What takes time is left out.
  void explore_it() {
    constexpr std::uint32_t kMostProcesses = 3;
    if (spec_.platform.processes > kMostProcesses || scenario_.engine != EngineKind::loggp) return;
    if (has_erring_detector()) return;  // what follows a false report is not promised
    RunSpec plain = spec_;
    plain.faults.clear();
    plain.fault_sources.clear();
    plain.slow.clear();
    plain.partitions.clear();
    plain.platform.delay_noise.reset();
    plain.platform.os_noise.reset();
    plain.platform.start_delay_s = 0.0;
    plain.platform.detection_loss_probability = 0.0;
    Scenario small = scenario_;
    small.points.front() = explored_spec(plain);
    for (const std::uint32_t faults : {1U, 0U})
      if (explores(small, faults)) return;
  }

  /// Returns whether it can be explored with so many deaths.
  bool explores(const Scenario& small, std::uint32_t faults) {
    constexpr std::uint64_t kMostStates = 2000;
    ExplorationRequest request;
    request.faults = faults;
    request.recall = StepRecall::checked;
    request.states = kMostStates;
    request.seed = small.seed;
    Problems problems(kFile);
    refuse_unexplorable(small, request, problems);
    if (!problems.empty()) return false;
    request.spec = small.points.front();
    if (faults > 0 && !outlives_deaths(request.spec)) return false;
    judgement_.explored = true;
    const ExplorationResult result = explore(request);
    if (result.refutation && !result.refutation->violations.empty()) {
      const Violation& first = result.refutation->violations.front();
      found("explored: " + first.kind, first.kind + " in some order: " + first.detail);
    }
    return true;
  }

  Scenario scenario_;
  JudgeSettings settings_;
  RunSpec& spec_;
  Judgement judgement_;
};

std::string text_in(const JsonValue& json, const char* key) {
  const JsonValue* const value = json.find(key);
  return value == nullptr ? std::string() : *value->text();
}

bool is_set(const JsonValue& json, const char* key) {
  const JsonValue* const value = json.find(key);
  return value != nullptr && std::get<bool>(value->data);
}

}  // namespace

bool outlives_deaths(const RunSpec& spec) {
  const auto has = [&](Family family) { return spec.component(family).registration != nullptr; };
  return has(Family::transactions) || has(Family::message_logging) ||
         (has(Family::termination) && spec.stop.when == StopWhen::announced);
}

bool is_wrong_on_purpose(const RunSpec& spec) {
  return std::ranges::any_of(spec.components, [](const ComponentChoice& choice) {
    if (choice.registration == nullptr) return false;
    const auto printed = choice.options.find("as_printed");
    if (printed != choice.options.end() && !std::get<ChosenWords>(printed->second).empty())
      return true;
    const auto is = [&](const char* option, const OptionValue& value) {
      const auto given = choice.options.find(option);
      return given != choice.options.end() && given->second == value;
    };
    return is("protect_recovery", false) || is("dots", std::string("outside"));
  });
}

Judgement judged(const JsonValue& scenario, const JudgeSettings& settings) {
  Judgement judgement;
  try {
    return Judge(parse_scenario(to_json(scenario), kFile), settings).take();
  } catch (const UsageError& error) {
    judgement.refused = refusal_of(error.what());
  } catch (const std::bad_alloc&) {
    judgement.outcome = "memory";
  } catch (const std::exception& error) {
    judgement.finding = Finding{"exception: " + kind_of_message(error.what()), error.what()};
  }
  return judgement;
}

Judgement judged_apart(const JsonValue& scenario, const JudgeSettings& settings) {
  WorkerProcess process;
  process.start(
      [&](const WriteLine& write) { write(to_json(judgement_json(judged(scenario, settings)))); },
      {.memory_limit_B = kMemory_B, .keep_log = true});
  std::string written;
  bool ended = false;
  for (int waited_s = 0; !ended && waited_s < kPatience_s && !InterruptGuard::interrupted();) {
    bool heard = false;
    wait_for_workers(
        {&process},
        [&](std::size_t) {
          heard = true;
          for (std::string& line : process.read_lines(ended)) written = std::move(line);
        },
        1000);
    if (!heard) ++waited_s;
  }
  if (!ended) process.kill();
  const std::string why = ended ? process.finish() : "took too long";
  Judgement judgement;
  if (!written.empty()) {
    Problems problems("judgement");
    judgement = read_judgement(parse_json(written, problems));
  } else {
    judgement.finding = crash(why);
  }
  return judgement;
}

JsonValue judgement_json(const Judgement& judgement) {
  JsonValue json = JsonValue::Object{};
  if (!judgement.refused.empty()) json.set("refused", judgement.refused);
  if (!judgement.outcome.empty()) json.set("outcome", judgement.outcome);
  if (judgement.finding) {
    json.set("kind", judgement.finding->kind);
    json.set("text", judgement.finding->text);
  }
  json.set("by_membership", judgement.by_membership);
  json.set("as_printed", judgement.as_printed);
  json.set("explored", judgement.explored);
  json.set("events", static_cast<std::int64_t>(judgement.events));
  return json;
}

Judgement read_judgement(const JsonValue& json) {
  Judgement judgement;
  judgement.refused = text_in(json, "refused");
  judgement.outcome = text_in(json, "outcome");
  if (json.find("kind") != nullptr)
    judgement.finding = Finding{text_in(json, "kind"), text_in(json, "text")};
  judgement.by_membership = is_set(json, "by_membership");
  judgement.as_printed = is_set(json, "as_printed");
  judgement.explored = is_set(json, "explored");
  judgement.events = static_cast<std::uint64_t>(number_of(*json.find("events")).value_or(0));
  return judgement;
}

Finding crash(const std::string& why) {
  return {"crash", "the process that ran it " + (why.empty() ? "said nothing" : why)};
}

}  // namespace faultline::search
