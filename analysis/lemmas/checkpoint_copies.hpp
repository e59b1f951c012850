// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/core/world.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::lemmas {

/// The places of the checkpoints of each rank's data, where each rank sends a copy to a partner. It
/// follows the messages of the protocol as an observer that knows of all deaths. After a recovery,
/// other processes may have the ranks, so it follows the worlds, too.
class CheckpointCopies {
 public:
  /// `protocol`: of transactions.
  CheckpointCopies(std::uint32_t processes, const scenario::ComponentChoice& protocol);

  void see(const audit::Sight& sight);

  /// True if deaths have left no checkpoint from which all ranks could go on. Before any rank has
  /// its second one, all can begin again instead. The loss counts until a rank has gone on in a
  /// world that was put together later, and the missing data has come.
  [[nodiscard]] bool are_lost() const { return lost_in_.has_value(); }

 private:
  using Points = std::set<std::uint64_t>;  ///< checkpoints, by their iterations

  /// A copy, or the data of a rank, that has come for a world.
  struct Arrival {
    WorldEpoch epoch;
    Rank rank = kNobody;  ///< whose data they are
    std::uint64_t point = 0;
    bool is_for_itself = false;  ///< the receiver is that rank in that world
  };
  struct Process {
    bool alive = true;
    std::optional<WorldEpoch> epoch = WorldEpoch{};  ///< its world; none before the first
    std::vector<WorldEpoch> told = {};               ///< later worlds that it knows of
    std::optional<Rank> data_of = {};                ///< the rank whose data it has
    Points own = {};                                 ///< its last two checkpoints of them
    std::optional<std::uint64_t> taking = {};        ///< a checkpoint that is not complete
    std::optional<std::uint64_t> copied = {};        ///< the last checkpoint sent to its partner
    std::uint64_t point = 0;                 ///< the checkpoint from which its world goes on
    std::map<Rank, Points> kept = {};        ///< copies for others
    std::map<Rank, std::uint64_t> got = {};  ///< data for the rank that it will have
    std::vector<Arrival> early = {};         ///< for later worlds
  };

  void marked(ActorId actor, const char* mark, std::uint64_t value);
  void message(const audit::Sight& sight);
  void arrive(ActorId at, const Message& message);
  void take(Process& process, const Arrival& arrival) const;
  void join(Process& process, std::uint64_t number);
  void go_on(Process& process, ActorId self);
  void save(Process& process, std::uint64_t point);
  void judge();
  [[nodiscard]] Points open_to(Rank rank) const;
  [[nodiscard]] std::optional<Rank> rank_in(const WorldEpoch& epoch, ActorId actor) const;

  bool is_collective_;   ///< a checkpoint is complete when all ranks have taken it
  bool commits_blocks_;  ///< between checkpoints, so that no rank is two checkpoints ahead
  std::uint16_t copy_, copy_stored_, restore_, world_, committed_;  ///< kinds of messages
  std::vector<Process> processes_;
  std::map<WorldEpoch, World> worlds_;
  bool has_second_ = false;  ///< a process has taken two checkpoints
  std::optional<WorldEpoch> lost_in_;
};

}  // namespace faultline::lemmas
