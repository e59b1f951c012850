// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace faultline {

/// Makes SIGINT, SIGTERM and SIGHUP end the program with exit code 130 and one line on standard
/// error. SIGPIPE (the reader of our output is gone) ends it silently. In both cases the program's
/// child processes are killed (sim/core/child_process.hpp) and its incomplete files are removed
/// (sim/core/temporary_path.hpp). A SIGHUP or SIGPIPE that is already ignored, as SIGHUP is under
/// nohup, stays ignored.
void end_cleanly_on_signals();

/// While one of these objects lives, SIGINT, SIGTERM and SIGHUP only set a flag. This lets a verb
/// stop at a point where it can keep the work done so far.
class InterruptGuard {
 public:
  InterruptGuard();
  /// The last guard ends the program if there was an interrupt and interrupted() was not called
  /// after it.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();
};

/// Blocks the signals above while it lives. For short sections in which the data that their
/// handlers use are inconsistent.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

/// Restores the present handler of SIGINT when it is destroyed. For calls of libraries that install
/// a handler of their own.
class InterruptHandlerKept {
 public:
  InterruptHandlerKept();
  ~InterruptHandlerKept();
  InterruptHandlerKept(const InterruptHandlerKept&) = delete;
  InterruptHandlerKept& operator=(const InterruptHandlerKept&) = delete;

 private:
  struct sigaction before_;
};

/// Called in a child process: it ignores interrupts, because its parent decides what they mean.
void leave_signals_to_parent();

}  // namespace faultline
