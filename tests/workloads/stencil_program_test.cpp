// SPDX-License-Identifier: Apache-2.0

// A stencil under transactions is a bulk program of TryBlocks, and ends as its objects do.
#include "workloads/stencil_program.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/job.hpp"
#include "workloads/stencil_states.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

const std::vector<std::string> kRecoveries{"ulfm", "fampi", "relaunch"};

struct Shape {
  std::string preset = "none";
  std::uint32_t processes = 8;
  std::int64_t iterations = 5;
  std::string synchronization = "tags";
  double compute_s = 2e-5;
};

void use_stencil(Job& job, const Shape& shape) {
  job.workload("stencil", {{"preset", shape.preset},
                           {"iterations", shape.iterations},
                           {"compute_s", shape.compute_s},
                           {"synchronization", shape.synchronization},
                           {"object_bytes", std::int64_t{500}}});
  job.spec.stop.when = scenario::StopWhen::finished;
}

/// The digest of the right final states, which are computed from the grid alone.
double right_digest(const Shape& shape) {
  const StencilPlan plan({.iterations = static_cast<std::uint64_t>(shape.iterations),
                          .preset = shape.preset,
                          .synchronization = shape.synchronization},
                         {.processes = shape.processes}, false);
  RightStates states(plan);
  const std::vector<std::uint64_t>& right = states.after(plan.options().iterations);
  std::uint64_t digest = 0;
  for (ObjectId object = 0; object < right.size(); ++object)
    digest += StencilStates::share(object, right[object]);
  return static_cast<double>(digest & StencilStates::kBits);
}

/// The digest with which the stencil of objects ends; null where that reports none.
std::optional<double> digest_of_objects(const Shape& shape) {
  Job job(shape.processes, quick_machine());
  use_stencil(job, shape);
  const Seen seen = job.run();
  CHECK(seen.result.outcome == engine::Outcome::finished);
  const auto& metrics = seen.result.metrics.values();
  const auto found = metrics.find("state_digest");
  return found == metrics.end() ? std::nullopt : found->second;
}

void use_recovery(Job& job, const std::string& recovery, bool takes_checkpoints = true) {
  job.spec.platform.spare_nodes = 2;
  OptionValues options;
  if (takes_checkpoints)
    options = {{"checkpoint", std::string("partner")}, {"checkpoint_iterations", std::int64_t{2}}};
  job.use(Family::transactions, recovery, options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
}

/// Grids of one and of two ranks in a dimension are among these, where ways lead to oneself, or two
/// of them to one neighbour.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::string preset : {"none", "wave2d", "jacobi3d", "lulesh"})
    for (const std::uint32_t processes : {1U, 2U, 4U, 7U, 8U, 12U})
      for (const std::string synchronization : {"tags", "barrier"})
        all.push_back({.preset = preset,
                       .processes = processes,
                       .iterations = 5,
                       .synchronization = synchronization});
  return all;
}

}  // namespace

TEST_CASE("a stencil under transactions ends in the states of its objects") {
  for (const scenario::EngineKind engine : engines())
    for (const Shape& shape : shapes()) {
      const double right = right_digest(shape);
      CHECK(digest_of_objects(shape).value_or(right) == right);
      for (const std::string& recovery : kRecoveries) {
        Job job(shape.processes, quick_machine());
        use_stencil(job, shape);
        use_recovery(job, recovery, shape.processes > 1);  // with a partner on another node
        job.spec.platform.ordering = scenario::Ordering::unordered;
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), shape.preset, shape.processes, shape.synchronization,
                recovery);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("state_digest") == right);
        CHECK(seen.metric("state_difference") == 0.0);
      }
    }
}

TEST_CASE("a stencil under transactions ends in the right states, whoever dies and when") {
  constexpr std::uint64_t kDeaths = 25;
  for (const scenario::EngineKind engine : engines())
    for (const std::string preset : {"none", "wave2d", "jacobi3d", "lulesh"}) {
      const Shape shape{.preset = preset, .processes = 8, .iterations = 7};
      const double right = right_digest(shape);
      for (const std::string& recovery : kRecoveries)
        for (const bool takes_checkpoints : {true, false}) {
          const auto run = [&](double death_s, std::uint64_t seed) {
            Job job(shape.processes, quick_machine());
            use_stencil(job, shape);
            use_recovery(job, recovery, takes_checkpoints);
            if (death_s > 0.0) job.kill(death_s, {static_cast<Rank>(seed * 3 % 8)});
            return job.run(engine, seed);
          };
          // A rank that dies after it has left the job is not brought back.
          const double end_s = 0.9 * run(0.0, 1).metric("time_to_solution_s");
          for (std::uint64_t death = 0; death < sample_of(kDeaths, engine); ++death) {
            const Seen seen = run(end_s * (static_cast<double>(death) + 0.5) / kDeaths, 1 + death);
            CAPTURE(engine_word(engine), preset, recovery, takes_checkpoints, death,
                    seen.result.fatal_reason);
            CHECK(seen.result.outcome == engine::Outcome::finished);
            CHECK(seen.violations().empty());
            CHECK(seen.metric("faults_struck") == 1.0);
            CHECK(seen.metric("state_digest") == right);
          }
        }
    }
}

// TryBlocks and checkpoints are all that a recovery adds. An iteration of a second leaves them no
// time that matters.
TEST_CASE("a stencil takes as long under transactions as without, but for TryBlocks") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string preset : {"wave2d", "jacobi3d", "lulesh"}) {
      const Shape shape{.preset = preset, .processes = 8, .iterations = 4, .compute_s = 1.0};
      Job plain(shape.processes, quick_machine());
      use_stencil(plain, shape);
      const double alone_s = plain.run(engine).metric("time_to_solution_s");
      for (const std::string& recovery : kRecoveries) {
        Job job(shape.processes, quick_machine());
        use_stencil(job, shape);
        job.use(Family::transactions, recovery);
        CAPTURE(engine_word(engine), preset, recovery);
        CHECK(job.run(engine).metric("time_to_solution_s") == Approx(alone_s).epsilon(1e-3));
      }
    }
}

}  // namespace faultline::workloads
