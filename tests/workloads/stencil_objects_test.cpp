// SPDX-License-Identifier: Apache-2.0

// stencil and ordered-stencil with objects: how many messages go where, and which states the
// objects end in.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/core/split_mix.hpp"
#include "tests/support/job.hpp"
#include "tests/workloads/stencils.hpp"
#include "workloads/stencil.hpp"
#include "workloads/stencil_states.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

using Steps = std::vector<std::array<int, 3>>;

Steps along(int dimensions) {
  Steps steps;
  for (int d = 0; d < dimensions; ++d)
    for (const int by : {-1, 1}) {
      std::array<int, 3> step{0, 0, 0};
      step[static_cast<std::size_t>(d)] = by;
      steps.push_back(step);
    }
  return steps;
}

Steps all_around() {
  Steps steps;
  for (int number = 0; number < 27; ++number)
    if (number != 13) steps.push_back({number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1});
  return steps;
}

/// What a preset exchanges, in words of the test's own.
struct Shape {
  std::vector<Steps> exchanges;
  bool periodic;
  bool reduces = false;
};

Shape shape_of(const std::string& preset) {
  if (preset == "wave2d") return {{along(2)}, true};
  if (preset == "jacobi3d") return {{along(3)}, true};
  return {{all_around(), along(3)}, false, true};
}

/// Messages of all objects in an iteration, and those between the runs of objects of two ranks.
struct Counts {
  std::uint64_t messages = 0;
  std::uint64_t remote = 0;

  bool operator==(const Counts&) const = default;
};

/// Counts by the numbers of places in the order of rows.
Counts counted(const Shape& shape, const std::array<int, 3>& grid, std::uint32_t per_rank) {
  const auto number = [&](int x, int y, int z) {
    return static_cast<std::uint32_t>(x + grid[0] * (y + grid[1] * z));
  };
  const auto wrapped = [&](int at, int size) { return shape.periodic ? (at + size) % size : at; };
  const auto outside = [](int at, int size) { return at < 0 || at >= size; };
  Counts counts;
  for (int z = 0; z < grid[2]; ++z)
    for (int y = 0; y < grid[1]; ++y)
      for (int x = 0; x < grid[0]; ++x)
        for (const Steps& steps : shape.exchanges)
          for (const auto& [dx, dy, dz] : steps) {
            const int to_x = wrapped(x + dx, grid[0]);
            const int to_y = wrapped(y + dy, grid[1]);
            const int to_z = wrapped(z + dz, grid[2]);
            if (outside(to_x, grid[0]) || outside(to_y, grid[1]) || outside(to_z, grid[2]))
              continue;
            ++counts.messages;
            if (number(x, y, z) / per_rank != number(to_x, to_y, to_z) / per_rank) ++counts.remote;
          }
  return counts;
}

Counts planned(const StencilPlan& plan) {
  Counts counts;
  for (ObjectId object = 0; object < plan.objects(); ++object)
    for (std::size_t exchange = 0; exchange < plan.exchanges().size(); ++exchange)
      plan.for_each_neighbour(object, exchange, [&](const StencilPlan::Neighbour& neighbour) {
        ++counts.messages;
        if (plan.home(neighbour.object) != plan.home(object)) ++counts.remote;
      });
  return counts;
}

StencilPlan plan_of(const std::string& preset, std::uint32_t processes, std::uint32_t objects,
                    const std::string& mapping = "linear", std::uint64_t iterations = 1) {
  StencilOptions options;
  options.preset = preset;
  options.objects_per_process = objects;
  options.object_mapping = mapping;
  options.iterations = iterations;
  return {options, JobShape{.processes = processes}, false};
}

double digest_of(const StencilPlan& plan, const std::vector<std::uint64_t>& states) {
  std::uint64_t digest = 0;
  for (ObjectId object = 0; object < plan.objects(); ++object)
    digest += StencilStates::share(object, states[object]);
  return static_cast<double>(digest & StencilStates::kBits);
}

}  // namespace

TEST_CASE("the messages of Table 1 follow from its grids and the linear map") {
  // fast-message-logging Table 1: 144.40, 214.80 and 4295.55 generated determinants, and 72.90,
  // 141.10 and 3181.85 remote messages for each PE and iteration.
  struct Row {
    const char* preset;
    std::array<int, 3> grid;
    std::uint32_t objects;
    double messages;
    double remote;
  };
  for (const Row& row :
       {Row{"wave2d", {192, 192, 1}, 36, 144, 74.25}, Row{"jacobi3d", {36, 32, 32}, 36, 216, 144},
        Row{"lulesh", {64, 64, 32}, 128, 4032376.0 / 1024, 2996088.0 / 1024}}) {
    INFO(row.preset);
    const StencilPlan plan = plan_of(row.preset, 1024, row.objects);
    for (std::size_t d = 0; d < 3; ++d)
      CHECK(plan.grid()[d] == static_cast<std::uint32_t>(row.grid[d]));
    const Counts counts = planned(plan);
    CHECK(counts == counted(shape_of(row.preset), row.grid, row.objects));
    CHECK(static_cast<double>(counts.messages) / 1024 == row.messages);
    CHECK(static_cast<double>(counts.remote) / 1024 == row.remote);
  }
}

TEST_CASE("a run sends what its plan says, and LULESH a result to each object") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string preset : {"wave2d", "jacobi3d", "lulesh"})
      for (const std::string mapping : {"linear", "block"}) {
        Job job(6, quick_machine());
        job.workload("stencil", stencil_values(preset, 4, mapping));
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ' ' << preset << ' ' << mapping);
        const Counts counts = planned(plan_of(preset, 6, 4, mapping));
        // Five parts go up the tree, five results down, and one to each object.
        const std::uint64_t reduction = preset == "lulesh" ? 5 + 5 + 24 : 0;
        CHECK(seen.metric("application_messages") ==
              static_cast<double>(3 * (counts.messages + reduction)));
        CHECK(seen.metric("object_messages") ==
              static_cast<double>(counts.messages + (reduction > 0 ? 24 : 0)) / 6);
        CHECK(seen.metric("remote_messages") == static_cast<double>(counts.remote) / 6);
        CHECK(seen.metric("iterations_done") == 18);
        CHECK(seen.metric("iteration_time_s") == seen.metric("time_to_solution_s") / 3);
      }
}

TEST_CASE("neighbours are neighbours of each other, in blocks and runs, and homes are even") {
  for (const std::string preset : {"wave2d", "jacobi3d", "lulesh"})
    for (const std::string mapping : {"linear", "block"})
      for (const std::uint32_t objects : {1U, 2U, 12U}) {
        INFO(preset << ' ' << mapping << ' ' << objects);
        const StencilPlan plan = plan_of(preset, 6, objects, mapping);
        std::vector<std::uint32_t> at_home(6);
        for (ObjectId object = 0; object < plan.objects(); ++object) {
          ++at_home[plan.home(object)];
          CHECK(plan.object_at(plan.place_of(object)) == object);
        }
        CHECK(at_home == std::vector<std::uint32_t>(6, objects));
        for (std::size_t exchange = 0; exchange < plan.exchanges().size(); ++exchange) {
          std::multiset<std::pair<ObjectId, ObjectId>> ways;
          for (ObjectId object = 0; object < plan.objects(); ++object)
            plan.for_each_neighbour(object, exchange, [&](const StencilPlan::Neighbour& other) {
              ways.emplace(object, other.object);
            });
          for (const auto& [from, to] : ways)
            CHECK(ways.count({from, to}) == ways.count({to, from}));
        }
      }
}

TEST_CASE("a rank with a block of objects has fewer remote messages than one with a run") {
  // A block of 6 x 6 has 24 sides outward.
  CHECK(planned(plan_of("wave2d", 1024, 36, "block")).remote == 24UL * 1024);
  CHECK(planned(plan_of("wave2d", 1024, 36, "linear")).remote == 76032);
}

TEST_CASE("objects end in the states that are computed without an engine, in any order") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string preset : {"none", "wave2d", "lulesh"})
      for (const scenario::Ordering ordering :
           {scenario::Ordering::fifo, scenario::Ordering::unordered})
        for (const std::string synchronization : {"tags", "barrier"})
          for (const bool checkpoints : {false, true}) {
            Job job(6, quick_machine());
            OptionValues values = stencil_values(preset, 4);
            values["synchronization"] = synchronization;
            if (checkpoints) values["checkpoint_iterations"] = std::int64_t{2};
            job.workload("stencil", values);
            job.spec.platform.ordering = ordering;
            job.spec.platform.unordered_delay_s = 2e-5;
            job.spec.stop.when = scenario::StopWhen::finished;
            const Seen seen = job.run(engine);
            INFO(engine_word(engine) << ' ' << preset << ' ' << synchronization);
            const StencilPlan plan = plan_of(preset, 6, 4, "linear", 3);
            CHECK(seen.metric("state_digest") ==
                  digest_of(plan, RightStates(plan).after(plan.options().iterations)));
            CHECK(seen.metric("state_difference") == 0);
            CHECK(seen.result.outcome == engine::Outcome::finished);
            CHECK(seen.violations().empty());
          }
}

TEST_CASE("the right states are those of the rule, object by object") {
  // Three objects in an open row: a sum of what the neighbours had, by the side that they lie on.
  StencilOptions options{.dimensions = 1, .periodic = false, .iterations = 2};
  options.objects_per_process = 3;
  const StencilPlan plan(options, JobShape{.processes = 1}, false);
  constexpr std::uint64_t kBits = (std::uint64_t{1} << 52) - 1;
  const auto from = [](std::uint64_t state, std::uint64_t side) {
    return split_mix(state ^ (side + 1) << 56U);
  };
  std::vector<std::uint64_t> states{split_mix(1) & kBits, split_mix(2) & kBits,
                                    split_mix(3) & kBits};
  for (int iteration = 0; iteration < 2; ++iteration)
    states = {split_mix(states[0] + from(states[1], 1)) & kBits,
              split_mix(states[1] + from(states[0], 0) + from(states[2], 1)) & kBits,
              split_mix(states[2] + from(states[1], 0)) & kBits};
  RightStates right(plan);
  CHECK(right.after(2) == states);
  CHECK(right.after(1) != states);
  CHECK(right.after(2) == states);
}

TEST_CASE("an object that ends in a wrong state is a violation") {
  class Forging final : public TerminationDetector {
   public:
    [[nodiscard]] std::unique_ptr<Component> clone() const override {
      return std::make_unique<Forging>(*this);
    }
    void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
      for (Message* message : batch) {
        auto halo = message->payload.get<Stencil::Halo>();
        if (context.self() == 2 && halo.iteration == 1) halo.state ^= 1;
        message->payload.put(halo);
        context.forward(*message);
      }
    }

   private:
    void digest_state(Digest&) const override {}
  };
  Job job(6, quick_machine());
  job.workload("stencil", stencil_values("wave2d", 4));
  job.own(Family::termination, [](ActorId) { return std::make_unique<Forging>(); });
  job.spec.stop.when = scenario::StopWhen::finished;
  const Seen seen = job.run();
  CHECK(seen.violations() == Words{"wrong-state"});
  CHECK(seen.metric("state_difference") != 0);
}

TEST_CASE("the state of an ordered stencil depends on the order of messages, and on nothing else") {
  const auto digest = [](scenario::Ordering ordering, std::uint64_t seed,
                         const std::string& workload) {
    Job job(6, quick_machine());
    job.workload(workload, stencil_values("wave2d", 4));
    job.spec.platform.ordering = ordering;
    job.spec.platform.unordered_delay_s = 2e-5;
    const Seen seen = job.run(scenario::EngineKind::loggp, seed);
    CHECK(seen.violations().empty());
    return seen.metric("state_digest");
  };
  CHECK(digest(scenario::Ordering::fifo, 1, "ordered-stencil") ==
        digest(scenario::Ordering::fifo, 2, "ordered-stencil"));
  std::set<double> digests{digest(scenario::Ordering::fifo, 1, "ordered-stencil")};
  for (const std::uint64_t seed : {1U, 2U, 3U})
    digests.insert(digest(scenario::Ordering::unordered, seed, "ordered-stencil"));
  CHECK(digests.size() == 4);
  CHECK(digest(scenario::Ordering::unordered, 1, "stencil") ==
        digest(scenario::Ordering::unordered, 2, "stencil"));
}

}  // namespace faultline::workloads
