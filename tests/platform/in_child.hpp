// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

namespace faultline::platform {

/// Runs `body` in a child process, as SimGrid allows one Engine a process, and returns what it
/// returned: "" if all is well, else what is not. A child that ends otherwise is a failure too.
inline std::string in_child(const std::function<std::string()>& body) {
  int ends[2] = {0, 0};
  if (pipe(ends) != 0) return "no pipe";
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return "no child";
  if (child == 0) {
    ::close(ends[0]);
    // Catch2's handler would report the child's abort as one of the parent's test cases.
    std::signal(SIGABRT, SIG_DFL);
    std::string finding;
    try {
      finding = body();
    } catch (const std::exception& error) {
      finding = std::string("exception: ") + error.what();
    }
    const bool written =
        write(ends[1], finding.data(), finding.size()) == static_cast<ssize_t>(finding.size());
    _exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string finding;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    finding.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) finding += " (the child ended with status " + std::to_string(status) + ")";
  return finding;
}

}  // namespace faultline::platform
