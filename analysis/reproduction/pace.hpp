#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace faultline {

/// How far a reproduction is, and how long it still takes here. The data files say how long their
/// items took on another machine: that weighs the items against each other, while the pace is what
/// this machine has shown.
class ReproductionPace {
 public:
  /// How long each item took [s], in the order in which they are carried out.
  explicit ReproductionPace(std::vector<double> estimates_s);

  /// The next item begins, which consists of so much work, in a unit of its own.
  void begin_item(double work);
  /// So much of it is done.
  void worked(double work);
  /// Is all work of the item done?
  [[nodiscard]] bool item_is_done() const { return done_ >= work_; }
  void end_item();

  /// What is done of the whole, from 0 to 1.
  [[nodiscard]] double share() const;

  /// The time that is left [s], so long after the beginning; nothing while less than a hundredth is
  /// done, which says too little.
  [[nodiscard]] std::optional<double> left_s(double elapsed_s) const;

 private:
  std::vector<double> estimates_s_;
  double total_s_ = 0;
  double ended_s_ = 0;    ///< estimates of the items that are done
  std::size_t item_ = 0;  ///< that is being carried out
  double work_ = 0;       ///< of that item
  double done_ = 0;       ///< of that work
};

}  // namespace faultline
