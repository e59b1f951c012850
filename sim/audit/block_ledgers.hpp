// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/transaction_requests.hpp"
#include "sim/core/types.hpp"

namespace faultline::audit {

/// The ground truth of TryBlocks, seen at the edge of the programs: what each program hands in at
/// the finish of a TryBlock, and what it is told. It knows nothing of any protocol.
///
/// All survivors of a TryBlock must learn the same outcome and the same number of failed processes,
/// and these must be dead, or have been declared dead. A TryBlock is accepted only if the requests
/// of all survivors have succeeded. All processes that enter a world go on at the same iteration,
/// and are told of the same ranks. If a process was told otherwise and is dead when another one
/// learns of it, it leaves an orphaned decision, which is counted.
class BlockLedgers {
 public:
  /// True if that incarnation is alive now, and nobody is about to end it or, for a list of failed
  /// processes, has declared it dead.
  using IsAlive = std::function<bool(Incarnation)>;

  explicit BlockLedgers(std::uint32_t processes) : processes_(processes), epochs_(processes) {}

  // Each of these returns what is wrong, if anything is. `rank` is the incarnation that asks or is
  // told.
  void finished(Incarnation rank, const FinishBlock& finish);
  std::optional<std::string> learned(Incarnation rank, const BlockOutcome& outcome,
                                     const IsAlive& is_alive);
  std::optional<std::string> told(Incarnation rank, std::uint64_t attempt, const FailedGroup& group,
                                  const IsAlive& is_alive);
  void told_of(Incarnation rank, const WorldPart& part);
  std::optional<std::string> entered(Incarnation rank, const WorldEntered& entered);

  /// How many processes were told otherwise than survivors, and have died.
  [[nodiscard]] std::uint64_t orphaned_decisions() const { return orphaned_; }
  void digest(Digest& into) const { into.add(epochs_, blocks_, begun_, told_); }

 private:
  using BlockKey = std::pair<WorldEpoch, std::uint64_t>;
  struct Block {
    std::vector<Incarnation> with_errors;
    std::vector<Incarnation> accepted;  ///< the processes that were told so
    std::vector<Incarnation> rejected;
    Incarnation counted_by;  ///< the first process that was told how many have failed
    std::uint64_t failed = 0;

    void digest(Digest& into) const {
      into.add(with_errors, accepted, rejected, counted_by, failed);
    }
  };

  /// How a world begins.
  struct Begin {
    std::uint64_t iteration = 0;
    World world;

    void digest(Digest& into) const { into.add(iteration, world); }
  };

  std::uint32_t processes_;
  std::vector<WorldEpoch> epochs_;     ///< of each rank's world
  std::map<BlockKey, Block> blocks_;   ///< except those that all know to be accepted
  std::map<WorldEpoch, Begin> begun_;  ///< as the first to enter was told
  std::map<Incarnation, World> told_;  ///< of a world that it is about to enter
  std::uint64_t orphaned_ = 0;
};

}  // namespace faultline::audit
