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

namespace faultline {

/// Where deaths may fall.
enum class CrashPlaces : std::uint8_t {
  anywhere,        ///< between two steps, and between any two sends and actions of one
  between_events,  ///< between two steps
  calm,            ///< only when nothing else can happen but that a computation ends
  calm_together,   ///< then, and further ones at the same moment
  none,
};

/// In which order states are expanded.
enum class SearchOrder : std::uint8_t {
  breadth,  ///< nearest to the start first, so that the run to a violation is a shortest one
  depth,
  random,  ///< random walks from the start
};

/// What a search looks for instead of broken promises.
struct Goal {
  std::string name;
  std::optional<engine::DeclaredProperty> property =
      {};  ///< none: an end, by its outcome or violation
};

/// What a search makes of a step that it has seen in another state: see StepMemory.
enum class StepRecall : std::uint8_t {
  steps,    ///< remembers what it does
  checked,  ///< for tests: the engine takes it all the same, and has to come to the same state
  nothing,  ///< the engine takes it anew
};

/// What a search makes of ranks that are alike: their exchange turns every run of the job into one.
enum class RankOrder : std::uint8_t {
  kept,       ///< tells states apart that differ by an exchange
  exchanged,  ///< sees one of these states for all
};

/// When timers run out.
enum class TimerRule : std::uint8_t {
  any,      ///< whenever the search likes: no time passes
  patient,  ///< when nothing else can happen, in the order of their times
};

/// When a message to another node enters the network, where actors share NICs.
enum class Departures : std::uint8_t {
  at_once,  ///< when it is sent
  any,      ///< then, or later, in the order of the node's messages, if its sender lives
};

/// What is explored, and how far.
struct ExplorationRequest {
  RunSpec spec;
  std::uint64_t seed = 1;
  std::uint32_t faults = 0;  ///< the largest number of deaths of a run
  CrashPlaces crash = CrashPlaces::anywhere;
  std::vector<ActorId> victims = {};  ///< who may die; empty: everybody
  bool in_order = false;              ///< the victims die in the order of their list
  TimerRule timers = TimerRule::any;
  double message_s = 0.0;  ///< with patient timers: a message takes up to so long
  /// So many messages of a run may be lost, of those that a network that loses messages can lose.
  std::uint32_t losses = 0;
  std::uint32_t stalls = 0;  ///< with patient timers: so many ranks may stall, each once
  double stall_s = 0.0;      ///< ... for so long
  Departures departures = Departures::at_once;
  /// States are told apart by what each rank has done and been told, too, so that whether a
  /// detector had to give up is judged for every run to a final state.
  bool histories = false;
  std::optional<Goal> goal = {};
  std::optional<engine::DeclaredProperty> prune = {};  ///< states that have it are not expanded
  SearchOrder search = SearchOrder::breadth;
  std::uint32_t depth = UINT32_MAX;         ///< steps after the start
  std::uint64_t states = UINT32_MAX;        ///< how many may be stored
  std::uint64_t memory_B = UINT64_MAX;      ///< that stored states and kept copies may take
  std::optional<double> time_limit_s = {};  ///< of real time
  std::uint64_t walks = 10000;              ///< random search: how many
  StepRecall recall = StepRecall::steps;    ///< changes no result; see remembers_steps()
  RankOrder alike = RankOrder::kept;        ///< changes counts of states, and no verdict
  unsigned jobs = 1;                        ///< threads; they change no result
};

/// Can steps of such a search be remembered? With patient timers, what may come next depends on the
/// times of all timers. A loss is no event of an actor, and a NIC belongs to several.
bool remembers_steps(const ExplorationRequest& request);

/// Does a search exchange ranks that are alike? Only one that remembers steps.
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
  std::vector<Violation> violations;  ///< at least one, if a promise was broken
  std::vector<Step> steps;            ///< from the start on
};

struct ExplorationResult {
  enum class Verdict : std::uint8_t {
    exhausted,  ///< all states within the bound were seen, and no promise is broken
    violated,
    reached,  ///< the goal was found
    bounded,  ///< a limit came first
  };
  Verdict verdict = Verdict::exhausted;
  SearchLimit limit = SearchLimit::none;
  std::uint64_t states = 0;         ///< different ones that were seen
  std::uint64_t expanded = 0;       ///< of these, those whose successors were all seen
  std::uint64_t transitions = 0;    ///< steps that were taken
  std::uint32_t depth = 0;          ///< the largest number of steps from a start to a state
  std::uint64_t largest_queue = 0;  ///< states that waited to be expanded
  /// Final states by outcome; of a search for a goal, those with a violation by its kind.
  std::map<std::string, std::uint64_t> ends;
  std::uint64_t pruned = 0;       ///< states that were not expanded because of the property `prune`
  bool progress_checked = false;  ///< every state was found to have an end that it can reach
  bool fairness_checked = false;  ///< no fair run was found to stay in a circle for ever
  std::optional<Refutation> refutation;
  std::optional<Refutation> reached;  ///< the goal
  /// Ranks that were exchanged, each list in ascending order: states are those that differ by more.
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

/// How far a search has come.
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
RunSpec explored_spec(const RunSpec& spec);

/// All ways in which a run can start: without a death, and with up to `faults` deaths during the
/// start.
std::vector<Start> starts(const ExplorationRequest& request);

/// Lets an engine go as the search does.
void follow(engine::StepwiseEngine& engine, const ExplorationRequest& request);

/// Takes one step of a run. The first one begins it.
void take_step(engine::StepwiseEngine& engine, const Step& step, const std::vector<Start>& starts);

}  // namespace faultline
