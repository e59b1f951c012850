// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/worker_process.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "analysis/runs/memory_watch.hpp"
#include "sim/core/child_process.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::runs {

namespace {

// A sanitizer takes many times the memory of the program for itself, so that nothing would run
// within a limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

void write_line(int pipe, const std::string& text) {
  const std::string line = text + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(pipe, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    written += static_cast<std::size_t>(count);
  }
}

/// What a worker printed as its error, to be reported in one line together with its end.
std::string last_words(const std::string& log) {
  constexpr std::string_view kName = "faultline: ";
  const std::size_t begin = log.rfind(kName);
  if (begin == std::string::npos) return "";
  const std::string words = log.substr(begin + kName.size());
  return ": " + words.substr(0, words.find('\n'));
}

[[noreturn]] void be_worker(const Work& work, const WorkerSettings& settings, int pipe, int log) {
  if (log >= 0) {
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
  }
  if (kLimitsMemory && settings.memory_limit_B) {
    const rlimit limit{*settings.memory_limit_B, *settings.memory_limit_B};
    setrlimit(RLIMIT_DATA, &limit);
  }
  int code = 0;
  try {
    work([pipe](const std::string& line) { write_line(pipe, line); });
  } catch (const std::bad_alloc&) {
    std::fputs("faultline: out of memory\n", stderr);
    code = 1;
  } catch (const std::exception& error) {
    // The exception must not reach the parent's handlers, which lie further up this copied stack.
    complain(error.what());
    code = 1;
  }
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

WorkerProcess::~WorkerProcess() {
  kill();
  if (log_ >= 0) close(log_);
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept { *this = std::move(other); }

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pipe_, other.pipe_);
  std::swap(log_, other.log_);
  std::swap(told_, other.told_);
  std::swap(unread_, other.unread_);
  return *this;
}

void WorkerProcess::start(const Work& work, const WorkerSettings& settings) {
  int ends[2];
  if (pipe(ends) != 0) throw RunError(std::string("cannot make a pipe: ") + strerror(errno));
  if (settings.keep_log && log_ < 0) log_ = memfd_create("log", MFD_CLOEXEC);
  told_.forget();
  pid_ = fork_child();
  if (pid_ == 0) {
    close(ends[0]);
    told_.tell_from_here();
    be_worker(work, settings, ends[1], settings.keep_log ? log_ : -1);
  }
  const int error = errno;
  close(ends[1]);
  pipe_ = ends[0];
  unread_.clear();
  if (pid_ > 0) return;
  close_pipe();
  throw RunError(std::string("cannot start a worker: ") + strerror(error));
}

std::vector<std::string> WorkerProcess::read_lines(bool& ended) {
  std::vector<std::string> lines;
  char buffer[65536];
  const ssize_t count = read(pipe_, buffer, sizeof buffer);
  ended = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
  if (count <= 0) return lines;
  unread_.append(buffer, static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = unread_.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(unread_.substr(begin, end - begin));
  unread_.erase(0, begin);
  return lines;
}

std::string WorkerProcess::finish() {
  close_pipe();
  const int status = wait_for_child(std::exchange(pid_, -1));
  if (WIFSIGNALED(status)) return std::string("was killed: ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exited with " + std::to_string(WEXITSTATUS(status));
}

void WorkerProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  finish();
}

void WorkerProcess::strike() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::uint64_t WorkerProcess::resident_bytes() const {
  return pid_ > 0 ? faultline::runs::resident_bytes(pid_) : 0;
}

std::string WorkerProcess::log() const {
  constexpr off_t kKept_B = 16384;
  struct stat status {};
  if (log_ < 0 || fstat(log_, &status) != 0) return {};
  std::string text(static_cast<std::size_t>(std::min(status.st_size, kKept_B)), '\0');
  const ssize_t count =
      pread(log_, text.data(), text.size(), std::max<off_t>(0, status.st_size - kKept_B));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  return text;
}

void WorkerProcess::close_pipe() {
  if (pipe_ >= 0) close(pipe_);
  pipe_ = -1;
}

void wait_for_workers(const std::vector<WorkerProcess*>& workers,
                      const std::function<void(std::size_t)>& news, int patience_ms) {
  std::vector<pollfd> polled;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (!workers[i]->running()) continue;
    polled.push_back({workers[i]->pipe_, POLLIN, 0});
    indices.push_back(i);
  }
  if (poll(polled.data(), polled.size(), patience_ms) < 0 && errno != EINTR)
    throw RunError(std::string("cannot wait for workers: ") + strerror(errno));
  for (std::size_t i = 0; i < polled.size(); ++i)
    if (polled[i].revents != 0) news(indices[i]);
}

void in_processes(unsigned count, const std::function<void(unsigned, const WriteLine&)>& body,
                  const std::function<void(const std::string&)>& heard) {
  constexpr int kPatience_ms = 200;
  std::vector<WorkerProcess> workers(count);
  std::vector<WorkerProcess*> all;
  all.reserve(count);
  for (unsigned number = 0; number < count; ++number) {
    workers[number].start([&body, number](const WriteLine& write) { body(number, write); },
                          {.memory_limit_B = {}, .keep_log = true});
    all.push_back(&workers[number]);
  }
  const auto news = [&](std::size_t number) {
    bool ended = false;
    for (const std::string& line : workers[number].read_lines(ended)) heard(line);
    if (!ended) return;
    const std::string failure = workers[number].finish();
    if (!failure.empty())
      throw RunError("a worker process " + failure + last_words(workers[number].log()));
  };
  while (!InterruptGuard::interrupted() &&
         std::any_of(all.begin(), all.end(),
                     [](const WorkerProcess* worker) { return worker->running(); }))
    wait_for_workers(all, news, kPatience_ms);
}

}  // namespace faultline::runs
