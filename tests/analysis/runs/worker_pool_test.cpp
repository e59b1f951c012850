// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/worker_pool.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/interrupt.hpp"

namespace faultline::runs {

using Catch::Contains;

namespace {

using TaskEnds = std::vector<std::pair<std::uint64_t, TaskEnd>>;

/// What a pool hands on.
TaskEnds ends_of(PoolSettings settings, WorkerPool::DoTask work) {
  TaskEnds ends;
  WorkerPool pool(std::move(settings), std::move(work), [&](std::uint64_t task, TaskEnd end) {
    ends.emplace_back(task, std::move(end));
  });
  pool.run([] { return false; });
  CHECK(pool.ended() == ends.size());
  return ends;
}

/// TaskEnds the process as a crash does, without the handler of the tests.
[[noreturn]] void crash() {
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

void write_number(std::uint64_t task, const WriteLine& write) {
  write("task " + std::to_string(task));
}

std::vector<std::string> first_lines(const TaskEnds& ends) {
  std::vector<std::string> lines;
  for (const auto& [task, end] : ends)
    lines.push_back(end.lines.empty() ? end.failure : end.lines.front());
  return lines;
}

}  // namespace

TEST_CASE("the ends of tasks come in order, however many workers do them") {
  for (const unsigned jobs : {1U, 3U, 20U}) {
    // The first tasks take longest.
    const TaskEnds ends =
        ends_of({.jobs = jobs, .tasks = 7}, [](auto task, const WriteLine& write) {
          usleep(static_cast<useconds_t>(2000 * (7 - task)));
          write_number(task, write);
        });
    CHECK(first_lines(ends) == std::vector<std::string>{"task 0", "task 1", "task 2", "task 3",
                                                        "task 4", "task 5", "task 6"});
    for (std::size_t i = 0; i < ends.size(); ++i) CHECK(ends[i].first == i);
  }
}

TEST_CASE("a pool without tasks does nothing") {
  CHECK(ends_of({.jobs = 3, .tasks = 0}, write_number).empty());
}

TEST_CASE("a crash loses one task, and what its worker wrote of it is known") {
  const TaskEnds ends =
      ends_of({.jobs = 2, .tasks = 6, .lines_of_task = 2}, [](auto task, const WriteLine& write) {
        if (task == 1) crash();
        write_number(task, write);
        if (task == 2) raise(SIGKILL);
        if (task == 5) _exit(0);
        write("done");
      });
  REQUIRE(ends.size() == 6);
  CHECK(ends[1].second.lines.empty());
  CHECK(ends[1].second.failure == "was killed: Aborted");
  CHECK(ends[2].second.lines == std::vector<std::string>{"task 2"});
  CHECK(ends[2].second.failure == "was killed: Killed");
  CHECK(ends[5].second.failure == "exited with 0");
  for (const std::size_t task : {0, 3, 4}) {
    CHECK(ends[task].second.failure.empty());
    CHECK(ends[task].second.lines ==
          std::vector<std::string>{"task " + std::to_string(task), "done"});
  }
}

TEST_CASE("tasks that must be alone have a process each") {
  const auto processes_of = [](bool alone) {
    std::set<std::string> processes;
    for (const std::string& line : first_lines(
             ends_of({.jobs = 2, .tasks = 6, .alone = alone},
                     [](auto, const WriteLine& write) { write(std::to_string(getpid())); })))
      processes.insert(line);
    return processes.size();
  };
  CHECK(processes_of(false) == 2);
  CHECK(processes_of(true) == 6);
}

TEST_CASE("a task that crashes alone does not end those after it") {
  const TaskEnds ends =
      ends_of({.jobs = 1, .tasks = 3, .alone = true}, [](auto task, const WriteLine& write) {
        if (task == 0) crash();
        write_number(task, write);
      });
  CHECK(first_lines(ends) == std::vector<std::string>{"was killed: Aborted", "task 1", "task 2"});
}

TEST_CASE("a task that takes too long is ended") {
  const TaskEnds ends =
      ends_of({.jobs = 1, .tasks = 3, .patience_s = 0.3}, [](auto task, const WriteLine& write) {
        if (task == 1) sleep(60);
        write_number(task, write);
      });
  CHECK(first_lines(ends) == std::vector<std::string>{"task 0", "took too long", "task 2"});
}

TEST_CASE("a task that holds more memory than it may is ended, and said to be out of memory") {
  const TaskEnds ends =
      ends_of({.jobs = 1,
               .tasks = 3,
               .watches_memory = true,
               .memory_limit_B = [](std::uint64_t task) -> std::optional<std::uint64_t> {
                 if (task == 1) return 1;
                 return std::nullopt;
               }},
              [](auto task, const WriteLine& write) {
                if (task == 1) sleep(60);
                write_number(task, write);
              });
  REQUIRE(ends.size() == 3);
  CHECK(ends[1].second.out_of_memory);
  CHECK_THAT(ends[1].second.failure, Contains("memory"));
  CHECK_FALSE(ends[2].second.out_of_memory);
  CHECK(ends[2].second.failure.empty());
}

TEST_CASE("a pool without a last task works until it is told that all is over") {
  std::uint64_t taken = 0;
  WorkerPool pool({.jobs = 2}, write_number, [&](std::uint64_t task, const TaskEnd& end) {
    CHECK(task == taken++);
    CHECK(end.failure.empty());
  });
  pool.run([&] { return taken >= 50; });
  CHECK(taken >= 50);
}

TEST_CASE("after an interrupt the tasks that have ended are handed on, with gaps") {
  // In a process of its own, so that the handlers of this one stay.
  const TaskEnds ends = ends_of({.tasks = 1}, [](auto, const WriteLine& write) {
    std::string taken;
    WorkerPool pool(
        {.jobs = 2, .tasks = 100},
        [](auto task, const WriteLine& write_line) {
          if (task == 0 || task == 5) sleep(60);
          write_number(task, write_line);
        },
        [&](std::uint64_t task, const TaskEnd&) { taken += std::to_string(task) + " "; });
    end_cleanly_on_signals();
    const InterruptGuard guard;
    pool.run([&] {
      if (pool.ended() == 2) raise(SIGTERM);
      return false;
    });
    taken += InterruptGuard::interrupted() ? "interrupted " : "";
    pool.hand_on_rest();
    write(taken);
  });
  CHECK(first_lines(ends) == std::vector<std::string>{"interrupted 1 3 "});
}

}  // namespace faultline::runs
