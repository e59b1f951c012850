// SPDX-License-Identifier: Apache-2.0

// What a termination detector that tolerates deaths still promises when the failure detector errs:
// one live rank of three is declared dead by one other, at any moment. The table of
// docs/explore-findings.md.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

using Ends = std::set<std::string>;

/// How runs end, whichever rank errs about whichever other.
Ends ends(const std::string& detector, bool spreads) {
  Ends words;
  for (Rank reporter = 0; reporter < 3; ++reporter)
    for (Rank accused = 0; accused < 3; ++accused) {
      if (reporter == accused) continue;
      Job job(3);
      job.workload("random-tree", {{"most_messages", 2}, {"choices", std::string("all")}});
      job.detector(detector);
      job.use(Family::failure_detection, "erring-oracle",
              {{"reporter", reporter}, {"accused", accused}, {"spreads", spreads}});
      ExplorationRequest request{.spec = explored_spec(job.spec)};
      request.goal = Goal{.name = "nothing"};
      const ExplorationResult result = explore(request);
      CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
      for (const auto& [word, count] : result.ends) words.insert(word);
    }
  return words;
}

}  // namespace

TEST_CASE("what detectors of termination promise when a live rank is declared dead") {
  const Ends adoption = {"terminated", "fatal-reported", "premature"};
  const std::map<std::string, Ends> expected = {
      {"indep", adoption},
      {"rel-lazy", adoption},
      {"rel-eager", adoption},
      {"lai-wu", {"terminated", "fatal-reported", "premature"}},
      {"venkatesan", {"terminated", "premature"}}};
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination || !detector.tolerates_faults()) continue;
    INFO(detector.name);
    Ends all = expected.at(detector.name);
    CHECK(ends(detector.name, true) == all);
    all.insert("hung");  // the accused works on, and the reporter hears nothing of it
    CHECK(ends(detector.name, false) == all);
  }
}

}  // namespace faultline::exploration
