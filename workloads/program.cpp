// SPDX-License-Identifier: Apache-2.0
#include "workloads/program.hpp"

#include <algorithm>

#include "sim/core/split_mix.hpp"

namespace faultline::workloads {

namespace {

std::uint64_t of_step(std::uint64_t iteration, std::size_t step) {
  return split_mix(iteration ^ std::uint64_t{step} << 56U);
}

std::uint64_t next(std::uint64_t state, std::uint64_t consumed) {
  return split_mix(state ^ split_mix(consumed));
}

}  // namespace

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

const ProgramStates& states_by_steps() {
  static const StatesBySteps states;
  return states;
}

std::uint64_t StatesBySteps::initial(Rank rank) const { return split_mix(rank + 1ULL); }

std::uint64_t StatesBySteps::sent(const Place& by, std::uint64_t /*state*/) const {
  return split_mix(of_step(by.iteration, by.step) + by.rank);
}

std::uint64_t StatesBySteps::after_exchange(std::uint64_t state, Rank /*rank*/,
                                            std::uint8_t /*exchange*/,
                                            const std::vector<std::uint64_t>& values) const {
  for (const std::uint64_t value : values) state = next(state, value);
  return state;
}

std::uint64_t StatesBySteps::contributed(const Place& by, std::uint64_t /*state*/) const {
  return (std::uint64_t{by.rank} + 1) * of_step(by.iteration, by.step);
}

std::uint64_t StatesBySteps::combined(std::uint64_t one, std::uint64_t other) const {
  return one + other;
}

std::uint64_t StatesBySteps::after_allreduce(std::uint64_t state, std::uint64_t value) const {
  return next(state, value);
}

std::uint64_t StatesBySteps::sum(RankRange ranks, std::uint64_t iteration, std::size_t step) {
  const std::uint64_t count = ranks.count;
  const std::uint64_t factors = count * ranks.first + count * (count + 1) / 2;
  return factors * of_step(iteration, step);
}

std::uint64_t StatesBySteps::state_after(const Program& program, Rank rank,
                                         std::uint64_t iterations,
                                         const std::vector<WorldSince>& shrunk) const {
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
          state = next(state, sent({neighbour.rank, iteration, at}, 0));
    }
  }
  return state;
}

std::uint64_t StatesBySteps::share(Rank rank, std::uint64_t state) const {
  return split_mix(split_mix(rank) ^ state) & ((std::uint64_t{1} << 52U) - 1);
}

}  // namespace faultline::workloads
