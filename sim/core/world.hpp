// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Which actor is which rank of a program whose processes are lost and replaced: what a
/// communicator is in MPI. At the start, rank r is actor r, and as long as that is so, a world has
/// no memory besides itself. Memory grows with the number of losses, not with that of ranks.
class World {
 public:
  explicit World(std::uint32_t size) : size_(size) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Throws std::out_of_range for a rank that the world does not have.
  [[nodiscard]] ActorId actor_of(Rank rank) const;
  /// The rank of an actor, or nothing if the world does not have it.
  [[nodiscard]] std::optional<Rank> rank_of(ActorId actor) const;

  /// Leaves out these ranks, given in ascending order. The ranks above them move down.
  void shrink(const std::vector<Rank>& lost);
  /// Adds successive actors as the last ranks.
  void append(ActorId actor, std::uint32_t count = 1);

  /// Calls visit(actor, count) for successive ranks that are successive actors, in the order of
  /// ranks.
  template <class Visit>
  void for_each_run(const Visit& visit) const {
    if (runs_.empty() && size_ > 0) visit(ActorId{0}, size_);
    for (std::size_t run = 0; run < runs_.size(); ++run)
      visit(runs_[run].actor, end_of(run) - runs_[run].first);
  }
  /// True if it is the world of so many ranks at the start.
  [[nodiscard]] bool is_first(std::uint32_t size) const { return size_ == size && runs_.empty(); }

  friend bool operator==(const World&, const World&) = default;
  void digest(Digest& into) const { into.add(size_, runs_); }

 private:
  /// Successive ranks, from `first` to the next run, that are successive actors.
  struct Run {
    Rank first = 0;
    ActorId actor = 0;

    bool operator==(const Run&) const = default;
    void digest(Digest& into) const { into.add(first, actor); }
  };

  [[nodiscard]] Rank end_of(std::size_t run) const {
    return run + 1 < runs_.size() ? runs_[run + 1].first : size_;
  }

  std::uint32_t size_ = 0;
  std::vector<Run> runs_;  ///< none if each rank is the actor of its number
};

/// A world after that many recoveries. If a death struck during one of them, two worlds can have
/// the same number. The leader that has put the first one together is lost in the second, so that
/// the world with more losses is the later one.
struct WorldEpoch {
  std::uint32_t number = 0;
  std::uint32_t losses = 0;  ///< processes that the job has lost until then

  friend auto operator<=>(const WorldEpoch&, const WorldEpoch&) = default;  // NOLINT(*-nullptr)
  void digest(Digest& into) const { into.add(number, losses); }
};

}  // namespace faultline
