// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::workloads {

/// The content of one message of a collective operation: a partial sum, and the operation and stage
/// that it belongs to.
struct CollectivePart {
  double sum = 0.0;
  std::uint32_t operation = 0;  ///< which of the rank's operations, in order
  std::uint32_t stage = 0;
};

/// The part of one rank in one stage of a sum over all ranks by recursive doubling (the folding of
/// odd sizes after Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005): log2 P exchanges, and two more
/// messages for each rank beyond the largest power of two.
struct DoublingStage {
  Rank partner = 0;
  bool sends = false;
  bool receives = false;
  bool replaces = false;  ///< the incoming value is the whole sum
};
/// The number of stages of a sum over that many ranks.
std::uint32_t doubling_stages(std::uint32_t ranks);
/// What a rank does in a stage, if anything.
std::optional<DoublingStage> doubling_stage(Rank self, std::uint32_t ranks, std::uint32_t number);

/// Sums a value over all ranks by recursive doubling. It is a plain state machine: it returns the
/// messages to send, and the caller passes it the messages that have come.
class RecursiveDoubling {
 public:
  RecursiveDoubling(Rank self, std::uint32_t processes) : self_(self), processes_(processes) {}

  struct Send {
    Rank to;
    CollectivePart part;
  };

  /// Begins the next operation with this rank's value, and returns what to send.
  std::vector<Send> begin(double value);
  /// Takes in a part, and returns what to send next. Parts of later operations and stages are kept
  /// until it is their turn.
  std::vector<Send> take(const CollectivePart& part);
  /// The sum of the current operation, or nothing until it is complete at this rank.
  [[nodiscard]] std::optional<double> sum() const {
    return done_ ? std::optional(sum_) : std::nullopt;
  }
  void digest(Digest& into) const;

 private:
  std::vector<Send> advance();
  bool take_early(const DoublingStage& stage);

  Rank self_;
  std::uint32_t processes_;
  std::uint32_t operation_ = 0;
  std::uint32_t stage_ = 0;  ///< the next stage
  bool has_sent_ = false;    ///< has sent in that stage
  bool done_ = true;
  double sum_ = 0.0;
  std::vector<CollectivePart> early_;
};

}  // namespace faultline::workloads
