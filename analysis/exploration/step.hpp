// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"

namespace faultline::exploration {

/// One step from a state to the next. A choice is named by its place in the agenda, whose order
/// depends on the path to the state; so a step means something only after the steps before it.
struct Step {
  enum class Kind : std::uint8_t { begin, take, kill, lose, stall };
  Kind kind = Kind::begin;
  std::uint16_t dying = kNoDeath;  ///< take: the actor that dies within the step
  std::uint16_t after = 0;         ///< the number of things that it has done by then
  /// begin: a place in the list of starts; take, lose: in the agenda; kill, stall: the actor.
  std::uint32_t place = 0;
  engine::Decisions decisions = {};  ///< take: the workload's choices in the step, if they are open

  static constexpr std::uint16_t kNoDeath = 0xffff;
  [[nodiscard]] bool has_death() const { return kind == Kind::kill || dying != kNoDeath; }
  /// True if something goes wrong in the step that need not.
  [[nodiscard]] bool is_mishap() const {
    return has_death() || kind == Kind::lose || kind == Kind::stall;
  }
  [[nodiscard]] std::vector<engine::Cut> cuts() const {
    if (dying == kNoDeath) return {};
    return {{.actor = dying, .after = after}};
  }
  friend auto operator<=>(const Step&, const Step&) = default;  // NOLINT(*-nullptr)
};

/// How much has gone wrong on the way to a state, of the kinds that a search bounds.
struct Mishaps {
  std::uint8_t deaths = 0;
  std::uint8_t losses = 0;   ///< lost messages
  std::uint8_t stalled = 0;  ///< bit r: rank r has stalled; a job has up to 6 ranks

  [[nodiscard]] bool has_stalled(Rank rank) const { return (stalled >> rank & 1U) != 0; }
  [[nodiscard]] std::uint32_t stalls() const {
    return static_cast<std::uint32_t>(std::popcount(stalled));
  }

  [[nodiscard]] Mishaps after(const Step& step) const {
    Mishaps all = *this;
    if (step.has_death()) ++all.deaths;
    if (step.kind == Step::Kind::lose) ++all.losses;
    if (step.kind == Step::Kind::stall) all.stalled |= static_cast<std::uint8_t>(1U << step.place);
    return all;
  }
};

/// One way in which a job can begin.
struct Start {
  std::vector<engine::Cut> cuts;  ///< the actors that die while all start
  engine::Decisions decisions;    ///< the workload's choices then, if they are open

  [[nodiscard]] Mishaps mishaps() const {
    return {.deaths = static_cast<std::uint8_t>(cuts.size())};
  }
};

/// Numbers steps. A search has few different ones, so a stored state needs only a small number.
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

}  // namespace faultline::exploration
