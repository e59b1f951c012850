// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/seldom.hpp"
#include "workloads/halo_exchange.hpp"

namespace faultline::workloads {

/// Successive ranks: those of a communicator, or of a TryBlock's group.
struct RankRange {
  Rank first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] bool contains(Rank rank) const { return rank >= first && rank - first < count; }
  bool operator==(const RankRange&) const = default;
};

/// The next step of a bulk-synchronous program.
struct ProgramStep {
  enum class Kind : std::uint8_t {
    exchange,    ///< sends its halos, and waits until they have left and those of others have come
    allreduce,   ///< sums over all ranks, or over some
    compute,     ///< computes for `duration_s`
    begin_try,   ///< begins a TryBlock; at the first iteration of a block only
    finish,      ///< commits it; at the last iteration of a block only
    checkpoint,  ///< saves the state; where a TryBlock is committed, and the last step
  };
  Kind kind = Kind::compute;
  /// A TryBlock inside another one, which each rank commits for itself, in every iteration.
  bool local = false;
  std::uint8_t exchange = 0;  ///< which of the program's exchanges
  std::uint8_t communicator =
      0;  ///< for an allreduce: its communicator, from 1; 0: all ranks of the world
  std::uint64_t bytes = 0;  ///< of each message of an allreduce
  double duration_s = 0.0;
};

class ProgramStates;

/// Those of a program that names no others: StatesBySteps.
const ProgramStates& states_by_steps();

/// The program of one rank, as data. All ranks have the same steps, but different computation times
/// and neighbours. Every TryBlock that begins in an iteration or block of iterations ends there.
struct Program {
  std::vector<ProgramStep> steps;  ///< of one iteration
  std::vector<HaloExchange> exchanges;
  Seldom<std::vector<RankRange>> communicators;  ///< of allreduces among some ranks
  std::uint64_t iterations = 1;
  std::uint64_t iterations_per_block = 1;
  std::uint32_t processes = 1;
  std::uint64_t state_bytes = 0;  ///< the size of a checkpoint
  /// From one checkpoint to the next, at least. 0: message logging is asked for none.
  std::uint64_t checkpoint_iterations = 0;
  /// Outlives the program.
  const ProgramStates* states = &states_by_steps();

  [[nodiscard]] bool begins_block(std::uint64_t iteration) const {
    return iteration % iterations_per_block == 0;
  }
  [[nodiscard]] bool ends_block(std::uint64_t iteration) const {
    return (iteration + 1) % iterations_per_block == 0 || iteration + 1 == iterations;
  }
  /// Iterations from one checkpoint to the next: those of whole TryBlocks. At least 1.
  [[nodiscard]] std::uint64_t checkpoint_period() const;
  /// Is a checkpoint due when an iteration has ended, where the program goes on after it?
  [[nodiscard]] bool is_saved_after(std::uint64_t iteration) const {
    return iteration + 1 < iterations && (iteration + 1) % checkpoint_period() == 0;
  }
  /// The ranks that take part in an allreduce of a world with that many ranks.
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

/// What stands for the numbers of a program: the state of a rank is a digest of all that it has
/// consumed. So a rank that consumes something wrong, twice or not at all has a wrong state from
/// then on. One object serves all ranks.
class ProgramStates {
 public:
  /// Whose data these are, and where in its program the rank is.
  struct Place {
    Rank rank = 0;
    std::uint64_t iteration = 0;
    std::size_t step = 0;
  };

  virtual ~ProgramStates() = default;
  [[nodiscard]] virtual std::uint64_t initial(Rank rank) const = 0;
  /// The value that a rank with that state sends in an exchange.
  [[nodiscard]] virtual std::uint64_t sent(const Place& by, std::uint64_t state) const = 0;
  /// The state after an exchange, in which these values have come, in the order of its receives.
  [[nodiscard]] virtual std::uint64_t after_exchange(
      std::uint64_t state, Rank rank, std::uint8_t exchange,
      const std::vector<std::uint64_t>& values) const = 0;
  /// The value that a rank with that state contributes to an allreduce.
  [[nodiscard]] virtual std::uint64_t contributed(const Place& by, std::uint64_t state) const = 0;
  /// What an allreduce makes of two values, in any order.
  [[nodiscard]] virtual std::uint64_t combined(std::uint64_t one, std::uint64_t other) const = 0;
  [[nodiscard]] virtual std::uint64_t after_allreduce(std::uint64_t state,
                                                      std::uint64_t value) const = 0;
  /// The right state of a rank after that many iterations, without an engine. `shrunk`: the smaller
  /// worlds in which the program has gone on, ascending.
  [[nodiscard]] virtual std::uint64_t state_after(const Program& program, Rank rank,
                                                  std::uint64_t iterations,
                                                  const std::vector<WorldSince>& shrunk) const = 0;
  /// A share of the digest of all ranks, of 52 bits.
  [[nodiscard]] virtual std::uint64_t share(Rank rank, std::uint64_t state) const = 0;
};

/// The states of most programs: rank, iteration and step determine what a rank sends, so that the
/// right state of one rank can be computed without the others.
class StatesBySteps final : public ProgramStates {
 public:
  [[nodiscard]] std::uint64_t initial(Rank rank) const override;
  [[nodiscard]] std::uint64_t sent(const Place& by, std::uint64_t state) const override;
  [[nodiscard]] std::uint64_t after_exchange(
      std::uint64_t state, Rank rank, std::uint8_t exchange,
      const std::vector<std::uint64_t>& values) const override;
  [[nodiscard]] std::uint64_t contributed(const Place& by, std::uint64_t state) const override;
  [[nodiscard]] std::uint64_t combined(std::uint64_t one, std::uint64_t other) const override;
  [[nodiscard]] std::uint64_t after_allreduce(std::uint64_t state,
                                              std::uint64_t value) const override;
  [[nodiscard]] std::uint64_t state_after(const Program& program, Rank rank,
                                          std::uint64_t iterations,
                                          const std::vector<WorldSince>& shrunk) const override;
  [[nodiscard]] std::uint64_t share(Rank rank, std::uint64_t state) const override;
  /// The sum of what these ranks contribute.
  [[nodiscard]] static std::uint64_t sum(RankRange ranks, std::uint64_t iteration,
                                         std::size_t step);
};

}  // namespace faultline::workloads
