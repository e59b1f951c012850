// stencil: who is a neighbour, how many messages, and how long it takes.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>

#include "tests/workloads/observed.hpp"
#include "workloads/stencil.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

std::vector<std::uint32_t> coordinates(Rank rank, const std::vector<std::uint32_t>& grid) {
  std::vector<std::uint32_t> place;
  for (const std::uint32_t size : grid) {
    place.push_back(rank % size);
    rank /= size;
  }
  return place;
}

/// How many messages `from` sends to `to` in an iteration: the ways of one step between them.
std::uint64_t steps_between(Rank from, Rank to, const std::vector<std::uint32_t>& grid,
                            bool periodic) {
  const auto a = coordinates(from, grid);
  const auto b = coordinates(to, grid);
  std::uint64_t steps = 0;
  for (std::size_t d = 0; d < grid.size(); ++d)
    for (const int step : {-1, 1}) {
      auto moved = a;
      const int place = static_cast<int>(a[d]) + step;
      const int size = static_cast<int>(grid[d]);
      if (!periodic && (place < 0 || place >= size)) continue;
      if (size == 1) continue;
      moved[d] = static_cast<std::uint32_t>((place + size) % size);
      steps += moved == b ? 1 : 0;
    }
  return steps;
}

}  // namespace

TEST_CASE("the process grid has all processes and is as square as its divisors allow") {
  using Grid = std::vector<std::uint32_t>;
  CHECK(process_grid(12, 2) == Grid{4, 3});
  CHECK(process_grid(64, 3) == Grid{4, 4, 4});
  CHECK(process_grid(12, 3) == Grid{3, 2, 2});
  CHECK(process_grid(17, 2) == Grid{17, 1});
  CHECK(process_grid(1, 3) == Grid{1, 1, 1});
  CHECK(process_grid(1024, 2) == Grid{32, 32});
  for (std::uint32_t processes = 1; processes <= 300; ++processes)
    for (const std::uint32_t dimensions : {1U, 2U, 3U}) {
      const Grid grid = process_grid(processes, dimensions);
      CHECK(grid.size() == dimensions);
      CHECK(std::accumulate(grid.begin(), grid.end(), 1U, std::multiplies<>()) == processes);
      CHECK(std::is_sorted(grid.begin(), grid.end(), std::greater<>()));
      if (dimensions != 2) continue;
      // No rectangle of that many processes has a longer short side.
      for (std::uint32_t side = grid[1] + 1; side * side <= processes; ++side)
        CHECK(processes % side != 0);
    }
}

TEST_CASE("a rank exchanges halos with its neighbours on the grid, once an iteration") {
  constexpr std::uint64_t kIterations = 3;
  for (const EngineKind engine : engines())
    for (const std::uint32_t processes : {1U, 2U, 4U, 6U, 12U, 27U, 30U})
      for (const std::int64_t dimensions : {1, 2, 3})
        for (const bool periodic : {false, true}) {
          if (engine == EngineKind::simgrid && processes != 12) continue;
          Job job(processes, quick_machine());
          job.workload("stencil", {{"dimensions", dimensions},
                                   {"periodic", periodic},
                                   {"iterations", std::int64_t{kIterations}}});
          observe_sends(job);
          const Seen seen = job.run(engine);
          INFO(engine_word(engine) << ", " << processes << " processes, " << dimensions
                                   << " dimensions" << (periodic ? ", periodic" : ""));
          const auto grid = process_grid(processes, static_cast<std::uint32_t>(dimensions));
          Traffic expected;
          std::uint64_t messages = 0;
          for (Rank from = 0; from < processes; ++from)
            for (Rank to = 0; to < processes; ++to)
              if (const auto steps = steps_between(from, to, grid, periodic); steps > 0) {
                expected[{from, to}] = kIterations * steps;
                messages += kIterations * steps;
              }
          CHECK(traffic(seen) == expected);
          CHECK(seen.metric("application_messages") == static_cast<double>(messages));
          CHECK(seen.metric("iterations_done") == static_cast<double>(kIterations * processes));
        }
}

TEST_CASE("an iteration takes an exchange and a computation") {
  const auto stencil_s = [](std::uint32_t processes, bool periodic, EngineKind engine) {
    Job job(processes);
    job.workload("stencil", {{"dimensions", 1},
                             {"periodic", periodic},
                             {"iterations", 10},
                             {"bytes", 300},
                             {"compute_s", 5}});
    job.spec.stop.when = StopWhen::finished;
    return job.run(engine).metric("stencil_time_s");
  };
  for (const EngineKind engine : engines()) {
    const auto times_ten = [engine](double iteration_s) {
      return Approx(10 * iteration_s).epsilon(time_tolerance(engine));
    };
    CHECK(stencil_s(1, true, engine) == times_ten(5));
    // 12 s and 3 s of bytes. Round the ring of two the same neighbour gets two halos, of which the
    // second enters the NIC when the first has left it: 3 s later.
    CHECK(stencil_s(2, false, engine) == times_ten(12 + 3 + 5));
    CHECK(stencil_s(2, true, engine) == times_ten(12 + 3 + 3 + 5));
  }
}
