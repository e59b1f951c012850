// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/progress.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace faultline::runs {

namespace {

/// When progress is told of work that asks each tenth of a second, up to some moment [s].
std::vector<double> told_at(ProgressStyle style, double end_s) {
  ProgressTimes times(style);
  std::vector<double> told;
  for (int tenth = 0; tenth <= 10 * end_s; ++tenth)
    if (times.due(tenth / 10.0)) told.push_back(tenth / 10.0);
  return told;
}

constexpr ProgressStyle kStyles[] = {ProgressStyle::none, ProgressStyle::terminal,
                                     ProgressStyle::log};

}  // namespace

TEST_CASE("a log gets a line each ten seconds, and none of work that is shorter") {
  CHECK(told_at(ProgressStyle::log, 9.9).empty());
  CHECK(told_at(ProgressStyle::log, 35) == std::vector<double>{10, 20, 30});
  // What takes longer than that between two questions is not made up for.
  ProgressTimes times(ProgressStyle::log);
  CHECK(times.due(47));
  CHECK_FALSE(times.due(56.9));
  CHECK(times.due(57));
}

TEST_CASE("a terminal gets nothing in the first second, then a line that is written anew") {
  CHECK(told_at(ProgressStyle::terminal, 0.9).empty());
  const std::vector<double> told = told_at(ProgressStyle::terminal, 3);
  REQUIRE(told.size() >= 7);
  CHECK(told.front() == 1);
  CHECK(told.size() <= 11);
}

TEST_CASE("nothing is told that is not wanted") {
  CHECK(told_at(ProgressStyle::none, 1000).empty());
  CHECK(ProgressTeller(false).style() == ProgressStyle::none);
}

TEST_CASE("progress says what is done, and how long the rest takes at the same rate") {
  const ProgressCount count{.done = 120, .total = 5000};
  CHECK(progress_words(count, "replications", 10, ProgressStyle::log) ==
        "120 of 5000 replications, 6 min 47 s left");
  CHECK(progress_words(count, "replications", 10, ProgressStyle::terminal) ==
        "120 / 5000 replications, 12/s, 6 min 47 s left");
}

TEST_CASE("what was done before does not count for the rate") {
  const ProgressCount count{.done = 60, .total = 100, .before = 40, .failed = 3};
  CHECK(progress_words(count, "points", 10, ProgressStyle::log) ==
        "60 of 100 points, 20 s left, 3 failed");
  const ProgressCount none{.done = 40, .total = 100, .before = 40};
  for (const ProgressStyle style : kStyles)
    CHECK(progress_words(none, "points", 10, style).ends_with("time left unknown"));
}

TEST_CASE("the time left does not grow while nothing changes") {
  for (const ProgressCount& before : {ProgressCount{.done = 3, .total = 10},
                                      ProgressCount{.done = 0, .total = 1, .under_way = 0.25}}) {
    double least_s = 1e9;
    for (int waited_s = 0; waited_s < 400; ++waited_s) {
      ProgressCount count = before;
      count.unchanged_s = waited_s;
      const std::string words = progress_words(count, "runs", 30.0 + waited_s, ProgressStyle::log);
      const std::string left = words.substr(words.find(", ") + 2);
      int minutes = 0;
      int seconds = 0;
      if (std::sscanf(left.c_str(), "%d min %d s left", &minutes, &seconds) < 2)
        REQUIRE(std::sscanf(left.c_str(), "%d s left", &seconds) == 1);
      else
        seconds += 60 * minutes;
      REQUIRE(seconds <= least_s);
      least_s = seconds;
    }
    CHECK(least_s == 0);
  }
}

TEST_CASE("within a run the simulated time counts, if the scenario says when the run ends") {
  scenario::StopSpec stop{.when = scenario::StopWhen::time, .time_s = 40.0};
  CHECK(share_of_run(stop, 10.0) == 0.25);
  CHECK(share_of_run(stop, 41.0) == 1.0);
  CHECK(share_of_run(stop, 0.0) == 0.0);
  stop.when = scenario::StopWhen::announced;
  CHECK(share_of_run(stop, 10.0) == 0.0);
  const ProgressCount count{.done = 1, .total = 4, .under_way = 0.5};
  CHECK(progress_words(count, "replications", 30, ProgressStyle::log) ==
        "1.50 of 4 replications, 50 s left");
  CHECK(progress_words(count, "replications", 30, ProgressStyle::terminal) ==
        "1.50 / 4 replications, 0.05/s, 50 s left");
}

}  // namespace faultline::runs
