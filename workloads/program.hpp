// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/seldom.hpp"
#include "workloads/halo_exchange.hpp"

namespace faultline {

/// Successive ranks: those of a communicator, or of a TryBlock's group.
struct RankRange {
  Rank first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] bool contains(Rank rank) const { return rank >= first && rank - first < count; }
  bool operator==(const RankRange&) const = default;
};

/// What a bulk-synchronous program does next.
struct ProgramStep {
  enum class Kind : std::uint8_t {
    exchange,    ///< sends its halos, and waits until these have left and those of others have come
    allreduce,   ///< a sum over all ranks, or over some
    compute,     ///< for `duration_s`
    begin_try,   ///< begins a TryBlock; at the first iteration of a block only
    finish,      ///< commits it; at the last iteration of a block only
    checkpoint,  ///< saves the state; where a TryBlock is committed, and the last step
  };
  Kind kind = Kind::compute;
  /// A TryBlock inside another one: each rank commits it for itself, in every iteration.
  bool local = false;
  std::uint8_t exchange = 0;      ///< which of the program's exchanges
  std::uint8_t communicator = 0;  ///< of an allreduce: which one, from 1; 0: all ranks of the world
  std::uint64_t bytes = 0;        ///< of each message of an allreduce
  double duration_s = 0.0;
};

/// The program of one rank, as data. All ranks have the same steps, but for how long they compute
/// and whom they exchange with. Every TryBlock that is begun in an iteration or block of iterations
/// is finished there.
struct Program {
  std::vector<ProgramStep> steps;  ///< of one iteration
  std::vector<HaloExchange> exchanges;
  Seldom<std::vector<RankRange>> communicators;  ///< of allreduces among some ranks
  std::uint64_t iterations = 1;
  std::uint64_t iterations_per_block = 1;
  std::uint32_t processes = 1;
  std::uint64_t state_bytes = 0;  ///< what a checkpoint holds

  [[nodiscard]] bool begins_block(std::uint64_t iteration) const {
    return iteration % iterations_per_block == 0;
  }
  [[nodiscard]] bool ends_block(std::uint64_t iteration) const {
    return (iteration + 1) % iterations_per_block == 0 || iteration + 1 == iterations;
  }
  /// Who takes part in an allreduce, if the world has so many ranks.
  [[nodiscard]] RankRange summing(const ProgramStep& step, std::uint32_t ranks) const {
    return step.communicator == 0 ? RankRange{0, ranks} : (*communicators)[step.communicator - 1U];
  }
  /// The step that finishes the TryBlock that `begin` begins.
  [[nodiscard]] std::size_t finish_of(std::size_t begin) const;
};

/// A program that has gone on with fewer ranks, from the beginning of an iteration on.
struct WorldSince {
  std::uint64_t iteration = 0;
  std::uint32_t ranks = 0;

  void digest(Digest& into) const { into.add(iteration, ranks); }
};

/// What stands for the numbers of a program. What a rank sends is determined by the rank, iteration
/// and step, and the state of a rank is a digest of all that it has consumed, in order. So whoever
/// consumes something wrong, twice or not at all has a wrong state from then on.
struct ProgramStates {
  /// What a rank sends in a step.
  static std::uint64_t sent(Rank by, std::uint64_t iteration, std::size_t step);
  /// What a rank contributes to a sum. `sum` is what all of them have contributed.
  static std::uint64_t contributed(Rank by, std::uint64_t iteration, std::size_t step);
  static std::uint64_t sum(RankRange ranks, std::uint64_t iteration, std::size_t step);
  static std::uint64_t initial(Rank rank);
  static std::uint64_t next(std::uint64_t state, std::uint64_t consumed);
  /// The right state of a rank after so many iterations, without an engine. `shrunk`: the smaller
  /// worlds in which the program has gone on, ascending.
  static std::uint64_t state_after(const Program& program, Rank rank, std::uint64_t iterations,
                                   const std::vector<WorldSince>& shrunk = {});
  /// A share of the digest of all ranks, of 52 bits.
  static std::uint64_t share(Rank rank, std::uint64_t state);
};

}  // namespace faultline
