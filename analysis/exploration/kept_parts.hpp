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

namespace faultline {

/// One specimen of each part of a state that a thread has met: the components of a rank, or a
/// message on its way. So properties can be looked at in states that the engine has never made.
/// Equal parts have equal specimens, because a part has all that anybody can tell two of them by.
class KeptParts {
 public:
  /// Keeps what `families` declare properties of.
  KeptParts(const PartTable& parts, std::uint32_t processes, std::vector<Family> families)
      : parts_(parts), processes_(processes), families_(std::move(families)) {}

  [[nodiscard]] bool keeps_any() const { return !families_.empty(); }
  /// Keeps the parts of the state that the engine is in, unless messages of it are in no part of
  /// their own.
  void keep(const PartNumbers& numbers, const engine::StateParts& parts,
            engine::StepwiseEngine& engine);
  /// Puts the state together that these numbers stand for. Nothing, if one of them has not been
  /// kept.
  [[nodiscard]] const engine::StateView* look_at(const PartNumbers& numbers);
  /// Roughly.
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// More would take more memory than the time is worth that they save.
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

}  // namespace faultline
