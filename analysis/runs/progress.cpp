#include "analysis/runs/progress.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

namespace faultline {

ProgressLine::ProgressLine(bool wanted, std::string what)
    : wanted_(wanted), what_(std::move(what)), begin_(Clock::now()), last_(begin_) {}

void ProgressLine::show(std::size_t done, std::size_t total, std::size_t failed) {
  const auto now = Clock::now();
  const double elapsed_s = std::chrono::duration<double>(now - begin_).count();
  if (!wanted_ || elapsed_s < 1.0 || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  shown_ = true;
  const double rate = static_cast<double>(done - before_) / elapsed_s;
  std::string left = "time left unknown";
  if (done > before_) left = duration_words(static_cast<double>(total - done) / rate) + " left";
  if (failed > 0) left += ", " + std::to_string(failed) + " failed";
  std::fprintf(stderr, "\r\033[K%zu / %zu %s, %.3g/s, %s", done, total, what_.c_str(), rate,
               left.c_str());
  std::fflush(stderr);
}

void ProgressLine::finish() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

std::string duration_words(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  char text[64];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  else if (whole >= 60)
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ld s", whole);
  return text;
}

}  // namespace faultline
