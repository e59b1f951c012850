// SPDX-License-Identifier: Apache-2.0
#include "sim/audit/block_ledgers.hpp"

#include <algorithm>

namespace faultline::audit {

namespace {

std::string name_of(Incarnation rank) {
  std::string name = "rank " + std::to_string(rank.actor);
  if (rank.number > 0) name += " in its incarnation " + std::to_string(rank.number);
  return name;
}

std::string name_of(std::uint64_t attempt, const WorldEpoch& epoch) {
  return "TryBlock " + std::to_string(attempt) + " of world " + std::to_string(epoch.number);
}

}  // namespace

void BlockLedgers::finished(Incarnation rank, const FinishBlock& finish) {
  Block& block = blocks_[{epochs_[rank.actor], finish.attempt}];
  if (finish.errors == 0) return;
  if (std::find(block.with_errors.begin(), block.with_errors.end(), rank) ==
      block.with_errors.end())
    block.with_errors.push_back(rank);
}

std::optional<std::string> BlockLedgers::learned(Incarnation rank, const BlockOutcome& outcome,
                                                 const IsAlive& is_alive) {
  if (outcome.verdict == BlockVerdict::timed_out || outcome.is_local != 0) return std::nullopt;
  const bool accepts = outcome.verdict == BlockVerdict::accepted;
  const WorldEpoch epoch = epochs_[rank.actor];
  Block& block = blocks_[{epoch, outcome.attempt}];
  std::vector<Incarnation>& others = accepts ? block.rejected : block.accepted;
  const auto alive = std::find_if(others.begin(), others.end(), is_alive);
  if (alive != others.end())
    return name_of(outcome.attempt, epoch) + (accepts ? " is accepted at " : " is rejected at ") +
           name_of(rank) + ", and not at " + name_of(*alive);
  orphaned_ += others.size();
  others.clear();
  const auto failed = std::find_if(block.with_errors.begin(), block.with_errors.end(), is_alive);
  if (accepts && failed != block.with_errors.end())
    return name_of(outcome.attempt, epoch) + " is accepted at " + name_of(rank) +
           ", although requests of " + name_of(*failed) + " have not succeeded";
  std::vector<Incarnation>& same = accepts ? block.accepted : block.rejected;
  same.push_back(rank);
  const auto begun = begun_.find(epoch);
  const std::uint32_t ranks = begun == begun_.end() ? processes_ : begun->second.world.size();
  if (accepts && same.size() == ranks) blocks_.erase({epoch, outcome.attempt});
  return std::nullopt;
}

std::optional<std::string> BlockLedgers::told(Incarnation rank, std::uint64_t attempt,
                                              const FailedGroup& group, const IsAlive& is_alive) {
  const WorldEpoch epoch = epochs_[rank.actor];
  if (group.failed.actor != kNobody && is_alive(group.failed))
    return name_of(attempt, epoch) + " is reported to have lost " + name_of(group.failed) +
           ", which lives";
  Block& block = blocks_[{epoch, attempt}];
  const bool is_first = block.counted_by.actor == kNobody || !is_alive(block.counted_by);
  if (!is_first && block.failed != group.count)
    return name_of(attempt, epoch) + " has lost " + std::to_string(group.count) + " processes as " +
           name_of(rank) + " is told, and " + std::to_string(block.failed) + " as " +
           name_of(block.counted_by) + " is told";
  block.counted_by = rank;
  block.failed = group.count;
  return std::nullopt;
}

void BlockLedgers::told_of(Incarnation rank, const WorldPart& part) {
  told_.try_emplace(rank, 0).first->second.append(part.actor, part.count);
}

/// A rank goes back to a checkpoint in the world that it is in already.
std::optional<std::string> BlockLedgers::entered(Incarnation rank, const WorldEntered& entered) {
  const bool is_same = epochs_[rank.actor] == entered.epoch;
  epochs_[rank.actor] = entered.epoch;
  const auto told = told_.extract(rank);
  const World world = told.empty() ? World(processes_) : told.mapped();
  const Begin& begin =
      begun_.try_emplace(entered.epoch, Begin{entered.iteration, world}).first->second;
  const std::string who = name_of(rank) + " enters world " + std::to_string(entered.epoch.number);
  if (begin.world != world) return who + " with other ranks than another process";
  if (is_same || begin.iteration == entered.iteration) return std::nullopt;
  return who + " at iteration " + std::to_string(entered.iteration) + ", and another process at " +
         std::to_string(begin.iteration);
}

}  // namespace faultline::audit
