// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/exploration/step.hpp"
#include "sim/engine/stepwise/state_properties.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::exploration {

/// Where deaths may strike.
enum class CrashPlaces : std::uint8_t {
  anywhere,        ///< between two steps, and between any two sends and actions of one
  between_events,  ///< between two steps
  calm,            ///< only when nothing can happen but ends of computations
  calm_together,   ///< as `calm`, and further deaths at the same moment
  none,
};

/// The order in which a search expands states.
enum class SearchOrder : std::uint8_t {
  breadth,  ///< nearest to the start first, so that the run to a violation is a shortest one
  depth,
  random,  ///< random walks from the start
};

/// What a search looks for instead of broken promises.
struct Goal {
  std::string name;
  std::optional<engine::DeclaredProperty> property =
      {};  ///< if empty, an end with this outcome or violation
};

/// What a search does with a step that it has seen in another state: see StepMemory.
enum class StepRecall : std::uint8_t {
  steps,    ///< remembers what the step does
  checked,  ///< for tests: the engine takes it all the same, and must reach the same state
  nothing,  ///< the engine takes the step again
};

/// What a search does with ranks that are alike: exchanging them turns every run of the job into
/// another one.
enum class RankOrder : std::uint8_t {
  kept,       ///< tells states apart that differ by an exchange
  exchanged,  ///< takes one of these states for all
};

/// When timers run out.
enum class TimerRule : std::uint8_t {
  any,      ///< whenever the search likes: no time passes
  patient,  ///< when nothing else can happen, in the order of their times
};

/// When a message to another node enters the network, where actors share NICs.
enum class Departures : std::uint8_t {
  at_once,  ///< when it is sent
  any,      ///< then or later, in the order of the node's messages, if its sender lives
};

/// What to explore, and how far.
struct ExplorationRequest {
  scenario::RunSpec spec;
  std::uint64_t seed = 1;
  std::uint32_t faults = 0;  ///< the largest number of deaths of a run
  CrashPlaces crash = CrashPlaces::anywhere;
  std::vector<ActorId> victims = {};  ///< the actors that may die; empty: all
  bool in_order = false;              ///< the victims die in the order of their list
  TimerRule timers = TimerRule::any;
  double message_s = 0.0;  ///< with patient timers: the longest time of a message
  /// The number of messages of a run that may be lost, of those that a lossy network can lose.
  std::uint32_t losses = 0;
  std::uint32_t stalls = 0;  ///< with patient timers: number of ranks that may stall, each once
  double stall_s = 0.0;      ///< the length of a stall
  Departures departures = Departures::at_once;
  /// If true, states also differ by what each rank has done and been told. So the search judges for
  /// every run to a final state whether a detector had to give up.
  bool histories = false;
  std::optional<Goal> goal = {};
  std::optional<engine::DeclaredProperty> prune =
      {};  ///< states with this property are not expanded
  SearchOrder search = SearchOrder::breadth;
  std::uint32_t depth = UINT32_MAX;         ///< steps after the start
  std::uint64_t states = UINT32_MAX;        ///< largest number of stored states
  std::uint64_t memory_B = UINT64_MAX;      ///< memory that stored states and kept copies may take
  std::optional<double> time_limit_s = {};  ///< of real time
  std::uint64_t walks = 10000;              ///< random search: number of walks
  StepRecall recall = StepRecall::steps;    ///< changes no result; see remembers_steps()
  RankOrder alike = RankOrder::kept;        ///< changes counts of states, and no verdict
  unsigned jobs = 1;                        ///< threads; they change no result
};

/// True if such a search can remember steps. With patient timers, what may come next depends on the
/// times of all timers. A loss is no event of an actor, and a NIC belongs to several.
bool remembers_steps(const ExplorationRequest& request);

/// True if the search exchanges ranks that are alike. Only a search that remembers steps does.
bool exchanges_ranks(const ExplorationRequest& request);

/// What ended a search before it was complete.
enum class SearchLimit : std::uint8_t {
  none,
  prune,
  depth,
  states,
  memory,
  time,
  walks,
  interrupt
};
const char* search_limit_word(SearchLimit limit);

/// A promise that was broken, or a goal, and the run to it.
struct Refutation {
  engine::Outcome outcome = engine::Outcome::violated;
  std::vector<audit::Violation> violations;  ///< at least one, if a promise was broken
  std::vector<Step> steps;                   ///< from the start on
};

struct ExplorationResult {
  enum class Verdict : std::uint8_t {
    exhausted,  ///< all states within the bounds were seen, and no promise is broken
    violated,
    reached,  ///< the goal was found
    bounded,  ///< a limit came first
  };
  Verdict verdict = Verdict::exhausted;
  SearchLimit limit = SearchLimit::none;
  std::uint64_t states = 0;         ///< number of different states seen
  std::uint64_t expanded = 0;       ///< states whose successors were all seen
  std::uint64_t transitions = 0;    ///< steps that were taken
  std::uint32_t depth = 0;          ///< the largest number of steps from a start to a state
  std::uint64_t largest_queue = 0;  ///< the most states that waited to be expanded
  /// Final states by outcome; in a search for a goal, final states with a violation by its kind.
  std::map<std::string, std::uint64_t> ends;
  std::uint64_t pruned = 0;       ///< states that were not expanded because of the property `prune`
  bool progress_checked = false;  ///< every state was found to have an end that it can reach
  bool fairness_checked = false;  ///< no fair run stays in a circle for ever
  std::optional<Refutation> refutation;
  std::optional<Refutation> reached;  ///< the goal
  /// Ranks that were exchanged, each list in ascending order. States that differ only by an
  /// exchange count once.
  std::vector<std::vector<Rank>> exchanged;
  double wall_s = 0.0;
  std::uint64_t stored_B = 0;
};
const char* verdict_word(ExplorationResult::Verdict verdict);

/// The broken promise or the goal that a search has found, or null.
inline const Refutation* found_by(const ExplorationResult& result) {
  if (result.reached) return &*result.reached;
  return result.refutation ? &*result.refutation : nullptr;
}

/// The progress of a search.
struct ExplorationProgress {
  std::uint64_t states = 0;
  std::uint64_t waiting = 0;
  std::uint32_t depth = 0;
};

/// Called now and then by a search. If it returns false, the search ends as if interrupted.
using TellProgress = std::function<bool(const ExplorationProgress&)>;

/// Explores a job from its start. The spec must be explorable (explorable.hpp).
ExplorationResult explore(const ExplorationRequest& request, const TellProgress& tell = {});

/// The specification that a search runs: without costs and without limits of time.
scenario::RunSpec explored_spec(const scenario::RunSpec& spec);

/// All ways in which a run can start: without a death, and with up to `faults` deaths during the
/// start.
std::vector<Start> starts(const ExplorationRequest& request);

/// Sets an engine to the rules of the search.
void follow(engine::StepwiseEngine& engine, const ExplorationRequest& request);

/// Takes one step of a run. The first one begins it.
void take_step(engine::StepwiseEngine& engine, const Step& step, const std::vector<Start>& starts);

}  // namespace faultline::exploration
