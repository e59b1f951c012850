// SPDX-License-Identifier: Apache-2.0

// Whether a detector treats two ranks alike: then a program in which they change places has as many
// states, steps and levels as before. If it has not, they are not alike.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

/// Rules of the workload script in which @a, @b and @c stand for ranks 1 to 3 in some order.
using Program = std::vector<std::string>;

const std::vector<Program> kThreeRanks = {
    {"0 at start: send x to @a, send y to @b", "@a on x: send z to @b"},
    {"0 at start: send x to @a", "@a on x: compute w", "@a after w: send y to 0"},
    {"@a at start: send x to @b", "@b on x: send y to @a, send y to 0"},
};

const std::vector<Program> kFourRanks = {
    {"0 at start: send x to @a", "@a on x: send y to @b, send y to @c"},
    {"@a at start: send x to @b", "@b on x: send y to @c, send z to 0", "@c on y: send y to @a"},
};

Program with_ranks(Program program, const std::vector<Rank>& ranks) {
  for (std::string& rule : program)
    for (std::size_t place = rule.find('@'); place != std::string::npos; place = rule.find('@'))
      rule.replace(place, 2,
                   std::to_string(ranks[static_cast<std::size_t>(rule[place + 1] - 'a')]));
  return program;
}

auto size_of_search(const std::string& detector, const Program& program, std::uint32_t processes) {
  Job job(processes);
  job.workload("script", {{"rules", program}});
  job.detector(detector);
  job.use(Family::failure_detection, "oracle");
  const ExplorationResult result = explore({.spec = explored_spec(job.spec)});
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  return std::tuple(result.states, result.transitions, result.depth);
}

/// The detectors that tell ranks apart which change places in one of these ways.
std::set<std::string> who_tells_apart(const std::vector<Program>& programs,
                                      const std::vector<std::vector<Rank>>& orders) {
  std::set<std::string> detectors;
  const auto processes = static_cast<std::uint32_t>(1 + orders.front().size());
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination) continue;
    for (const Program& program : programs) {
      const auto first =
          size_of_search(detector.name, with_ranks(program, orders.front()), processes);
      for (const std::vector<Rank>& order : orders)
        if (size_of_search(detector.name, with_ranks(program, order), processes) != first)
          detectors.insert(detector.name);
    }
  }
  return detectors;
}

}  // namespace

// `safra` is the detector of docs/adding/termination.md: its token goes round a ring.
TEST_CASE("on three ranks, only leaders and a ring by numbers tell ranks 1 and 2 apart") {
  CHECK(who_tells_apart(kThreeRanks, {{1, 2}, {2, 1}}) ==
        std::set<std::string>{"safra", "venkatesan"});
}

// RELLAZY and RELEAGER use the tree for nothing but the announcement, which meets messages there
// that are still on their way.
TEST_CASE("on four ranks, the control tree tells ranks apart") {
  CHECK(who_tells_apart(kFourRanks, {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {3, 2, 1}}) ==
        std::set<std::string>{"edod", "four-counter", "rel-eager", "rel-lazy", "safra",
                              "venkatesan"});
}

}  // namespace faultline::exploration
