// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/exploration/digest_index.hpp"
#include "analysis/exploration/part_table.hpp"
#include "analysis/exploration/step.hpp"

namespace faultline::exploration {

/// The effect of a step on the parts of a state.
struct StepEffect {
  enum class Kind : std::uint8_t {
    known,
    known_with_channels,  ///< the effect depends on the senders of messages to the actor
    to_be_taken,  ///< the effect depends on more, so the engine has to take the step each time
  };
  Kind kind = Kind::to_be_taken;
  PartNumber actor_part = 0;
  PartNumber common = 0;
  std::uint32_t done = 0;  ///< by the actor; see StepwiseEngine::done
  // The numbers of each kind of entry, one after another from StepMemory's `first` on.
  std::uint32_t first = 0;
  std::uint16_t cancelled = 0;  ///< parts that are no longer scheduled, without the event itself
  std::uint16_t scheduled = 0;  ///< parts, in the order of scheduling
  std::uint16_t asked = 0;      ///< see StepwiseEngine::asked

  [[nodiscard]] std::uint32_t numbers() const {
    return std::uint32_t{cancelled} + scheduled + asked;
  }
};

/// A step that the engine has taken, with the states before and after it.
struct TakenStep {
  const PartNumbers& before;
  const std::vector<std::uint64_t>& orders_before;  ///< orders of what was scheduled
  const PartNumbers& after;
  const std::vector<std::uint64_t>& orders_after;
  engine::StepwiseEngine::Reach reach;
  const std::vector<std::uint64_t>& asked;
  const std::vector<std::uint64_t>& done;
};

/// Remembers what steps have done, because most of them are taken in very many states. The effect
/// of a step depends on
/// - what happens: an event, with the workload's choices, or a death;
/// - the part of the actor to which it happens;
/// - the common part: which actors live, what the auditor knows, and how many have announced;
/// - whether another actor is active or a message of the workload elsewhere;
/// - if a flush is asked for or answered, the senders of messages in flight to the actor;
/// - if an actor dies, whether anything is scheduled for it.
/// It changes the actor's part and the common one, ends the event, cancels timers of the actor, or
/// everything that is scheduled for it if it dies, and schedules. The engine takes a step that
/// reaches further each time.
class StepMemory {
 public:
  explicit StepMemory(const PartTable& parts) : parts_(parts) {}

  /// A step from a state. `happens` is the place of the event in the state, if it has one.
  struct Occasion {
    const PartNumbers& state;
    const Step& step;
    std::optional<std::uint32_t> happens;
  };
  /// The known effect. Null if unknown.
  [[nodiscard]] const StepEffect* find(const Occasion& occasion) const;
  /// Remembers a step.
  void keep(const Occasion& occasion, const TakenStep& taken);
  /// Takes over all that another memory remembers, and leaves that empty.
  void take_over(StepMemory& other);
  /// Applies a remembered effect. False if the engine has to take the step.
  [[nodiscard]] bool apply(const StepEffect& effect, const Occasion& occasion,
                           PartNumbers& next) const;
  [[nodiscard]] std::size_t bytes() const {
    return index_.bytes() + effects_.capacity() * sizeof(StepEffect) +
           numbers_.capacity() * sizeof(std::uint32_t);
  }
  /// The actor to which the step happens.
  [[nodiscard]] ActorId actor_of(const Occasion& occasion) const;
  /// Lists the choices that the step has asked for.
  void list_asked(const StepEffect& effect, std::vector<std::uint64_t>& asked) const;

 private:
  /// More effects would take more memory than the saved time is worth.
  static constexpr std::size_t kMostEffects = std::size_t{1} << 22U;
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 26U;
  [[nodiscard]] static bool dies(const Step& step) { return step.has_death(); }
  [[nodiscard]] StateDigest key_of(const Occasion& occasion) const;
  [[nodiscard]] bool loses_something(const Occasion& occasion, ActorId actor) const;
  [[nodiscard]] bool has_work_elsewhere(const Occasion& occasion, ActorId actor) const;
  [[nodiscard]] StateDigest with_channels(StateDigest key, const Occasion& occasion) const;
  void put(const StateDigest& key, const StepEffect& effect);
  void clear();
  [[nodiscard]] StepEffect effect_of(const Occasion& occasion, const TakenStep& taken);
  [[nodiscard]] bool take_in_schedule(const Occasion& occasion, const TakenStep& taken,
                                      StepEffect& effect);

  const PartTable& parts_;
  DigestIndex index_;
  std::vector<StepEffect> effects_;
  std::vector<std::uint32_t> numbers_;  ///< of all effects
};

}  // namespace faultline::exploration
