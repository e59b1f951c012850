// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/missed_deaths.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "sim/engine/job/detection_bound.hpp"

namespace faultline::engine {

namespace {

bool is_held_to_bound(const RunJob& job) {
  return !job.disturbance.is_ever() && !job.spec.stalls() &&
         job.spec.platform.progress != scenario::Progress::between;
}

/// What the detector promises of one death.
struct Promise {
  DetectionBound bound;
  double from_s = 0.0;  ///< the bound counts from then on
};

bool is_rank(const RunJob& job, const Death& death) { return job.is_rank(death.dead.actor); }

/// Counts the deaths that others may not know when that one should be known, or after which the
/// process or node is still dead.
void count_deaths(DetectionCase& of, const RunJob& job, const DeathList& deaths, double from_s,
                  double limit_s) {
  of.deaths = of.dead_nodes = 0;
  for (std::uint32_t number = 0; number < deaths.size(); ++number) {
    const Death& other = deaths[number];
    if (other.time_s > from_s + limit_s || other.back_s < from_s - limit_s) continue;
    ++(is_rank(job, other) ? of.deaths : of.dead_nodes);
    of.silent = of.silent || other.silent;
  }
  of.deaths = std::max(of.deaths, 1U);
  of.dead_nodes = std::max(of.dead_nodes, 1U);
}

/// More deaths make the bound longer, and a longer one may count more deaths.
Promise promise_of(const RunJob& job, const DeathList& deaths, const Death& death) {
  const scenario::ComponentChoice& detector = job.spec.component(Family::failure_detection);
  const auto& bound_of = detector.registration->as<DetectorTraits>().bound;
  DetectionCase of = job.detection;
  of.process_life = death.dead.number;
  of.with_daemon = death.daemon.actor != kNobody;
  of.daemon_life = of.with_daemon ? death.daemon.number : std::uint16_t{0};
  of.silent = death.silent;
  of.all_deaths = deaths.size();
  of.disturbed = job.disturbance.is_ever() || job.spec.stalls();
  // Its daemon may have died before it has told anybody of it.
  const double from_s =
      of.with_daemon ? std::max(death.time_s, deaths.of(death.daemon).time_s) : death.time_s;
  Promise promise{.bound = bound_of(detector.options, of), .from_s = from_s};
  for (double limit_s = -1.0; kDetectionPatience * promise.bound.within_s > limit_s;) {
    limit_s = kDetectionPatience * promise.bound.within_s;
    count_deaths(of, job, deaths, from_s, limit_s);
    promise.bound = bound_of(detector.options, of);
  }
  return promise;
}

/// Why nobody has to hear of such a death, or of what nobody watches; empty if all should hear.
const std::string& reason_not_to_hear(const DetectionBound& bound) {
  return bound.unpromised.empty() ? bound.unwatched : bound.unpromised;
}

/// `is_held` says whether the detector is held to its bound in this run.
std::string text_of(const Registration& detector, const audit::UnheardDeath& unheard,
                    const DetectionBound& bound, bool is_held) {
  char times[128];
  std::snprintf(times, sizeof times,
                is_held ? " died at %g s, which all should know within %g s" : " died at %g s",
                unheard.time_s, bound.within_s);
  std::string text =
      detector.name + " has missed a death: rank " + std::to_string(unheard.dead.actor);
  if (unheard.dead.number > 0)
    text += ", started again " +
            (unheard.dead.number == 1 ? "once" : std::to_string(unheard.dead.number) + " times") +
            ",";
  text += times;
  text += "; rank " + std::to_string(unheard.first);
  if (unheard.ranks > 1) text += " and " + std::to_string(unheard.ranks - 1) + " more";
  text += unheard.ranks > 1 ? " do not know" : " does not know";
  if (!is_held) return text + ", and it promises nothing: " + reason_not_to_hear(bound);
  return bound.unwatched.empty() ? text : text + ": " + bound.unwatched;
}

/// Does this rank live although somebody holds it for dead? Nobody tells it anything then.
bool is_held_for_dead(const DetectionEvidence& evidence, Rank rank) {
  const auto& reports = evidence.auditor.falsely_reported();
  return std::any_of(reports.begin(), reports.end(), [&](const auto& report) {
    return report.first.actor == rank && !report.second.empty() &&
           !evidence.deaths.number_of(report.first);
  });
}

}  // namespace

bool may_bring_word(const RunJob& job, const Message& message, double now_s) {
  if (message.channel != Family::failure_detection || (message.flags & kLost) != 0) return false;
  if ((message.flags & kBackground) == 0) return true;
  const double longest_s = job.detection.message.longest_s(static_cast<double>(message.bytes));
  return now_s > message.inject_s + longest_s;
}

std::vector<audit::Violation> missed_deaths(const RunJob& job, const DetectionEvidence& evidence) {
  std::vector<audit::Violation> missed;
  const bool in_peace = is_held_to_bound(job) && evidence.auditor.first_false_report_s() == kNever;
  if (!in_peace && !evidence.all_wait) return missed;
  const Registration& detector = *job.spec.component(Family::failure_detection).registration;
  const auto need_not_hear = [&](Rank rank, Incarnation dead) {
    return evidence.has_heard(rank, dead) || is_held_for_dead(evidence, rank);
  };
  for (const audit::UnheardDeath& unheard : evidence.auditor.unheard(need_not_hear)) {
    const Death& death = evidence.deaths.of(unheard.dead);
    const bool is_known = evidence.is_known(death.dead) &&
                          (death.daemon.actor == kNobody || evidence.is_known(death.daemon));
    if (!is_known) continue;  // it has died before anybody could hear of that life
    const auto [bound, from_s] = promise_of(job, evidence.deaths, death);
    // What nobody watches is missed in any case, whatever else is promised.
    const bool may_be_held = bound.unpromised.empty() || !bound.unwatched.empty();
    const bool is_held = in_peace && may_be_held;
    const bool is_late = evidence.now_s > from_s + kDetectionPatience * bound.within_s;
    const bool is_missed = is_held ? is_late || evidence.nothing_is_left
                                   : evidence.all_wait && !reason_not_to_hear(bound).empty();
    if (is_missed)
      missed.push_back({is_held ? "missed-death" : "unheard-death", evidence.now_s, unheard.first,
                        text_of(detector, unheard, bound, is_held)});
  }
  return missed;
}

}  // namespace faultline::engine
