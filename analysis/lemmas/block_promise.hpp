// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/lemmas/broken_promise.hpp"
#include "analysis/lemmas/checkpoint_copies.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::lemmas {

/// What a protocol of transactions promises under a program of TryBlocks: the program comes to its
/// right end whichever ranks die, or the protocol gives up for one of the reasons on its page, and
/// only if that reason holds.
struct BlockPromise {
  bool recovers = false;  ///< from deaths; false without transactions, or if each rank is alone
  bool starts_on_spare_nodes = true;
  std::string recovery = "rebuild";
  std::string checkpoint = "none";
  std::uint64_t places = 0;   ///< places for new processes on spare nodes that do not fail
  bool nodes_fail = false;    ///< at some time
  std::uint64_t retries = 0;  ///< retries of a wait for an outcome, and of a TryBlock
  double patience_s = 0.0;    ///< how long a rank waits for an outcome
  /// The time for which other ranks can keep it waiting: stalls, requests that time out, deaths
  /// that it has not heard of, and what ranks compute and send.
  double longest_wait_s = 0.0;
  /// The number of TryBlocks that can be rejected although nobody has died: one for each error, and
  /// two for a stall, since it can end one TryBlock and reach into the next.
  std::uint64_t rejections = 0;
  double notice_s = 0.0;  ///< time in which the living handle the notice of a death
};

/// The promise of a job; nothing if its workload has no TryBlocks.
std::optional<BlockPromise> block_promise_of(const scenario::RunSpec& spec);

/// What an observer sees of deaths, of checkpoints at partners, and of worlds.
class BlockLog final : public audit::RunObserver {
 public:
  /// `protocol` is of transactions; its registration may be null.
  BlockLog(std::uint32_t processes, const scenario::ComponentChoice& protocol);

  void see(const audit::Sight& sight) override;

  [[nodiscard]] bool any_death() const { return any_death_; }
  [[nodiscard]] bool all_dead() const;
  /// How many ranks have died, each counted once.
  [[nodiscard]] std::uint64_t have_died() const;
  /// True if copies of checkpoints at partners are lost, so that there is nothing to go on from.
  [[nodiscard]] bool copies_lost() const { return copies_ && copies_->are_lost(); }
  /// True if every process that was in a world has died, while others had not entered one yet.
  [[nodiscard]] bool world_lost() const { return world_lost_; }
  /// A dead rank that has not contributed to the last TryBlock to which a live one has contributed.
  [[nodiscard]] std::optional<Rank> missing() const;
  /// The earliest death of those that are dead now [s]; nothing if nobody is.
  [[nodiscard]] std::optional<double> first_dead_s() const;

 private:
  /// What the log knows of a rank.
  struct Seen {
    bool alive = true;
    bool has_died = false;
    bool in_world = true;
    double died_s = 0.0;
    std::uint64_t epoch = 0;                              ///< the world that it entered last
    std::pair<std::uint64_t, std::uint64_t> contributed;  ///< in which world, to which TryBlock
  };

  void died(Rank rank, double time_s);
  void marked(Rank rank, const char* mark, std::uint64_t value);

  std::vector<Seen> ranks_;
  std::optional<CheckpointCopies> copies_;
  bool any_death_ = false;
  bool world_lost_ = false;
};

/// Judges a run by its result and by what an observer saw. It does not look into the protocol.
std::optional<BrokenPromise> against_blocks(const BlockPromise& promise,
                                            const engine::RunResult& result, const BlockLog& log);

}  // namespace faultline::lemmas
