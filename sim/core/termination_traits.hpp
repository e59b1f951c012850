// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/may_give_up.hpp"

namespace faultline {

/// What a termination detector needs and offers. The scenario front-end refuses combinations that
/// clash.
struct TerminationTraits {
  bool needs_fifo = false;         ///< refused under platform.ordering = unordered
  bool tolerates_faults = false;   ///< faults are refused without it unless allow_unsafe is set
  bool needs_detection = false;    ///< under faults it needs a failure_detection other than none
  bool announces = false;          ///< a run may stop on its announcement
  bool is_cost_model = false;      ///< it costs what a detector does of which no more is known
  bool needs_logging_off = false;  ///< clashes with message logging (docs/architecture.md)
  /// It can go on from a copy of itself that an image holds: all its state is its own, and
  /// on_restored begins again whatever does not go on by itself.
  bool has_images = false;
  MayGiveUp may_give_up = {};  ///< if empty: as soon as anyone died or was reported dead
};

}  // namespace faultline
