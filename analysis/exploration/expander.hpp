// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/exploration/death_bounds.hpp"
#include "analysis/exploration/digest_index.hpp"
#include "analysis/exploration/ending.hpp"
#include "analysis/exploration/exchanged_parts.hpp"
#include "analysis/exploration/exchanged_runs.hpp"
#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/kept_parts.hpp"
#include "analysis/exploration/may_go_on.hpp"
#include "analysis/exploration/part_table.hpp"
#include "analysis/exploration/seen_states.hpp"
#include "analysis/exploration/step_memory.hpp"

namespace faultline::exploration {

/// A state that can follow another one.
struct NextState {
  Step step;  ///< set if the state is new to the thread that has found it
  bool by_mishap =
      false;  ///< an actor died in the step, or something else went wrong that need not
  StateDigest digest;
  Mishaps mishaps;               ///< what went wrong on the way to it
  bool is_goal = false;          ///< it has the wanted property
  bool is_pruned = false;        ///< it has the property beyond which the search does not look
  StateNumber known = kNoState;  ///< its number, if it was seen before
  std::optional<Ending> ending;  ///< set if nothing goes on from it, or a promise is broken
  PartNumbers parts;             ///< set if it is new and goes on, and steps are remembered
  bool ranks_differ = false;     ///< the step leads to an unknown state: see RanksDiffer
};

/// A state that has still to be expanded.
struct WaitingState {
  StateNumber number = kNoState;
  PartNumbers parts;  ///< empty if steps are not remembered

  WaitingState(StateNumber with_number, PartNumbers with_parts)
      : number(with_number), parts(std::move(with_parts)) {}
  [[nodiscard]] std::size_t bytes() const {
    constexpr std::size_t kOfStorage_B = 16;
    return sizeof(WaitingState) + parts.capacity() * sizeof(PartNumber) + kOfStorage_B;
  }
};

/// The states that can follow a state.
struct Expansion {
  StateNumber from = kNoState;
  std::vector<NextState> next;
};

/// Finds the states that can follow others. Each thread has its own, and the states that it makes
/// must stay in the thread.
///
/// Most states are never made: StepMemory remembers what their steps do. Where it does not, the
/// engine takes the steps from the nearest ancestor that it has made before on the path to the
/// state. States come in an order in which neighbours share most of their path.
///
/// Where ranks are alike, states that differ by an exchange of them count as one: the digest of a
/// state is the least of all these. The engine takes every step in the exchanged states, too, to
/// find out what each part of a state becomes (ExchangedParts), and that the ranks are alike.
class Expander {
 public:
  /// `exchanged`: null if no ranks are exchanged. The expander calls `may_go_on` every few steps;
  /// if that returns false, the calls below throw SearchStopped.
  Expander(const ExplorationRequest& request, const std::vector<Start>& starts,
           const SeenStates& seen, PartTable& parts, const StepMemory& shared,
           ExchangedParts* exchanged, MayGoOn may_go_on);

  /// Begins a round of states that are looked at together. A state that the round finds a second
  /// time is not kept.
  void begin_round() {
    found_.clear();
    found_count_ = 0;
  }
  /// The states in which a run can be after its start. Their steps have the kind `begin`.
  Expansion begin();
  /// All states that can follow a stored one, except those that are found elsewhere.
  Expansion expand(const WaitingState& state);

  /// The steps remembered since the shared memory last took them over.
  [[nodiscard]] StepMemory& memory() { return memory_; }
  /// The bytes of the parts kept for properties.
  [[nodiscard]] std::size_t kept_bytes() const { return kept_.bytes(); }

 private:
  struct Place {
    StateNumber number;
    MadeState made;                         ///< without numbers if no ranks are exchanged
    std::vector<MadeState> exchanged = {};  ///< what it becomes under each exchange
  };
  std::unique_ptr<engine::RunState> copy_of(const engine::RunState& state);
  const engine::RunState& at(StateNumber number);
  const engine::RunState& here();
  void be_here();
  [[nodiscard]] bool is_alive(ActorId actor);
  [[nodiscard]] bool is_calm_here() const;
  void add_step(Expansion& into, const Step& step, const Mishaps& mishaps);
  void add_deaths_within(Expansion& into, const Step& step, const Mishaps& before);
  void add_losses(Expansion& into, const Mishaps& before);
  void add_stalls(Expansion& into, const Mishaps& before);
  void reach(const Step& step);
  [[nodiscard]] bool recall(const StepMemory::Occasion& occasion);
  [[nodiscard]] bool recall(const StepMemory& memory, const StepMemory::Occasion& occasion);
  void take(const Step& step);
  void take_and_remember(const StepMemory::Occasion& occasion);
  void compare_with_engine(const StepMemory::Occasion& occasion);
  PartNumbers parts_of_engine(std::vector<std::uint64_t>& orders);
  PartNumbers parts_of_engine(engine::StepwiseEngine& engine, std::vector<std::uint64_t>& orders);
  [[nodiscard]] StateDigest digest_of_next();
  using LookAtExchanged =
      std::function<void(const MadeState& before, const ExchangedRuns::Reached& reached)>;
  void take_exchanged(const Step& step, const LookAtExchanged& look = {});
  void follow_exchanged(const Step& step, Place& place);
  void take_and_note(const Step& step);
  void look_at(NextState& one, const Step& step, StateNumber from);
  void look_at_properties(NextState& one);
  /// The values of the properties in a state.
  struct Seen {
    bool is_sound = true;  ///< all invariants hold
    bool is_goal = false;
    bool is_pruned = false;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  [[nodiscard]] Seen seen_in(const engine::StateView& view) const;
  [[nodiscard]] Seen seen_by_engine(const Step& step);
  [[nodiscard]] Seen seen_by(engine::StepwiseEngine& engine) const;
  [[nodiscard]] std::optional<Seen> seen_in_kept();
  Ending ending_of(const NextState& one, StateNumber from);

  const ExplorationRequest& request_;
  const std::vector<Start>& starts_;
  const SeenStates& seen_;
  const MayGoOn may_go_on_;
  std::uint64_t steps_ = 0;
  std::shared_ptr<const engine::RunJob> job_;
  engine::StepwiseEngine engine_;
  engine::RunState fresh_;  ///< before the start
  EndingJudge judge_;
  DeathBounds bounds_;
  DigestIndex found_;  ///< states found in this round
  std::size_t found_count_ = 0;
  std::vector<std::unique_ptr<engine::RunState>> spare_;
  // The state that is being expanded.
  StateNumber from_ = kNoState;
  const engine::RunState* here_ = nullptr;  ///< null until the engine needs it
  std::vector<engine::Event> events_;       ///< its agenda, if the engine has been there
  PartNumbers parts_here_;                  ///< empty if steps are not remembered
  std::vector<std::uint64_t>
      orders_;  ///< orders of what is scheduled there, if the engine has been there
  std::vector<std::uint32_t> agenda_;  ///< places in parts_here_
  bool engine_is_here_ = false;
  // The state that follows it by the current step.
  bool is_taken_ = false;  ///< the engine is there
  PartNumbers parts_next_;
  std::vector<std::uint64_t> orders_next_;
  std::vector<std::uint64_t> asked_;
  std::vector<std::uint64_t> done_;

  PartTable& parts_;
  const StepMemory& shared_;
  StepMemory memory_;  ///< steps that are not in shared_ yet
  ExchangedParts* exchanged_;
  std::optional<ExchangedRuns> exchanged_runs_;  ///< if ranks are exchanged
  std::vector<std::uint64_t> earlier_;           ///< see ExchangedParts::least_digest
  KeptParts kept_;                               ///< for properties
  bool looks_at_properties_;
  std::vector<Place> path_;  ///< to the last state that was rebuilt
};

}  // namespace faultline::exploration
