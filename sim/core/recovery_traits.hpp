// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/core/may_give_up.hpp"
#include "sim/core/option_problem.hpp"
#include "sim/core/options.hpp"

namespace faultline {

struct Registration;

/// How processes die in a job.
struct Deaths {
  bool of_nodes = false;  ///< with a node of the job, for good
  bool several = false;   ///< more than one may die
  std::uint32_t spare_nodes = 0;
};

/// What message logging or transactions need and offer. The scenario front-end refuses combinations
/// that clash.
struct RecoveryTraits {
  bool needs_fifo = false;            ///< refused under platform.ordering = unordered
  bool needs_detection = false;       ///< under faults it needs a failure_detection other than none
  bool needs_logging_off = false;     ///< clashes with message logging (docs/architecture.md)
  bool takes_images = false;          ///< it works only above which everything has images
  bool needs_order_free = false;      ///< it works only above a workload that is order_free
  bool needs_no_layer_above = false;  ///< it works only right below a workload
  bool commits_blocks = false;        ///< transactions: it accepts and rejects TryBlocks
  bool recovers_singly = false;       ///< it gives up if several ranks are dead at once
  bool takes_all_back = false;        ///< after a death every rank goes back to a checkpoint
  /// Which of its options do not fit the workload above and its options. A problem that names no
  /// option is one only if something goes wrong in the run. If empty: all fit.
  std::function<std::vector<OptionProblem>(const OptionValues& own, const Registration& workload,
                                           const OptionValues& workload_options)>
      check_with_workload = {};
  /// True if it takes checkpoints by time with these options. If empty: never.
  std::function<bool(const OptionValues&)> times_checkpoints = {};
  /// Which of its options do not fit a job in which processes die so. If empty: all do.
  std::function<std::vector<OptionProblem>(const OptionValues&, const Deaths&)> check_under_deaths =
      {};
  MayGiveUp may_give_up = {};  ///< if empty: as soon as anyone died or was reported dead
};

}  // namespace faultline
