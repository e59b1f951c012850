// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/stack.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/verdict/outcome.hpp"

namespace faultline::engine {

/// A component has said that it cannot go on.
struct GivenUp {
  std::string reason;  ///< its own words; none if nobody has given up
  ActorId actor = kNobody;
  Family family = Family::workload;
};

/// Whether a run has ended, and what its end may wait for.
class RunEnding {
 public:
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// How the run has ended.
  [[nodiscard]] Outcome outcome() const { return outcome_; }
  /// The run ends now, unless it has ended already.
  void end(Outcome outcome) {
    if (has_ended_) return;
    has_ended_ = true;
    outcome_ = outcome;
  }

  /// A rank has announced the end of its phase.
  void announced(double now_s) { announced_s_ = now_s; }
  [[nodiscard]] double last_announcement_s() const { return announced_s_; }
  /// News of a death comes then, or has come now. An actor that cannot know yet is not late, so the
  /// grace time of a run begins only when all news has come. Each report of a dead peer starts it
  /// again, because the actors that hear it may have to pass it on. The number of notices and
  /// reports is finite, also with a detector that never reports.
  void expect_news(double time_s) { news_until_s_ = std::max(news_until_s_, time_s); }
  [[nodiscard]] double news_until_s() const { return news_until_s_; }

  /// Somebody does nothing until then.
  void expect_stall(double until_s) { stalled_until_s_ = std::max(stalled_until_s_, until_s); }
  [[nodiscard]] double stalled_until_s() const { return stalled_until_s_; }
  /// After so many events nothing is left to happen but what a failure detector does. Returns since
  /// when that has been so, if this is called after each such event.
  [[nodiscard]] double idle_since_s(std::uint64_t events, double now_s) {
    if (events > idle_at_event_ + 1) idle_since_s_ = now_s;
    idle_at_event_ = events;
    return idle_since_s_;
  }

  /// Somebody has asked for the restart of a process that still lives.
  void await_death(Incarnation living, Incarnation asker) {
    awaited_deaths_.emplace_back(living, asker);
  }
  /// All of these requests: the process, and its asker. It may have died since.
  [[nodiscard]] const auto& awaited_deaths() const { return awaited_deaths_; }

  void give_up(GivenUp given_up) { given_up_ = std::move(given_up); }
  [[nodiscard]] const GivenUp& given_up() const { return given_up_; }

  void digest(Digest& into) const { into.add(has_ended_, outcome_); }

 private:
  bool has_ended_ = false;
  Outcome outcome_ = Outcome::limit;
  double announced_s_ = 0.0;
  double news_until_s_ = 0.0;
  double stalled_until_s_ = -kNever;
  double idle_since_s_ = 0.0;
  std::uint64_t idle_at_event_ = 0;
  std::vector<std::pair<Incarnation, Incarnation>> awaited_deaths_;
  GivenUp given_up_;
};

}  // namespace faultline::engine
