#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// What one message of a collective operation says: a partial sum, and the operation and step that
/// it is for.
struct CollectivePart {
  double sum = 0.0;
  std::uint32_t operation = 0;  ///< which of the rank's operations, in order
  std::uint32_t step = 0;
};

/// Sums a value over all ranks by recursive doubling (the folding of odd sizes after Thakur,
/// Rabenseifner, Gropp, IJHPCA 19(1), 2005): log2 P exchanges, and two more messages for each rank
/// beyond the largest power of two. It is a plain state machine: it returns the messages to send,
/// and the caller hands over those that have come.
class RecursiveDoubling {
 public:
  RecursiveDoubling(Rank self, std::uint32_t processes)
      : self_(self), core_(std::bit_floor(processes)), extra_(processes - core_) {}

  struct Send {
    Rank to;
    CollectivePart part;
  };

  /// Begins the next operation with this rank's value, and returns what to send.
  std::vector<Send> begin(double value);
  /// Takes in a part, and returns what to send next. Parts of later operations and steps are kept
  /// until it is their turn.
  std::vector<Send> take(const CollectivePart& part);
  /// The sum of the current operation, or nothing until it is complete at this rank.
  [[nodiscard]] std::optional<double> sum() const {
    return done_ ? std::optional(sum_) : std::nullopt;
  }
  void digest(Digest& into) const;

 private:
  static constexpr std::uint32_t kFold = 100;    ///< step of a part folded into the core
  static constexpr std::uint32_t kUnfold = 101;  ///< step of the sum sent back

  [[nodiscard]] bool folds() const { return self_ >= core_; }
  [[nodiscard]] bool has_partner() const { return self_ < extra_; }
  [[nodiscard]] CollectivePart part(std::uint32_t step) const { return {sum_, operation_, step}; }
  std::vector<Send> advance();

  Rank self_;
  std::uint32_t core_;   ///< largest power of two
  std::uint32_t extra_;  ///< ranks beyond it
  std::uint32_t operation_ = 0;
  std::uint32_t step_ = 0;
  bool waits_for_fold_ = false;
  bool done_ = true;
  double sum_ = 0.0;
  std::vector<CollectivePart> early_;
};

}  // namespace faultline
