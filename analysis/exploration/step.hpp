#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/engine/stepwise_engine.hpp"

namespace faultline {

/// One step from a state to the next. A choice is named by its place in the agenda, whose order
/// depends on the path to the state; so a step means something only after the steps before it.
struct Step {
  enum class Kind : std::uint8_t { begin, take, kill };
  Kind kind = Kind::begin;
  std::uint16_t dying = kNoDeath;  ///< take: the actor that dies within the step
  std::uint16_t after = 0;         ///< ... when it has done that many things
  /// begin: a place in the list of starts; take: in the agenda; kill: the actor.
  std::uint32_t place = 0;
  Decisions decisions = {};  ///< take: what the workload chooses in the step, if that is open

  static constexpr std::uint16_t kNoDeath = 0xffff;
  [[nodiscard]] bool has_death() const { return kind == Kind::kill || dying != kNoDeath; }
  [[nodiscard]] std::vector<Cut> cuts() const {
    if (dying == kNoDeath) return {};
    return {{.actor = dying, .after = after}};
  }
  friend auto operator<=>(const Step&, const Step&) = default;  // NOLINT(*-nullptr)
};

/// One way in which a job can begin.
struct Start {
  std::vector<Cut> cuts;  ///< who dies while the actors start
  Decisions decisions;    ///< what the workload chooses then, if that is open
};

/// Numbers steps, of which a search has few different ones, so that a stored state needs a small
/// number only.
class StepNumbers {
 public:
  std::uint32_t number_of(const Step& step) {
    const auto [entry, is_new] = numbers_.emplace(step, static_cast<std::uint32_t>(steps_.size()));
    if (is_new) steps_.push_back(step);
    return entry->second;
  }
  [[nodiscard]] const Step& step(std::uint32_t number) const { return steps_[number]; }

 private:
  std::map<Step, std::uint32_t> numbers_;
  std::vector<Step> steps_;
};

}  // namespace faultline
