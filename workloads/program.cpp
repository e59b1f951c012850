// SPDX-License-Identifier: Apache-2.0
#include "workloads/program.hpp"

#include <algorithm>

#include "sim/core/split_mix.hpp"

namespace faultline::workloads {

std::size_t Program::finish_of(std::size_t begin) const {
  std::size_t depth = 0;
  std::size_t step = begin;
  do {
    if (steps.at(step).kind == ProgramStep::Kind::begin_try) ++depth;
    if (steps.at(step).kind == ProgramStep::Kind::finish) --depth;
    ++step;
  } while (depth > 0);
  return step - 1;
}

std::uint64_t Program::checkpoint_period() const {
  const std::uint64_t least = std::max<std::uint64_t>(checkpoint_iterations, 1);
  return (least + iterations_per_block - 1) / iterations_per_block * iterations_per_block;
}

std::uint64_t ProgramStates::sent(Rank by, std::uint64_t iteration, std::size_t step) {
  return split_mix(split_mix(iteration ^ std::uint64_t{step} << 56U) + by);
}

std::uint64_t ProgramStates::contributed(Rank by, std::uint64_t iteration, std::size_t step) {
  return (std::uint64_t{by} + 1) * split_mix(iteration ^ std::uint64_t{step} << 56U);
}

std::uint64_t ProgramStates::sum(RankRange ranks, std::uint64_t iteration, std::size_t step) {
  const std::uint64_t count = ranks.count;
  const std::uint64_t factors = count * ranks.first + count * (count + 1) / 2;
  return factors * split_mix(iteration ^ std::uint64_t{step} << 56U);
}

std::uint64_t ProgramStates::initial(Rank rank) { return split_mix(rank + 1ULL); }

std::uint64_t ProgramStates::next(std::uint64_t state, std::uint64_t consumed) {
  return split_mix(state ^ split_mix(consumed));
}

std::uint64_t ProgramStates::state_after(const Program& program, Rank rank,
                                         std::uint64_t iterations,
                                         const std::vector<WorldSince>& shrunk) {
  std::uint64_t state = initial(rank);
  std::uint32_t ranks = program.processes;
  auto next_world = shrunk.begin();
  for (std::uint64_t iteration = 0; iteration < iterations; ++iteration) {
    for (; next_world != shrunk.end() && next_world->iteration <= iteration; ++next_world)
      ranks = next_world->ranks;
    for (std::size_t at = 0; at < program.steps.size(); ++at) {
      const ProgramStep& step = program.steps[at];
      if (step.kind == ProgramStep::Kind::allreduce) {
        const RankRange among = program.summing(step, ranks);
        const bool takes_part = step.communicator == 0 || among.contains(rank);
        if (takes_part) state = next(state, sum(among, iteration, at));
      }
      if (step.kind == ProgramStep::Kind::exchange)
        for (const HaloNeighbour& neighbour : program.exchanges[step.exchange].receives)
          state = next(state, sent(neighbour.rank, iteration, at));
    }
  }
  return state;
}

std::uint64_t ProgramStates::share(Rank rank, std::uint64_t state) {
  return split_mix(split_mix(rank) ^ state) & ((std::uint64_t{1} << 52U) - 1);
}

}  // namespace faultline::workloads
