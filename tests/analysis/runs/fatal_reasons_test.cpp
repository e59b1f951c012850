// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/fatal_reasons.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace faultline::runs {

using faultline::engine::Outcome;

namespace {

void add(FatalReasons& reasons, const std::string& reason, int runs,
         Outcome outcome = Outcome::fatal_reported) {
  RunRecord run;
  run.outcome = outcome;
  run.fatal_reason = reason;
  for (int i = 0; i < runs; ++i) reasons.add(run);
}

}  // namespace

TEST_CASE("fatal reasons: counted, the most frequent first") {
  FatalReasons reasons;
  CHECK(reasons.text().empty());
  add(reasons, "", 7, Outcome::terminated);
  add(reasons, "judged as needless", 7, Outcome::violated);
  CHECK(reasons.text().empty());
  add(reasons, "all leaders have died", 2);
  add(reasons, "the root has failed", 118);
  CHECK(reasons.text() == "120 fatal-reported: 118 the root has failed, 2 all leaders have died");
}

TEST_CASE("fatal reasons: equally frequent ones by the alphabet, after three a number") {
  FatalReasons reasons;
  for (const char* reason : {"d", "b", "c", "a"}) add(reasons, reason, 2);
  CHECK(reasons.text() == "8 fatal-reported: 2 a, 2 b, 2 c and 2 of other reasons");
  add(reasons, "d", 1);
  CHECK(reasons.text() == "9 fatal-reported: 3 d, 2 a, 2 b and 2 of other reasons");
}

TEST_CASE("fatal reasons: however many there are, all runs are counted") {
  FatalReasons reasons;
  for (int i = 0; i < 1000; ++i) add(reasons, "rank " + std::to_string(i), 1);
  add(reasons, "rank 7", 3);
  add(reasons, "rank 999", 5);
  CHECK(reasons.text() ==
        "1008 fatal-reported: 4 rank 7, 1 rank 0, 1 rank 1 and 1002 of other reasons");
}

TEST_CASE("fatal reasons: those of a stranger are shown, not obeyed") {
  FatalReasons reasons;
  add(reasons, "esc \x1b[31m \u202e", 3);
  add(reasons, "", 2);
  add(reasons, std::string(99, 'x') + "\u00e9" + std::string(1000, 'x'), 1);
  CHECK(reasons.text() == "6 fatal-reported: 3 esc \\x1b[31m \\u202e, 2 without a reason, 1 " +
                              std::string(99, 'x') + "...");
}

}  // namespace faultline::runs
