#include "sim/core/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "sim/core/interrupt.hpp"
#include "sim/core/temporary_path.hpp"

namespace faultline {

namespace {

/// Changed only while signals are held. It exists before main() begins, because a signal handler
/// must not allocate it, and is never destroyed, because a signal can come after static objects
/// have been destroyed.
std::vector<pid_t>& children = *new std::vector<pid_t>;

void begin_as_child(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  leave_signals_to_parent();
  children.clear();
  leave_temporary_paths_to_parent();
}

}  // namespace

pid_t fork_child() {
  // Text still in the buffers would be written by both processes.
  std::cout.flush();
  std::fflush(nullptr);
  const SignalsHeld held;
  children.reserve(children.size() + 1);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) begin_as_child(parent);
  if (child > 0) children.push_back(child);
  return child;
}

int wait_for_child(pid_t child) {
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) return -1;
  // After waitpid() the kernel may give the number to another process, which a signal handler must
  // not kill.
  const SignalsHeld held;
  int status = -1;
  if (waitpid(child, &status, 0) < 0) return -1;
  children.erase(std::remove(children.begin(), children.end(), child), children.end());
  return status;
}

void become_silent(std::vector<std::string> words) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nowhere >= 0) dup2(nowhere, stream);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  _exit(127);
}

void kill_children() {
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children)
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace faultline
