// SPDX-License-Identifier: Apache-2.0
#include "sim/core/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "sim/core/child_process.hpp"
#include "sim/core/temporary_path.hpp"

namespace faultline {

namespace {

constexpr int kExitInterrupted = 130;
constexpr std::array<int, 3> kInterrupts = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t guards = 0;
volatile std::sig_atomic_t interrupt_flag = 0;
volatile std::sig_atomic_t heard = 0;  ///< interrupted() has returned true

sigset_t all_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kInterrupts) sigaddset(&set, number);
  sigaddset(&set, SIGPIPE);
  return set;
}

/// Runs in a signal handler: everything it calls must be async-signal-safe.
[[noreturn]] void end_now(int number) {
  kill_children();
  remove_temporary_paths();
  if (number == SIGPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    const sigset_t set = all_signals();
    std::raise(SIGPIPE);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
  }
  constexpr std::string_view kLine = "faultline: interrupted\n";
  while (write(STDERR_FILENO, kLine.data(), kLine.size()) < 0 && errno == EINTR) {
  }
  _exit(kExitInterrupted);
}

void on_signal(int number) {
  if (number == SIGPIPE || guards == 0) end_now(number);
  interrupt_flag = 1;
}

void take(int number) {
  struct sigaction action {};
  action.sa_handler = on_signal;  // NOLINT(cppcoreguidelines-pro-type-union-access)
  action.sa_mask = all_signals();
  sigaction(number, &action, nullptr);
}

bool is_ignored(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  return action.sa_handler == SIG_IGN;  // NOLINT(cppcoreguidelines-pro-type-union-access)
}

}  // namespace

void end_cleanly_on_signals() {
  for (const int number : kInterrupts)
    if (number != SIGHUP || !is_ignored(number)) take(number);
  if (!is_ignored(SIGPIPE)) take(SIGPIPE);
  // Reaching the limit of a file's size is then an error of write(), as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
}

void leave_signals_to_parent() {
  for (const int number : kInterrupts) std::signal(number, SIG_IGN);
  if (!is_ignored(SIGPIPE)) std::signal(SIGPIPE, SIG_DFL);
}

InterruptGuard::InterruptGuard() {
  const SignalsHeld held;
  if (guards == 0) heard = 0;
  guards = guards + 1;
}

InterruptGuard::~InterruptGuard() {
  const SignalsHeld held;
  guards = guards - 1;
  if (guards != 0) return;
  if (interrupt_flag != 0 && heard == 0) end_now(SIGINT);
  interrupt_flag = 0;
}

bool InterruptGuard::interrupted() {
  if (interrupt_flag == 0) return false;
  heard = 1;
  return true;
}

SignalsHeld::SignalsHeld() : before_() {
  const sigset_t set = all_signals();
  sigprocmask(SIG_BLOCK, &set, &before_);
}

SignalsHeld::~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

InterruptHandlerKept::InterruptHandlerKept() : before_() { sigaction(SIGINT, nullptr, &before_); }

InterruptHandlerKept::~InterruptHandlerKept() { sigaction(SIGINT, &before_, nullptr); }

}  // namespace faultline
