// SPDX-License-Identifier: Apache-2.0

// What runs in a signal handler may not allocate: the signal can come in the middle of malloc().

#include "sim/core/interrupt.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <new>

namespace {

constexpr int kHasAllocated = 99;
bool may_allocate = true;

}  // namespace

// Every new expression of this program comes through here. Not inlined: GCC would warn of a pair
// that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (!may_allocate) _exit(kHasAllocated);
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// Else this one may come from a sanitizer, which then complains of the delete below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (!may_allocate) _exit(kHasAllocated);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace faultline {

namespace {

/// How a process ends that gets a signal before it has started any child or opened any file.
int status_after(int number) {
  const pid_t child = fork();
  if (child == 0) {
    ::close(STDERR_FILENO);
    end_cleanly_on_signals();
    may_allocate = false;
    std::raise(number);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a first signal ends the program without allocating") {
  for (const int number : {SIGINT, SIGTERM}) {
    const int status = status_after(number);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
  }
  const int status = status_after(SIGPIPE);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGPIPE);
}

}  // namespace faultline
