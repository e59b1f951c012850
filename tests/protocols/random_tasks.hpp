#pragma once

// Random diffusing and non-diffusing computations for the search for a counterexample: what a
// detector must get right whatever is sent when.

#include <algorithm>
#include <optional>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::test {

/// One random run; all of it follows from these numbers.
struct RandomTasks {
  std::uint64_t seed = 1;
  std::uint32_t processes = 2;
  std::uint32_t processes_per_node = 1;
  std::uint32_t depth = 4;   ///< of the trees of tasks
  std::uint32_t fanout = 3;  ///< largest number of children of a task
  bool at_root = true;       ///< only rank 0 begins
  bool unordered = false;
  Progress progress = Progress::dedicated;

  [[nodiscard]] std::string text() const {
    return "seed " + std::to_string(seed) + ", " + std::to_string(processes) + " processes, " +
           std::to_string(processes_per_node) + " per node, depth " + std::to_string(depth) +
           ", fanout " + std::to_string(fanout) + (at_root ? ", at the root" : ", everywhere") +
           (unordered ? ", unordered" : ", fifo") + ", progress " +
           std::to_string(static_cast<int>(progress));
  }
};

/// The i-th random run.
inline RandomTasks random_tasks(std::uint64_t seed, bool unordered) {
  Stream random(seed, 0, Purpose::faults, 0);
  RandomTasks tasks;
  tasks.seed = seed;
  tasks.processes = 1 + static_cast<std::uint32_t>(random.below(17));
  tasks.processes_per_node = 1 + static_cast<std::uint32_t>(random.below(4));
  tasks.depth = static_cast<std::uint32_t>(random.below(7));
  tasks.fanout = 1 + static_cast<std::uint32_t>(random.below(4));
  tasks.at_root = random.chance(0.5);
  tasks.unordered = unordered;
  tasks.progress = static_cast<Progress>(random.below(3));
  return tasks;
}

/// A task computes or not, now or later, and sends tasks to random ranks, itself among them, in one
/// batch; messages have random sizes. The draws belong to the rank.
inline Handlers task_runner(ActorId self, const RandomTasks& tasks) {
  const auto random = std::make_shared<Stream>(tasks.seed, 1, Purpose::workload, self);
  const auto spawn = [=](Context& context, std::uint64_t depth) {
    if (depth == 0) return;
    for (std::uint64_t child = random->below(tasks.fanout + 1U); child > 0; --child)
      context
          .send(static_cast<Rank>(random->below(tasks.processes)), 0,
                static_cast<std::uint32_t>(random->below(2000)))
          .payload.put(depth - 1);
  };
  const auto begin = [=](Context& context, std::uint64_t depth) {
    if (random->chance(0.5)) spawn(context, depth);
    if (random->chance(0.7)) context.compute(random->exponential(1e-5), random->below(depth + 1));
  };
  Handlers handlers;
  handlers.start = [=](Context& context) {
    if (self == 0 || !tasks.at_root) begin(context, tasks.depth);
  };
  handlers.message = [=](Context& context, const Message& message) {
    begin(context, message.payload.get<std::uint64_t>());
  };
  handlers.compute_done = spawn;
  return handlers;
}

/// What a search looks for: an error in the run, in words, or nothing.
inline std::optional<std::string> fault_of(const Seen& seen) {
  for (const Violation& violation : seen.result.violations)
    return violation.kind + ": " + violation.detail;
  if (seen.result.outcome == Outcome::terminated) return std::nullopt;
  return std::string(outcome_word(seen.result.outcome));
}

inline void set_up(Job& job, const RandomTasks& tasks) {
  job.spec.stop.events = 100000;  // a run of some hundred tasks that needs more turns in a circle
  job.spec.platform.processes_per_node = tasks.processes_per_node;
  job.spec.platform.mapping = tasks.seed % 2 == 0 ? Mapping::random : Mapping::block;
  job.spec.platform.progress = tasks.progress;
  job.spec.platform.ordering = tasks.unordered ? Ordering::unordered : Ordering::fifo;
  job.script(
      Family::workload, [tasks](ActorId self) { return task_runner(self, tasks); },
      Traits{.starts_at_root = tasks.at_root});
}

/// A wrong run, made as small as it stays wrong.
struct Counterexample {
  RandomTasks tasks;
  std::string fault;
};

/// The candidate, or the same with another seed, if that goes wrong. `run` says what is wrong in a
/// run, if anything is.
template <class Run>
std::optional<Counterexample> wrong(RandomTasks candidate, Run run) {
  constexpr std::uint64_t kSeeds = 2000;
  const std::uint64_t first = candidate.seed;
  for (std::uint64_t i = 0; i < kSeeds; ++i) {
    candidate.seed = first + i;
    if (const auto fault = run(candidate)) return Counterexample{candidate, *fault};
  }
  return std::nullopt;
}

template <class Run>
Counterexample shrunk(Counterexample found, Run run) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::uint32_t RandomTasks::*size :
         {&RandomTasks::processes, &RandomTasks::depth, &RandomTasks::fanout,
          &RandomTasks::processes_per_node}) {
      const std::uint32_t least = size == &RandomTasks::depth ? 0 : 1;
      if (found.tasks.*size == least) continue;
      RandomTasks candidate = found.tasks;
      --(candidate.*size);
      if (const auto still = wrong(candidate, run)) {
        found = *still;
        smaller = true;
      }
    }
  }
  return found;
}

/// The first wrong run among `runs` random ones, shrunk.
template <class Run>
std::optional<Counterexample> search(std::uint64_t runs, bool unordered, Run run) {
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const RandomTasks tasks = random_tasks(seed, unordered);
    if (const auto fault = run(tasks)) return shrunk(Counterexample{tasks, *fault}, run);
  }
  return std::nullopt;
}

/// Runs a registered detector over random tasks.
inline std::optional<std::string> fault_under(const std::string& detector,
                                              const OptionValues& options,
                                              const RandomTasks& tasks) {
  Job job(tasks.processes, quick_machine());
  set_up(job, tasks);
  job.use(Family::termination, detector, options);
  return fault_of(job.run(EngineKind::loggp, tasks.seed));
}

/// "" if none of `runs` random runs goes wrong, else the smallest counterexample found.
inline std::string counterexample(const std::string& detector, const OptionValues& options,
                                  bool unordered, std::uint64_t runs) {
  const auto found = search(runs, unordered, [&](const RandomTasks& tasks) {
    return fault_under(detector, options, tasks);
  });
  return found ? found->tasks.text() + ": " + found->fault : std::string();
}

}  // namespace faultline::test
