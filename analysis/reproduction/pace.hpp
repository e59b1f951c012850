// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace faultline::reproduction {

/// Tells how much of a reproduction is done, and how long the rest will take on this machine. The
/// data files state how long their items took on another machine. These times only weigh the items
/// against each other; the pace is that of this machine.
class ReproductionPace {
 public:
  /// `estimates_s`: how long each item took [s], in the order in which they are carried out.
  explicit ReproductionPace(std::vector<double> estimates_s);

  /// Begins the next item, which has this much work, in a unit of its own.
  void begin_item(double work);
  /// Counts work of the item that has been done since the last call.
  void worked(double work);
  /// True if all work of the item is done.
  [[nodiscard]] bool item_is_done() const { return done_ >= work_; }
  void end_item();

  /// The share of the whole that is done, from 0 to 1.
  [[nodiscard]] double share() const;

  /// The time left [s], given the time since the beginning. Nothing before a hundredth is done,
  /// which is too little to extrapolate from.
  [[nodiscard]] std::optional<double> left_s(double elapsed_s) const;

 private:
  std::vector<double> estimates_s_;
  double total_s_ = 0;
  double ended_s_ = 0;    ///< sum of the estimates of the items that are done
  std::size_t item_ = 0;  ///< the one being carried out
  double work_ = 0;       ///< of that item
  double done_ = 0;       ///< of that work
};

}  // namespace faultline::reproduction
