// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "sim/core/options.hpp"

namespace faultline {

/// The actors that have a component.
enum class Residence : std::uint8_t { ranks, daemons, ranks_and_daemons };

/// When each listener hears of a death from the resource manager: `delay_s` after it, and up to
/// `spread_s` later, uniformly.
struct ExitNotice {
  double delay_s = 0.0;
  double spread_s = 0.0;
};

/// What a failure detector promises, and what it asks of the resource manager.
struct DetectorTraits {
  bool accurate = false;  ///< it never reports a live process
  /// Whether a process that is declared dead and lives may deny that, where reports are not final
  /// (JobShape::reports_are_final). Words of the detector from that process then reach those who
  /// refuse all else of it. If empty: no.
  std::function<bool(const OptionValues&)> takes_back = {};
  /// Where the components live. If empty: on the ranks.
  std::function<Residence(const OptionValues&)> residence = {};
  /// When the resource manager reports deaths to it (on_exit_notice). If empty: never.
  std::function<ExitNotice(const OptionValues&)> exit_notice = {};
};

}  // namespace faultline
