// SPDX-License-Identifier: Apache-2.0

// Of which deaths the detector of a scenario promises nothing, whatever its name.

#include "analysis/search/unpromised.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <variant>

#include "tests/support/job.hpp"

namespace faultline::search {

using faultline::test::Job;
using faultline::test::quick_machine;

namespace {

/// Promises of a first life, and of a later one.
struct Promises {
  bool first = false;
  bool later = false;

  bool operator==(const Promises&) const = default;
};

constexpr Promises kAll{.first = true, .later = true};
constexpr Promises kFirst{.first = true};
constexpr Promises kNone{};

Promises promises(const std::string& detector, const OptionValues& options = {}) {
  Job job(8, quick_machine());
  job.use(Family::failure_detection, detector, options);
  return {.first = promises_word(job.spec, 0), .later = promises_word(job.spec, 1)};
}

}  // namespace

TEST_CASE("a ring promises nothing of later lives that have no place in it") {
  for (const char* ring : {"ulfm", "rdaemon"}) {
    INFO(ring);
    CHECK(promises(ring) == kAll);
    CHECK(promises(ring, {{"rejoin", false}}) == kFirst);
  }
  CHECK(promises("ulfm", {{"as_built", true}}) == kFirst);
}

TEST_CASE("rdaemon promises nothing of any life as PRRTE builds it") {
  CHECK(promises("rdaemon", {{"as_built", true}}) == kNone);
  for (const char* graph : {"routed-tree", "prrte-as-built"})
    CHECK(promises("rdaemon", {{"broadcast", std::string(graph)}}) == kNone);
}

TEST_CASE("swim promises word of later lives by its exchanges, whether or not members rejoin") {
  for (const char* members : {"ranks", "daemons"})
    for (const bool rejoin : {true, false}) {
      const OptionValues options{{"members", std::string(members)}, {"rejoin", rejoin}};
      CHECK(promises("swim", options) == kAll);
    }
  CHECK(promises("swim", {{"push_pull_period_s", std::monostate()}}) == kFirst);
}

TEST_CASE("detectors without members that return promise word of every life") {
  for (const char* detector : {"oracle", "connection-loss"}) CHECK(promises(detector) == kAll);
}

TEST_CASE("a detector that states no bound promises nothing") {
  Job job(8, quick_machine());
  CHECK(promises_word(job.spec, 0));  // there is no detector
  job.use(Family::failure_detection, "oracle");
  Registration silent = *job.spec.component(Family::failure_detection).registration;
  silent.declare<DetectorTraits>().bound = {};
  job.spec.components[index_of(Family::failure_detection)].registration = &silent;
  CHECK_FALSE(promises_word(job.spec, 0));
}

}  // namespace faultline::search
