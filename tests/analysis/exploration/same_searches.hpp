// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

/// Searches that must find the same, over all orders of small jobs.
namespace faultline::exploration {

/// A detector under all graphs of tasks with up to that many messages.
inline scenario::RunSpec any_tree(const Registration& detector, scenario::Ordering ordering,
                                  std::uint32_t processes, std::int64_t messages) {
  test::Job job(processes);
  job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
  job.detector(detector.name);
  job.use(Family::failure_detection, "oracle");
  job.spec.platform.ordering = ordering;
  return explored_spec(job.spec);
}

/// A detector under all graphs of tasks on three ranks, wrong in this point as it was printed.
inline scenario::RunSpec as_printed(const std::string& detector, const std::string& point,
                                    std::int64_t messages) {
  test::Job job(3);
  job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
  job.use(Family::termination, detector, {{"as_printed", ChosenWords{point}}});
  job.use(Family::failure_detection, "oracle");
  return explored_spec(job.spec);
}

/// Every termination detector, with each ordering that it can do with.
template <class Check>
void for_each_detector(Check check) {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination) continue;
    for (const scenario::Ordering ordering :
         {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
      if (ordering == scenario::Ordering::unordered && detector.needs_fifo()) continue;
      CAPTURE(detector.name, ordering);
      check(detector, ordering);
    }
  }
}

/// Both have come to the same verdict, by runs of the same length.
inline void check_same_verdict(const ExplorationResult& one, const ExplorationResult& other) {
  CHECK(one.verdict == other.verdict);
  CHECK(one.limit == other.limit);
  CHECK(one.depth == other.depth);
  CHECK(one.progress_checked == other.progress_checked);
  CHECK(one.fairness_checked == other.fairness_checked);
  const Refutation* found = found_by(one);
  const Refutation* found_by_other = found_by(other);
  REQUIRE((found == nullptr) == (found_by_other == nullptr));
  if (found != nullptr) {
    CHECK(found->outcome == found_by_other->outcome);
    CHECK(found->steps.size() == found_by_other->steps.size());
    REQUIRE(found->violations.size() == found_by_other->violations.size());
    for (std::size_t i = 0; i < found->violations.size(); ++i)
      CHECK(found->violations[i].kind == found_by_other->violations[i].kind);
    return;
  }
  REQUIRE(one.ends.size() == other.ends.size());
  for (const auto& [outcome, states] : one.ends) CHECK(other.ends.contains(outcome));
}

/// Both have seen the same states, by the same runs, and come to the same verdict.
inline void check_same_found(const ExplorationResult& one, const ExplorationResult& other) {
  check_same_verdict(one, other);
  CHECK(one.states == other.states);
  CHECK(one.expanded == other.expanded);
  CHECK(one.largest_queue == other.largest_queue);
  CHECK(one.ends == other.ends);
  CHECK(one.pruned == other.pruned);
  const Refutation* found = found_by(one);
  if (found == nullptr) return;
  CHECK(found->steps == found_by(other)->steps);
  for (std::size_t i = 0; i < found->violations.size(); ++i)
    CHECK(found->violations[i].detail == found_by(other)->violations[i].detail);
}

}  // namespace faultline::exploration
