// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/detection_promise.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace faultline::lemmas {

namespace {

double metric(const engine::RunResult& result, const char* name) {
  const auto& values = result.metrics.values();
  const auto found = values.find(name);
  return found == values.end() ? 0.0 : found->second.value_or(0.0);
}

std::string whole(double count) { return std::to_string(static_cast<std::uint64_t>(count)); }

std::string seconds(double time_s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g s", time_s);
  return text;
}

/// True if every live rank must have heard of every death by now.
bool must_be_complete(const DetectionPromise& promise, const engine::RunResult& result,
                      const DetectionLog& log) {
  if (!promise.complete_after_s || log.dead(promise.of_daemons) >= promise.fewer_dead_than)
    return false;
  const double quiet_s = std::max(promise.calm_from_s, log.last_death_s());
  const double end_s = metric(result, "end_time_s");
  return end_s >= quiet_s + *promise.complete_after_s || end_s < promise.until_s;
}

}  // namespace

void DetectionLog::see(const audit::Sight& sight) {
  if (sight.kind == audit::Sight::Kind::died) {
    ++(sight.actor < processes_ ? ranks_ : daemons_);
    last_death_s_ = std::max(last_death_s_, sight.time_s);
    dead_.insert(sight.actor);
  }
  if (sight.actor >= processes_ || told_twice_) return;
  if (sight.kind == audit::Sight::Kind::taken_back) {  // it may be told again
    told_.erase({sight.actor, sight.peer});
    std::erase_if(reported_, [&](const auto& report) {
      return report.first == sight.actor && report.second.actor == sight.peer;
    });
  }
  const auto about = [&](const char* what) {
    return "rank " + std::to_string(sight.actor) + what + std::to_string(sight.peer) + " is dead";
  };
  if (sight.kind == audit::Sight::Kind::reported &&
      !reported_
           .emplace(sight.actor, Incarnation{sight.peer, static_cast<std::uint16_t>(sight.value)})
           .second)
    told_twice_ = about("'s detector reported twice that ");
  if (sight.kind == audit::Sight::Kind::declared_dead &&
      !told_.emplace(sight.actor, sight.peer).second)
    told_twice_ = about(" was told twice that ");
}

std::optional<BrokenPromise> against_detection(const DetectionPromise& promise,
                                               const engine::RunResult& result,
                                               const DetectionLog& log) {
  const auto is_missed = [](const audit::Violation& violation) {
    return violation.kind == "missed-death";
  };
  for (const audit::Violation& violation : result.violations)
    if (!is_missed(violation))
      return BrokenPromise{LemmaFigure::other, promise_broken_by(violation).text};
  if (log.all_dead()) return std::nullopt;
  const double false_reports = metric(result, "false_reports");
  if (promise.accurate && false_reports > 0)
    return BrokenPromise{LemmaFigure::false_report,
                         whole(false_reports) + " live ranks were reported dead"};
  if (const auto& twice = log.told_twice()) return BrokenPromise{LemmaFigure::told_twice, *twice};
  if (!result.violations.empty())  // the bound that the detector states itself
    return BrokenPromise{LemmaFigure::missed, promise_broken_by(result.violations.front()).text};
  const double missed = metric(result, "missed_reports");
  if (missed > 0 && must_be_complete(promise, result, log))
    return BrokenPromise{LemmaFigure::missed, whole(missed) + " dead ranks were not known to all " +
                                                  seconds(*promise.complete_after_s) +
                                                  " after the last death"};
  // A run that waits for all reports waits in vain if one is missed.
  const bool waited = missed > 0 && (result.outcome == engine::Outcome::limit ||
                                     result.outcome == engine::Outcome::deadlock);
  if (result.outcome == engine::Outcome::finished || waited) return std::nullopt;
  return BrokenPromise{LemmaFigure::other,
                       std::string("the run ended as ") + engine::outcome_word(result.outcome)};
}

}  // namespace faultline::lemmas
