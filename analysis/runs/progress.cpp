// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "sim/core/visible_text.hpp"

namespace faultline::runs {

namespace {

/// A longer line would wrap on most terminals, and a wrapped line cannot be overwritten.
constexpr std::size_t kLongestLine = 79;

/// Cuts the text to that length, but never within a multi-byte character.
std::string cut(std::string words) {
  if (words.size() <= kLongestLine) return words;
  std::size_t end = kLongestLine;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0U) == 0x80U) --end;
  words.resize(end);
  return words;
}

ProgressStyle style_of(bool wanted) {
  if (!wanted) return ProgressStyle::none;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::terminal : ProgressStyle::log;
}

}  // namespace

ProgressTimes::ProgressTimes(ProgressStyle style)
    : period_s_(style == ProgressStyle::terminal ? 0.2 : 10.0),
      next_s_(style == ProgressStyle::terminal ? 1.0 : 10.0) {
  if (style == ProgressStyle::none) next_s_ = std::numeric_limits<double>::infinity();
}

bool ProgressTimes::due(double elapsed_s) {
  if (elapsed_s < next_s_) return false;
  next_s_ = elapsed_s + period_s_;
  return true;
}

ProgressTeller::ProgressTeller(bool wanted)
    : style_(style_of(wanted)), times_(style_), begin_(Clock::now()) {}

double ProgressTeller::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void ProgressTeller::tell(const std::string& words) {
  if (style_ == ProgressStyle::log) complain(words);
  if (style_ != ProgressStyle::terminal) return;
  std::fprintf(stderr, "\r\033[K%s", cut(visible(words)).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressTeller::finish() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

double share_of_run(const scenario::StopSpec& stop, double simulated_s) {
  if (stop.when != scenario::StopWhen::time || stop.time_s <= 0.0) return 0.0;
  return std::clamp(simulated_s / stop.time_s, 0.0, 1.0);
}

std::string progress_words(const ProgressCount& count, const std::string& what, double elapsed_s,
                           ProgressStyle style) {
  char text[32];
  const double worked = static_cast<double>(count.done - count.before) + count.under_way;
  const double rate = worked / (elapsed_s - count.unchanged_s);
  std::string words = std::to_string(count.done);
  if (count.under_way > 0.0) {
    std::snprintf(text, sizeof text, "%.2f", static_cast<double>(count.done) + count.under_way);
    words = text;
  }
  words += (style == ProgressStyle::terminal ? " / " : " of ") + std::to_string(count.total) + " " +
           what;
  if (style == ProgressStyle::terminal) {
    std::snprintf(text, sizeof text, ", %.3g/s", rate);
    words += text;
  }
  const double left = static_cast<double>(count.total - count.done) - count.under_way;
  words += worked > 0.0
               ? ", " + duration_words(std::max(0.0, left / rate - count.unchanged_s)) + " left"
               : ", time left unknown";
  if (count.failed > 0) words += ", " + std::to_string(count.failed) + " failed";
  return words;
}

ProgressLine::ProgressLine(bool wanted, std::string what)
    : teller_(wanted), what_(std::move(what)) {}

void ProgressLine::show(ProgressCount count) {
  const double now_s = teller_.elapsed_s();
  const double done = static_cast<double>(count.done) + count.under_way;
  if (done != shown_) {
    shown_ = done;
    changed_s_ = now_s;
  }
  if (!teller_.due()) return;
  count.before = before_;
  count.unchanged_s = now_s - changed_s_;
  teller_.tell(progress_words(count, what_, now_s, teller_.style()));
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

}  // namespace faultline::runs
