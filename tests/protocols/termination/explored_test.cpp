// Every termination detector that ships, in all orders of a small job: without deaths, and with one
// death anywhere if it tolerates deaths.

#include <catch2/catch.hpp>

#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

ExplorationResult explored(const Registration& detector, Ordering ordering, std::uint32_t faults) {
  Job job(3);
  job.workload("token-ring", {{"walk_length", std::int64_t{3}}, {"branch_probability", 0.5}});
  job.detector(detector.name);
  job.use(Family::failure_detection, "oracle");
  job.spec.platform.ordering = ordering;
  return explore({.spec = explored_spec(job.spec), .faults = faults});
}

void check(const Registration& detector, Ordering ordering, std::uint32_t faults) {
  CAPTURE(detector.name, ordering, faults);
  const ExplorationResult result = explored(detector, ordering, faults);
  if (result.refutation) UNSCOPED_INFO(result.refutation->violations.front().detail);
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  CHECK(result.progress_checked);
  CHECK(result.ends.contains("terminated"));
  const std::uint32_t leaders = detector.name == "venkatesan" ? 2 : 1;
  CHECK(result.ends.contains("fatal-reported") == (faults >= leaders));
}

}  // namespace

TEST_CASE("every termination detector is exhausted without deaths on three ranks") {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination) continue;
    check(detector, Ordering::fifo, 0);
    if (!detector.traits.needs_fifo) check(detector, Ordering::unordered, 0);
  }
}

// With two deaths, both leaders of venkatesan can be among them.
TEST_CASE("the detectors that tolerate deaths are exhausted with up to two anywhere") {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination || !detector.traits.tolerates_faults) continue;
    for (const std::uint32_t faults : {1U, 2U}) {
      check(detector, Ordering::fifo, faults);
      if (!detector.traits.needs_fifo) check(detector, Ordering::unordered, faults);
    }
  }
}
