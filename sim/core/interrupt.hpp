#pragma once

#include <csignal>

namespace faultline {

/// From now on SIGINT, SIGTERM and SIGHUP end the program with exit code 130 and one line on
/// standard error, and SIGPIPE, which a reader that has gone sends, ends it without a word. With it
/// go its child processes (sim/core/child_process.hpp) and what it has not completed
/// (sim/core/temporary_path.hpp). A SIGHUP that is ignored already, as under nohup, stays ignored.
void end_cleanly_on_signals();

/// Whether a verb holds the interrupts back while one of these lives: they only set a flag then, so
/// that what the user ends is ended without losing what is done.
class InterruptGuard {
 public:
  InterruptGuard();
  /// An interrupt that nobody has asked for by now ends the program here.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();
};

/// Keeps the signals above waiting for a moment, in which what they would find is not consistent.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

/// Gives SIGINT back, at its end, to whom it has belonged: a library may take it for itself
/// meanwhile.
class InterruptHandlerKept {
 public:
  InterruptHandlerKept();
  ~InterruptHandlerKept();
  InterruptHandlerKept(const InterruptHandlerKept&) = delete;
  InterruptHandlerKept& operator=(const InterruptHandlerKept&) = delete;

 private:
  struct sigaction before_;
};

/// In a child: its parent decides what an interrupt means.
void leave_signals_to_parent();

}  // namespace faultline
