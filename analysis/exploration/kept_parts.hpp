// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/exploration/part_table.hpp"
#include "sim/core/component.hpp"
#include "sim/engine/stepwise/state_properties.hpp"
#include "sim/engine/stepwise/stepwise_engine.hpp"

namespace faultline::exploration {

/// One specimen of each part of a state that a thread has met: the components of a rank, or a
/// message on its way. With these it can look at properties in states that the engine has never
/// made. Equal parts have equal specimens, because a part has everything that tells two of them
/// apart.
class KeptParts {
 public:
  /// Keeps the components that properties of `families` need.
  KeptParts(const PartTable& parts, std::uint32_t processes, std::vector<Family> families)
      : parts_(parts), processes_(processes), families_(std::move(families)) {}

  [[nodiscard]] bool keeps_any() const { return !families_.empty(); }
  /// Keeps the parts of the state in which the engine is, unless messages of it are in no part of
  /// their own.
  void keep(const PartNumbers& numbers, const engine::StateParts& parts,
            engine::StepwiseEngine& engine);
  /// Puts together the state that these numbers stand for. Returns null if one of its parts has not
  /// been kept.
  [[nodiscard]] const engine::StateView* look_at(const PartNumbers& numbers);
  /// A rough size.
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// More parts would take more memory than the saved time is worth.
  static constexpr std::size_t kMostParts = std::size_t{1} << 20U;
  struct Kept {
    engine::SeenRank rank;
    std::array<std::unique_ptr<Component>, kFamilies> components;
    std::optional<Message> message;
  };
  [[nodiscard]] std::unique_ptr<Kept>* place_of(PartNumber number);

  const PartTable& parts_;
  std::uint32_t processes_;
  std::vector<Family> families_;
  std::vector<std::unique_ptr<Kept>> kept_;  ///< by number
  std::size_t count_ = 0;
  engine::StateView view_;
};

}  // namespace faultline::exploration
