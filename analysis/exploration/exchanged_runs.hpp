// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "analysis/exploration/exchanged_parts.hpp"
#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/part_table.hpp"

namespace faultline::exploration {

/// Thrown if ranks that were taken for alike behave differently.
class RanksDiffer : public std::runtime_error {
 public:
  RanksDiffer() : std::runtime_error("ranks that were taken for alike are not") {}
};

/// A state that the engine has made, also as numbers.
struct MadeState {
  std::unique_ptr<engine::RunState> state;
  PartNumbers parts;                  ///< none before the start
  std::vector<std::uint64_t> orders;  ///< of what is scheduled
};

/// Takes steps with ranks that have changed places: what happens to rank r happens to the rank that
/// r becomes. A search follows each of its runs in this way, and finds out whether the engine does
/// the same in both. Each thread has its own.
class ExchangedRuns {
 public:
  ExchangedRuns(const ExplorationRequest& request, const std::vector<Start>& starts,
                std::shared_ptr<const engine::RunJob> job, PartTable& parts,
                ExchangedParts& exchanged);

  /// A step that an engine has just taken, and the state to which it leads.
  struct Taken {
    const Step& step;
    std::optional<PartNumber> event;  ///< what happens, if it has a part
    const engine::StepwiseEngine& engine;
    const PartNumbers& after;
  };
  /// Where the step leads in the exchanged run.
  struct Reached {
    Step step;
    std::optional<std::uint32_t> happens;  ///< place of the event in the state before
    engine::StateParts state;
    PartNumbers parts;
    std::vector<std::uint64_t> orders;
  };
  /// Takes the step from what the state before it becomes, and notes that the state after it
  /// becomes the one that is reached. Throws RanksDiffer if it does not.
  Reached take(std::size_t exchange, const MadeState& before, const Taken& taken);
  /// The engine, in the state to which the last step has led.
  [[nodiscard]] engine::StepwiseEngine& engine() { return engine_; }
  /// The state in which every run begins, whichever ranks have changed places.
  [[nodiscard]] const MadeState& fresh() const { return fresh_; }

 private:
  [[nodiscard]] Step exchanged(std::size_t exchange, const MadeState& before, const Taken& taken,
                               std::optional<std::uint32_t>& happens);
  [[nodiscard]] std::uint32_t exchanged_start(const RankExchange& exchange,
                                              std::uint32_t start) const;
  [[nodiscard]] bool does_the_same(const RankExchange& exchange,
                                   const engine::StepwiseEngine& other) const;

  const std::vector<Start>& starts_;
  PartTable& parts_;
  ExchangedParts& exchanged_;
  engine::StepwiseEngine engine_;
  MadeState fresh_;
  std::vector<std::uint32_t> agenda_;
};

/// A state as numbers, with the times at which its scheduled parts were scheduled.
PartNumbers numbers_of(const engine::StateParts& parts, PartTable& table,
                       std::vector<std::uint64_t>& orders);

/// The kinds of these violations, in the order of the words.
std::vector<std::string> kinds_of(const std::vector<audit::Violation>& violations);

}  // namespace faultline::exploration
