// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/image.hpp"
#include "sim/core/rank_ledger.hpp"
#include "sim/core/stack.hpp"

namespace faultline {

/// A timer of a component that was set when an image was taken.
struct ImageTimer {
  Family family;
  std::uint64_t key;
  double left_s;  ///< until it would have run out
  bool background;
};

/// A computation of a component that ran then, or waited for a core.
struct ImageComputation {
  Family family;
  std::uint64_t tag;
  double left_s;  ///< of what it takes if nothing delays it
};

/// What an image holds. Only the engine makes it and reads it.
struct ImageContent {
  Family layer = Family::message_logging;  ///< the layer that has captured it, and can restore it
  /// The components of the families above the layer; null where the stack has none.
  std::array<std::unique_ptr<const Component>, kFamilies> components;
  std::array<std::int32_t, kFamilies> held{};  ///< application messages, by those components
  std::uint32_t phase = 0;
  std::int64_t declared_work = 0;
  bool announced = false;
  bool finished = false;
  RankLedger sent_and_consumed;    ///< by the program until then, if the auditor keeps a ledger
  std::vector<ImageTimer> timers;  ///< in the order in which they were set
  std::vector<ImageComputation> computations;  ///< in the order in which they were begun
  bool owes_idle = false;  ///< the layers above have still to be told that the rank is idle
};

}  // namespace faultline
