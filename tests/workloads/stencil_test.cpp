// SPDX-License-Identifier: Apache-2.0

// stencil: neighbours, numbers of messages, times, and halos out of their turn.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/support/pass_through.hpp"
#include "tests/workloads/observed.hpp"
#include "workloads/stencil.hpp"

namespace faultline::workloads {

using namespace test;

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

/// The middle one of three ranks in a row, whose handlers are called without an engine.
class MiddleRank {
 public:
  static constexpr std::uint64_t kBelow = 0;  ///< the side of rank 0
  static constexpr std::uint64_t kAbove = 1;  ///< the side of rank 2

  MiddleRank() {
    turn_.pool = &pool_;
    turn_.job.processes = 3;
    turn_.self = 1;
    stencil_.start(context_);
  }

  void hand(std::uint64_t iteration, std::uint64_t side) {
    Message message;
    message.to_object = 1;
    message.payload.put(Stencil::Halo{iteration, side});
    stencil_.on_message(context_, message);
  }
  void hand_both(std::uint64_t iteration) {
    hand(iteration, kBelow);
    hand(iteration, kAbove);
  }
  void end_computation() { stencil_.on_compute_done(context_, 1); }

  [[nodiscard]] std::size_t computations() const {
    return static_cast<std::size_t>(
        std::count_if(turn_.actions.begin(), turn_.actions.end(),
                      [](const Action& action) { return action.is<Action::Compute>(); }));
  }
  [[nodiscard]] const std::vector<Message*>& sent() const { return turn_.outbox[0]; }
  [[nodiscard]] std::string waits_for() const { return stencil_.waiting_for(); }

 private:
  MessagePool pool_;
  Turn turn_;
  WorkloadContext context_{turn_, Family::workload};
  Stencil stencil_{std::make_shared<const StencilJob>(
                       StencilOptions{.dimensions = 1, .periodic = false, .iterations = 6},
                       JobShape{.processes = 3}, false),
                   1};
};

/// Gets all messages of its past again with each new one.
class GetsAllAgain final : public PassThrough<GetsAllAgain, Workload> {
 public:
  using PassThrough::PassThrough;
  void on_message(WorkloadContext& context, const Message& message) override {
    past_.push_back(message);
    for (const Message& again : past_) PassThrough::on_message(context, again);
  }

 private:
  std::vector<Message> past_;
};

/// Rank 0 goes back to where it was after its first iteration when it should end its fourth. It
/// then gets again what it has received since.
class GoesBackOnce final : public PassThrough<GoesBackOnce, Workload> {
 public:
  using PassThrough::PassThrough;
  void on_message(WorkloadContext& context, const Message& message) override {
    if (saved_) since_.push_back(message);
    PassThrough::on_message(context, message);
  }
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override {
    if (context.self() == 0 && ++computations_ == 4)
      go_back(context, tag);
    else
      PassThrough::on_compute_done(context, tag);
    if (context.self() == 0 && computations_ == 1) saved_ = inner().clone();
  }

 private:
  void go_back(WorkloadContext& context, std::uint64_t tag) {
    replace_inner(saved_->clone());
    const bool computed = waiting_for() == "0 halos of iteration 1";
    for (const Message& message : since_) PassThrough::on_message(context, message);
    if (computed) PassThrough::on_compute_done(context, tag);
  }

  int computations_ = 0;
  std::shared_ptr<const Component> saved_;
  std::vector<Message> since_;
};

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
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {1U, 2U, 4U, 6U, 12U, 27U, 30U})
      for (const std::int64_t dimensions : {1, 2, 3})
        for (const bool periodic : {false, true}) {
          if (engine == scenario::EngineKind::simgrid && processes != 12) continue;
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
  const auto stencil_s = [](std::uint32_t processes, bool periodic, scenario::EngineKind engine) {
    Job job(processes);
    job.workload("stencil", {{"dimensions", 1},
                             {"periodic", periodic},
                             {"iterations", 10},
                             {"bytes", 300},
                             {"compute_s", 5}});
    job.spec.stop.when = scenario::StopWhen::finished;
    return job.run(engine).metric("time_to_solution_s");
  };
  for (const scenario::EngineKind engine : engines()) {
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

TEST_CASE("a halo says for which iteration and side of its receiver it is") {
  const MiddleRank rank;
  REQUIRE(rank.sent().size() == 2);
  CHECK(rank.sent()[0]->to == 0);
  CHECK(rank.sent()[0]->payload.get<Stencil::Halo>().side == MiddleRank::kAbove);
  CHECK(rank.sent()[1]->to == 2);
  CHECK(rank.sent()[1]->payload.get<Stencil::Halo>().side == MiddleRank::kBelow);
  for (const Message* message : rank.sent())
    CHECK(message->payload.get<Stencil::Halo>().iteration == 0);
}

TEST_CASE("halos of earlier iterations are nothing new") {
  MiddleRank rank;
  rank.hand_both(0);
  CHECK(rank.computations() == 1);
  rank.hand_both(0);
  rank.end_computation();
  CHECK(rank.computations() == 1);
  CHECK(rank.waits_for() == "2 halos of iteration 1");
  rank.hand_both(0);
  rank.hand_both(0);
  CHECK(rank.computations() == 1);
  CHECK(rank.waits_for() == "2 halos of iteration 1");
  rank.hand_both(1);
  CHECK(rank.computations() == 2);
}

TEST_CASE("a halo that comes twice does not stand for one that is missing") {
  MiddleRank rank;
  for (int time = 0; time < 3; ++time) rank.hand(0, MiddleRank::kBelow);
  for (int time = 0; time < 3; ++time) rank.hand(1, MiddleRank::kAbove);
  CHECK(rank.computations() == 0);
  CHECK(rank.waits_for() == "1 halos of iteration 0");
  rank.hand(0, MiddleRank::kAbove);
  CHECK(rank.computations() == 1);
  rank.end_computation();
  CHECK(rank.computations() == 1);
  CHECK(rank.waits_for() == "1 halos of iteration 1");
}

TEST_CASE("halos of iterations far ahead wait for their turn") {
  MiddleRank rank;
  for (const std::uint64_t iteration : {5U, 2U, 3U, 1U}) rank.hand_both(iteration);
  rank.hand_both(std::uint64_t{1} << 60);
  CHECK(rank.computations() == 0);
  rank.hand_both(0);
  for (std::size_t iterations = 1; iterations <= 3; ++iterations) {
    CHECK(rank.computations() == iterations);
    rank.end_computation();
  }
  CHECK(rank.computations() == 4);
  rank.end_computation();
  CHECK(rank.waits_for() == "2 halos of iteration 4");
  rank.hand_both(4);
  rank.end_computation();
  CHECK(rank.computations() == 6);
  rank.end_computation();
  CHECK(rank.waits_for().empty());
}

TEST_CASE("messages that come again change nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(12, quick_machine());
    job.workload("stencil", {{"dimensions", 2}, {"iterations", 6}});
    const std::string expected = to_text(job.run(engine));
    Registration repeated;
    make_mistaken<GetsAllAgain>(job.spec, Family::workload, repeated);
    CHECK(to_text(job.run(engine)) == expected);
  }
}

TEST_CASE("a rank that goes back to an earlier state catches up, and the others wait for it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(12, quick_machine());
    job.workload("stencil", {{"dimensions", 2}, {"iterations", 8}});
    Registration mistaken;
    make_mistaken<GoesBackOnce>(job.spec, Family::workload, mistaken);
    const Seen seen = job.run(engine);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("iterations_done") == 12 * 8);
    // Rank 0 sends the halos of iterations 2 and 3 a second time.
    CHECK(seen.metric("application_messages") == (12 * 8 + 2) * 4);
  }
}

}  // namespace faultline::workloads
