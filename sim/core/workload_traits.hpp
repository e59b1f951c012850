// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/core/may_give_up.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/options.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// What a program has in its TryBlocks.
struct BlockContents {
  bool has_messages = true;           ///< ranks send each other messages
  bool has_collective = false;        ///< in each of them
  bool needs_all_ranks = true;        ///< it cannot go on with fewer than it began with
  bool has_messages_outside = false;  ///< ranks send each other messages beside TryBlocks, too
};

/// A metric of a workload that must be 0 when its work has come to its end.
struct EndCheck {
  const MetricSpec* metric;
  std::string violation;  ///< name of the violation if the metric is not 0
};

/// What a workload needs and offers. The scenario front-end refuses combinations that clash.
struct WorkloadTraits {
  bool needs_detection = false;  ///< under faults it needs a failure_detection other than none
  bool starts_at_root = false;   ///< only rank 0 has work at the start
  bool finishes = false;         ///< it declares its own end (stop.when = finished)
  /// It can go on from a copy of itself that an image holds: all its state is its own, and
  /// on_restored begins again whatever does not go on by itself.
  bool has_images = false;
  bool has_objects = false;  ///< it is over-decomposed into objects, which a layer can move
  /// The first word of a message's payload is its tag. The tags of all messages of one kind from
  /// one object to another ascend by 1.
  bool tags_messages = false;
  /// What it does at a rank depends on the messages that come there and their order, and not on
  /// when its computations end and its timers run out.
  bool driven_by_messages = false;
  bool order_free = false;  ///< its end is the same in whatever order its messages come
  /// With starts_at_root: true if other ranks have work at the start, too, with these options. If
  /// empty: never.
  std::function<bool(const OptionValues&)> starts_everywhere = {};
  /// True if it asks for checkpoints with these options (CheckpointRequest). If empty: never.
  std::function<bool(const OptionValues&)> asks_for_checkpoints = {};
  /// It also goes on when its own messages have left, and not only when others have come.
  bool goes_on_when_sent = false;
  /// Programs of TryBlocks: what they have in them with these options. If empty: the workload has
  /// no TryBlocks, whatever the stack.
  std::function<BlockContents(const OptionValues&)> try_blocks = {};
  std::vector<EndCheck> end_checks = {};
  /// Says why the workload can run for ever with these options, as a main clause; "" if it cannot.
  /// If empty: it never can.
  std::function<std::string(const OptionValues&, const JobShape&)> endless = {};
  MayGiveUp may_give_up = {};  ///< if empty: as soon as anyone died or was reported dead
};

}  // namespace faultline
