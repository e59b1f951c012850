// SPDX-License-Identifier: Apache-2.0
#include "sim/core/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
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

/// The leader of a foreign program's process group sees it through: it ends with the program, and
/// takes the group with it if its parent is gone. A program that is killed in its parent's place
/// could not do that for what it has started.
void end_with_group(int) { kill(0, SIGKILL); }

[[noreturn]] void become(const ForeignProgram& program, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGUSR1, SIG_DFL);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nowhere >= 0) dup2(nowhere, stream);
  for (const auto& [name, value] : program.environment) setenv(name, value, 1);
  if (!program.directory.empty() && chdir(program.directory.c_str()) != 0) _exit(1);
  std::vector<std::string> words = program.words;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  const char missing = errno == ENOENT || errno == EACCES ? 1 : 0;
  while (write(report, &missing, 1) < 0 && errno == EINTR) {
  }
  _exit(127);
}

[[noreturn]] void lead_group(const ForeignProgram& program, int report) {
  if (setpgid(0, 0) != 0) _exit(1);
  struct sigaction action {};
  action.sa_handler = end_with_group;
  sigaction(SIGUSR1, &action, nullptr);
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  if (getppid() != parent) _exit(1);  // it has gone meanwhile
  const pid_t child = fork();
  if (child < 0) _exit(1);
  if (child == 0) become(program, report);
  close(report);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) _exit(1);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
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
  // Whatever the child started and left behind; as long as the child is a zombie, no other group
  // can have its number.
  kill(-child, SIGKILL);
  // After waitpid() the kernel may give the number to another process, which a signal handler must
  // not kill.
  const SignalsHeld held;
  int status = -1;
  if (waitpid(child, &status, 0) < 0) return -1;
  children.erase(std::remove(children.begin(), children.end(), child), children.end());
  return status;
}

void kill_children() {
  for (const pid_t child : children) {
    kill(child, SIGKILL);  // it may not lead its group yet
    kill(-child, SIGKILL);
  }
  for (const pid_t child : children)
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

ProgramEnd run_silently(const ForeignProgram& program) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return ProgramEnd::failed;
  const pid_t child = fork_child();
  if (child == 0) lead_group(program, report[1]);
  close(report[1]);
  char missing = 0;
  // Nothing is reported by a program that could be started.
  while (child > 0 && read(report[0], &missing, 1) < 0 && errno == EINTR) {
  }
  close(report[0]);
  if (child < 0) return ProgramEnd::failed;
  const int status = wait_for_child(child);
  if (missing != 0) return ProgramEnd::missing;
  const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return good ? ProgramEnd::good : ProgramEnd::failed;
}

}  // namespace faultline
