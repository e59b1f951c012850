// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/replications.hpp"

#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "analysis/lemmas/needless_fatal.hpp"
#include "analysis/runs/progress.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/runs/worker_pool.hpp"
#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/problems.hpp"

namespace faultline::runs {

namespace {

/// What the end of a task tells of its replication.
ReplicationRecord record_of(const TaskEnd& end) {
  if (end.failure.empty()) return read_replication_line(end.lines.front());
  return {.run = std::nullopt,
          .error = end.out_of_memory ? end.failure : "the worker process " + end.failure,
          .out_of_memory = end.out_of_memory};
}

/// A run, and the rank whose detector gave up, if that must still be judged.
struct FirstRun {
  RunRecord run;
  std::optional<Rank> gave_up;
};

using MakeFirstRun = std::function<FirstRun()>;

/// What the runtime knows of a broken invariant, and the scenario, in one line.
std::string internal_error(const std::string& what, const std::string& scenario) {
  return "internal error: " + what + ", scenario " + json::in_quotes(scenario);
}

/// The run that `make` makes, or the error that it throws.
template <class Make>
ReplicationRecord record_or_error(const scenario::Scenario& scenario, std::size_t point,
                                  std::uint64_t replication, Make make) {
  ReplicationRecord record{
      .point = point, .replication = replication, .run = std::nullopt, .error = {}};
  try {
    record.run = make();
  } catch (const std::bad_alloc&) {
    record.error = kMemoryError;
    record.out_of_memory = true;
  } catch (const BrokenInvariant& error) {
    record.error = internal_error(error.what(), scenario.name);
  } catch (const std::exception& error) {
    record.error = error.what();
  }
  return record;
}

/// Makes the run in a child, which sends the run in one line and, if a rank gave up, its number in
/// a second one.
FirstRun in_process_of_its_own(const scenario::Scenario& scenario, std::size_t point,
                               std::uint64_t replication, const MakeFirstRun& make) {
  std::vector<std::string> lines;
  in_processes(
      1,
      [&](unsigned, const WriteLine& write) {
        FirstRun first;
        write(replication_line(scenario, record_or_error(scenario, point, replication, [&] {
                                 first = make();
                                 return first.run;
                               })));
        if (first.gave_up) write(std::to_string(*first.gave_up));
      },
      [&lines](const std::string& line) { lines.push_back(line); });
  if (lines.empty()) throw RunError("interrupted");
  ReplicationRecord record = read_replication_line(lines.front());
  if (record.out_of_memory) throw std::bad_alloc();
  if (!record.run) throw RunError(record.error);
  FirstRun first{std::move(*record.run), std::nullopt};
  if (lines.size() > 1) first.gave_up = static_cast<Rank>(std::stoul(lines[1]));
  return first;
}

/// A run in which a detector gave up is repeated, so that it can be watched and judged. SimGrid
/// allows one simulation per process, so the first run then has a process of its own.
RunRecord judged_run(const scenario::Scenario& scenario, std::size_t point,
                     std::uint64_t replication) {
  const scenario::RunSpec& spec = scenario.points[point];
  const bool may_be_judged = spec.has_faults() && lemmas::gives_up_by_messages(spec);
  if (may_be_judged && spec.order) {
    lemmas::FactLog log(spec.platform.processes);
    engine::RunResult result =
        engine::run_simulation(spec, scenario.engine, scenario.seed, replication, &log);
    lemmas::judge_both_ways(spec, log, result);
    return run_record(replication, result, spec);
  }
  const MakeFirstRun make = [&] {
    const engine::RunResult result =
        engine::run_simulation(spec, scenario.engine, scenario.seed, replication);
    FirstRun first{run_record(replication, result, spec), std::nullopt};
    if (may_be_judged && lemmas::detector_gave_up(result)) first.gave_up = result.fatal_actor;
    return first;
  };
  const bool alone = may_be_judged && scenario.engine == scenario::EngineKind::simgrid;
  FirstRun first = alone ? in_process_of_its_own(scenario, point, replication, make) : make();
  if (!first.gave_up) return std::move(first.run);
  const engine::RunResult result =
      lemmas::judged_simulation(spec, scenario.engine, scenario.seed, replication, *first.gave_up);
  return run_record(replication, result, spec);
}

}  // namespace

ReplicationRecord simulated(const scenario::Scenario& scenario, std::size_t point,
                            std::uint64_t replication) {
  return record_or_error(scenario, point, replication,
                         [&] { return judged_run(scenario, point, replication); });
}

ReplicationEnd run_replications(const scenario::Scenario& scenario,
                                const ReplicationSettings& settings, const TakeReplication& take) {
  // The tasks are the replications of the first point, then those of the second, and so on.
  const std::size_t tasks = scenario.points.size() * scenario.replications;
  const auto point_of = [&](std::uint64_t task) { return task / scenario.replications; };
  const auto number_of = [&](std::uint64_t task) { return task % scenario.replications; };
  WorkerPool pool(
      {.jobs = settings.jobs,
       .tasks = tasks,
       // SimGrid allows one simulation per process.
       .alone = scenario.engine == scenario::EngineKind::simgrid,
       .watches_memory = true,
       .memory_limit_B =
           [&](std::uint64_t task) { return scenario.points[point_of(task)].stop.memory_bytes; }},
      [&](std::uint64_t task, const WriteLine& write) {
        write(replication_line(scenario, simulated(scenario, point_of(task), number_of(task))));
      },
      [&](std::uint64_t task, const TaskEnd& end) {
        ReplicationRecord record = record_of(end);
        record.point = point_of(task);
        record.replication = number_of(task);
        take(record, record.run ? end.lines.front() : "");
      });
  ProgressLine progress(settings.progress, "replications");
  const InterruptGuard guard;
  pool.run([&] {
    progress.show({.done = pool.ended(),
                   .total = tasks,
                   .under_way = pool.under_way([&](std::uint64_t task, double simulated_s) {
                     return share_of_run(scenario.points[point_of(task)].stop, simulated_s);
                   })});
    return false;
  });
  progress.finish();
  pool.hand_on_rest();
  return {tasks, InterruptGuard::interrupted()};
}

}  // namespace faultline::runs
