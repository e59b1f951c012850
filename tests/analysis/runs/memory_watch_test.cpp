// SPDX-License-Identifier: Apache-2.0

// The limit of memory: which process must end, and what a process holds.

#include "analysis/runs/memory_watch.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/runs/worker_process.hpp"

namespace faultline::runs {

using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t kMachine_B = 1000;

}  // namespace

TEST_CASE("memory: nobody must end within the limits") {
  CHECK_FALSE(memory_excess({}, kMachine_B));
  CHECK_FALSE(memory_excess({{750, {}}}, kMachine_B));
  CHECK_FALSE(memory_excess({{250, {}}, {500, {}}}, kMachine_B));
  CHECK_FALSE(memory_excess({{100, 100}}, kMachine_B));
  CHECK_FALSE(memory_excess({{5000, 5000}, {750, {}}}, kMachine_B));  // as the user wants it
}

TEST_CASE("memory: a process that holds more than a stated limit ends, however little that is") {
  const auto excess = memory_excess({{50, 100}, {11, 10}, {700, {}}}, kMachine_B);
  REQUIRE(excess);
  CHECK(excess->process == 1);
  CHECK(excess->why == "out of memory: needs more than stop.memory_bytes, 10");
}

TEST_CASE("memory: without a stated limit, the largest ends when all hold too much") {
  const auto excess = memory_excess({{200, {}}, {301, {}}, {900, 900}, {250, {}}}, kMachine_B);
  REQUIRE(excess);
  CHECK(excess->process == 1);
  CHECK_THAT(excess->why, Contains("three quarters of this machine's memory, 750 bytes"));
}

TEST_CASE("memory: what this process holds, and its children, is found") {
  const std::uint64_t before = resident_bytes(getpid());
  CHECK(before > 0);
  CHECK(before < machine_memory_bytes());
  constexpr std::size_t kMore_B = 64U << 20U;
  {
    const std::vector<char> more(kMore_B, 'x');
    CHECK(more.back() == 'x');
    CHECK(resident_bytes(getpid()) >= before + kMore_B / 10 * 9);
  }
  WorkerProcess worker;
  worker.start([](const WriteLine& write) {
    const std::vector<char> more(kMore_B, 'x');
    write(std::string(1, more.back()));
    pause();
  });
  bool ended = false;
  REQUIRE(worker.read_lines(ended).size() == 1);
  CHECK(worker.resident_bytes() >= kMore_B);
  CHECK(resident_bytes(getpid()) >= before + kMore_B / 10 * 9);  // the worker is its child
  worker.strike();
  while (!ended) CHECK(worker.read_lines(ended).empty());
  CHECK(worker.finish() == "was killed: Killed");
  CHECK(worker.resident_bytes() == 0);
}

TEST_CASE("memory: the machine has what it says it has") {
  std::ifstream information("/proc/meminfo");
  std::string word;
  std::uint64_t total_KiB = 0;
  information >> word >> total_KiB;
  REQUIRE(word == "MemTotal:");
  CHECK(machine_memory_bytes() > 0);
  CHECK(machine_memory_bytes() <= total_KiB * 1024);
}

}  // namespace faultline::runs
