#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Which actor is which rank of a program whose processes are lost and replaced: what a
/// communicator is in MPI. At the start, rank r is actor r. Memory grows with the number of losses,
/// not with the number of ranks.
class World {
 public:
  explicit World(std::uint32_t size);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Throws std::out_of_range for a rank that the world does not have.
  [[nodiscard]] ActorId actor_of(Rank rank) const;
  /// The rank of an actor, or nothing if the world does not have it.
  [[nodiscard]] std::optional<Rank> rank_of(ActorId actor) const;

  /// Leaves out these ranks, given in ascending order. The ranks above them move down.
  void shrink(const std::vector<Rank>& lost);
  /// Adds an actor as the last rank.
  void append(ActorId actor);

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
  void add(ActorId actor, std::uint32_t count);

  std::uint32_t size_ = 0;
  std::vector<Run> runs_;
};

/// A world after so many recoveries. If one of them was itself struck by a death, two can have the
/// same number. They have different leaders, and the one with the later leader is the later one.
struct WorldEpoch {
  std::uint32_t number = 0;
  Rank leader = 0;  ///< the rank that has put the world together

  friend auto operator<=>(const WorldEpoch&, const WorldEpoch&) = default;  // NOLINT(*-nullptr)
  void digest(Digest& into) const { into.add(number, leader); }
};

}  // namespace faultline
