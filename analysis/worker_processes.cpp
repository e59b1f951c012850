#include "analysis/worker_processes.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "sim/core/error.hpp"

namespace faultline {

namespace {

struct Worker {
  pid_t pid = -1;
  int pipe = -1;
};

bool write_all(int pipe, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(pipe, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

Worker launch(unsigned number, const std::function<std::string(unsigned)>& body) {
  int ends[2];
  if (pipe(ends) != 0) throw RunError(std::string("cannot make a pipe: ") + strerror(errno));
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw RunError(std::string("cannot start a worker: ") + strerror(errno));
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    bool good = false;
    try {
      good = write_all(ends[1], body(number));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "faultline: %s\n", error.what());
    }
    _exit(good ? 0 : 1);
  }
  close(ends[1]);
  return {pid, ends[0]};
}

std::string result_of(const Worker& worker) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(worker.pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(worker.pipe);
  int status = 0;
  waitpid(worker.pid, &status, 0);
  if (status != 0) throw RunError("a worker process did not end well");
  return text;
}

}  // namespace

std::vector<std::string> in_processes(unsigned count,
                                      const std::function<std::string(unsigned)>& body) {
  std::vector<Worker> workers;
  workers.reserve(count);
  for (unsigned number = 0; number < count; ++number) workers.push_back(launch(number, body));
  std::vector<std::string> results;
  results.reserve(count);
  for (const Worker& worker : workers) results.push_back(result_of(worker));
  return results;
}

}  // namespace faultline
