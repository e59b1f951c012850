#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/exploration/death_bounds.hpp"
#include "analysis/exploration/ending.hpp"
#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/seen_states.hpp"

namespace faultline {

/// A state that can follow another one.
struct NextState {
  Step step;
  StateDigest digest;
  std::uint32_t deaths = 0;         ///< on the way to it
  bool is_goal = false;             ///< it has the property that is looked for
  bool is_pruned = false;           ///< it has the property behind which nothing is looked at
  StateNumber known = kNoState;     ///< its number, if it had been seen before
  std::optional<Ending> ending;     ///< if nothing goes on from it, or a promise is broken
  std::unique_ptr<RunState> state;  ///< if it is new and goes on, and copies are kept
};

/// All states that can follow a state.
struct Expansion {
  StateNumber from = kNoState;
  std::vector<NextState> next;
};

/// Finds what can follow states. Each thread has one of its own: the states that it makes must
/// stay in the thread.
///
/// A state is reached from a copy that was kept, or rebuilt from its nearest ancestor on the path
/// to the state that was rebuilt before: states come in an order in which neighbours share most of
/// their path. So the memory for copies can be as small as one likes.
class Expander {
 public:
  Expander(const ExplorationRequest& request, const std::vector<Start>& starts,
           const SeenStates& seen);

  /// The states that are expanded from now on are looked at together. What is found a second time
  /// among them is not kept.
  void begin_round() { found_.clear(); }
  /// The states at which a run can be after its start. Their steps have the kind `begin`.
  Expansion begin();
  /// All states that can follow a stored one.
  Expansion expand(StateNumber state);

  /// Keeps a copy of a state, if there is room, so that expand() need not rebuild it.
  void keep(StateNumber number, std::unique_ptr<RunState> state);
  /// Uses the memory of a copy again.
  void reuse(std::unique_ptr<RunState> state);
  [[nodiscard]] bool keeps_copies() const { return kept_.size() < most_kept_; }

 private:
  struct LowWord {
    std::size_t operator()(const StateDigest& digest) const { return digest.low; }
  };
  struct Place {
    StateNumber number;
    std::unique_ptr<RunState> state;
  };
  std::unique_ptr<RunState> copy_of_state();
  const RunState& at(StateNumber number);
  void add_step(Expansion& into, const RunState& here, const Step& step, std::uint32_t deaths);
  void add_deaths_within(Expansion& into, const RunState& here, const Step& step,
                         std::uint32_t deaths);
  void look_at(NextState& one, StateNumber from);
  Ending ending_of(const NextState& one, StateNumber from);

  const ExplorationRequest& request_;
  const std::vector<Start>& starts_;
  const SeenStates& seen_;
  std::shared_ptr<const RunJob> job_;
  StepwiseEngine engine_;
  RunState fresh_;  ///< before the start
  EndingJudge judge_;
  DeathBounds bounds_;
  std::unordered_map<StateNumber, std::unique_ptr<RunState>> kept_;  ///< only looked up
  std::size_t most_kept_;
  std::unordered_set<StateDigest, LowWord> found_;  ///< in this round; only looked up
  std::unique_ptr<RunState> taken_;  ///< a copy that was kept, of the state that is expanded
  std::vector<std::unique_ptr<RunState>> spare_;
  std::vector<Event> events_;  ///< of the state that is expanded
  std::vector<Place> path_;    ///< to the state that was rebuilt last
};

}  // namespace faultline
