// SPDX-License-Identifier: Apache-2.0

// A race names the best contestant, or those that differ by less than counts, with the stated
// probability. Here the truth is known: the means are drawn, and the runs from them.
#include "analysis/advice/race.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace faultline::advice {

namespace {

using runs::RunRecord;

constexpr const char* kTime = "time_to_solution_s";

RunRecord run_of(std::int64_t replication, double time_s, bool completes) {
  RunRecord run;
  run.replication = replication;
  run.outcome = completes ? engine::Outcome::finished : engine::Outcome::fatal_reported;
  run.metrics = {{kTime, completes ? std::optional(time_s) : std::nullopt}};
  run.derived = {{"completed", completes ? 1.0 : 0.0}};
  return run;
}

/// What is true of a contestant.
struct Truth {
  double mean_s = 1.0;
  double spread = 0.1;     ///< of its own chance, as a share of its mean
  double completes = 1.0;  ///< the share of runs
};

/// Draws runs: part of the chance is common to all contestants, and part is skewed, as deaths make
/// times.
class Draws {
 public:
  Draws(std::vector<Truth> truths, std::uint64_t seed) : truths_(std::move(truths)), seed_(seed) {}

  [[nodiscard]] std::vector<RunRecord> runs(std::size_t contestant, std::size_t number) const {
    const Truth& truth = truths_[contestant];
    std::vector<RunRecord> all;
    for (std::size_t i = 0; i < number; ++i) {
      std::mt19937_64 common(seed_ * 1000003 + i);
      std::mt19937_64 own((seed_ * 1000003 + i) * 101 + contestant + 1);
      std::exponential_distribution<double> deaths(1.0);
      std::uniform_real_distribution<double> unit(0.0, 1.0);
      const double shared = 0.2 * (deaths(common) - 1.0);
      const double alone = truth.spread * (deaths(own) - 1.0);
      const bool completes = unit(own) < truth.completes;
      all.push_back(
          run_of(static_cast<std::int64_t>(i), truth.mean_s * (1.0 + alone) + shared, completes));
    }
    return all;
  }

  [[nodiscard]] const std::vector<Truth>& truths() const { return truths_; }

 private:
  std::vector<Truth> truths_;
  std::uint64_t seed_;
};

/// How a race went.
struct Course {
  Race race;
  std::size_t runs = 0;       ///< of all contestants
  std::size_t most_runs = 0;  ///< of one
};

/// Twice as many runs each time, until nothing is left to find out.
Course raced(const Draws& draws, const RaceRules& rules, std::size_t most_runs = 2560) {
  const std::size_t contestants = draws.truths().size();
  Course course{Race(rules, contestants)};
  std::vector<std::vector<RunRecord>> runs(contestants);
  for (std::size_t number = 10; number <= most_runs; number *= 2) {
    for (std::size_t i = 0; i < contestants; ++i)
      if (course.race.is_racing(i)) runs[i] = draws.runs(i, number);
    course.race.look(runs);
    course.most_runs = number;
    if (course.race.is_decided()) break;
  }
  for (const auto& of_one : runs) course.runs += of_one.size();
  return course;
}

RaceRules rules() { return {.objective = kTime, .require = {}}; }

std::vector<Standing> standings(const Race& race) {
  std::vector<Standing> all;
  for (const Contestant& one : race.contestants()) all.push_back(one.standing);
  return all;
}

}  // namespace

TEST_CASE("of 200 races, at most the stated share names one that is worse by more than counts") {
  std::mt19937_64 draw(20261130);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::size_t wrong = 0;
  std::size_t decided = 0;
  std::vector<double> shares;  // of the runs that all contestants would have had
  for (std::uint64_t question = 0; question < 200; ++question) {
    std::vector<Truth> truths(2 + draw() % 9);
    for (Truth& truth : truths)
      truth = {.mean_s = 1.0 + 0.5 * unit(draw) * unit(draw), .spread = 0.02 + 0.3 * unit(draw)};
    const Course course = raced({truths, question}, rules());
    REQUIRE(course.race.leader());
    if (!course.race.is_decided()) continue;
    ++decided;
    const auto best = std::ranges::min_element(truths, {}, &Truth::mean_s);
    const double excess = truths[*course.race.leader()].mean_s / best->mean_s - 1.0;
    if (excess > rules().equivalent_within) ++wrong;
    shares.push_back(static_cast<double>(course.runs) /
                     static_cast<double>(course.most_runs * truths.size()));
  }
  std::ranges::sort(shares);
  CAPTURE(wrong, decided, shares[shares.size() / 2]);
  CHECK(decided >= 100);  // the means of the others are too near for so few runs
  CHECK(wrong <= 10);
  // docs/advise.md names the median.
  CHECK(shares[shares.size() / 2] < 0.7);
}

TEST_CASE("runs that do not complete make no race name one that is worse by more than counts") {
  std::mt19937_64 draw(20261201);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::size_t wrong = 0;
  std::size_t decided = 0;
  for (std::uint64_t question = 0; question < 200; ++question) {
    std::vector<Truth> truths(2 + draw() % 5);
    for (Truth& truth : truths)
      truth = {.mean_s = 1.0 + 0.3 * unit(draw) * unit(draw),
               .spread = 0.02 + 0.1 * unit(draw),
               .completes = 1.0 - 0.2 * unit(draw) * unit(draw)};
    const Course course = raced({truths, question}, rules());
    REQUIRE(course.race.leader());
    if (!course.race.is_decided()) continue;
    ++decided;
    const auto best = std::ranges::min_element(truths, {}, &Truth::mean_s);
    if (truths[*course.race.leader()].mean_s / best->mean_s - 1.0 > rules().equivalent_within)
      ++wrong;
  }
  CAPTURE(wrong, decided);
  CHECK(decided >= 100);
  CHECK(wrong <= 10);
}

TEST_CASE("of those that are as good as the best mean, whoever completes most leads") {
  // The second lacks runs; the third completes as many as the first, and is too slow.
  const Draws draws({{1.0, 0.01, 1.0}, {0.995, 0.01, 0.8}, {1.2, 0.01, 1.0}}, 5);
  Race race(rules(), 3);
  race.look({draws.runs(0, 160), draws.runs(1, 160), draws.runs(2, 160)});
  CHECK(standings(race) == std::vector{Standing::leads, Standing::equivalent, Standing::behind});
  // It is 20 % faster, which counts.
  const Draws faster({{1.0, 0.01, 1.0}, {0.8, 0.01, 0.8}}, 5);
  Race second(rules(), 2);
  second.look({faster.runs(0, 160), faster.runs(1, 160)});
  CHECK(standings(second) == std::vector{Standing::behind, Standing::leads});
}

TEST_CASE("contestants that are equal are not told apart, and are found to be equivalent") {
  std::size_t told_apart = 0;
  std::size_t equivalent = 0;
  for (std::uint64_t question = 0; question < 100; ++question) {
    const Course course = raced({{{1.0, 0.05}, {1.0, 0.05}, {1.0, 0.05}}, question}, rules());
    const auto all = standings(course.race);
    if (std::ranges::count(all, Standing::behind) > 0) ++told_apart;
    if (std::ranges::count(all, Standing::equivalent) == 2) ++equivalent;
  }
  CHECK(told_apart <= 5);
  CHECK(equivalent >= 95);
}

TEST_CASE("whoever breaks a requirement is out, however good it is") {
  RaceRules with = rules();
  with.require = {{"completed", 0.95, std::nullopt}};
  const Course course = raced({{{1.0, 0.1, 0.8}, {1.3, 0.1, 1.0}, {1.5, 0.1, 1.0}}, 7}, with);
  CHECK(course.race.is_decided());
  CHECK(standings(course.race) == std::vector{Standing::unfit, Standing::leads, Standing::behind});
  CHECK(course.race.contestants()[0].why_unfit == "does not keep to completed at least 0.95");
  CHECK(course.race.contestants()[1].meets_all);
}

TEST_CASE("whoever was behind one that turns out to be unfit comes back") {
  RaceRules with = rules();
  with.require = {{"completed", 0.9, std::nullopt}};
  const Draws draws({{1.0, 0.01, 0.8}, {1.3, 0.01, 1.0}, {1.31, 0.01, 1.0}}, 3);
  Race race(with, 3);
  race.look({draws.runs(0, 10), draws.runs(1, 10), draws.runs(2, 10)});
  REQUIRE(standings(race) == std::vector{Standing::leads, Standing::behind, Standing::behind});
  CHECK(race.contestants()[1].against == std::size_t{0});
  race.look({draws.runs(0, 320), draws.runs(1, 10), draws.runs(2, 10)});
  CHECK(race.contestants()[0].standing == Standing::unfit);
  CHECK(race.leader() == std::size_t{1});
  CHECK(race.is_racing(2));
  CHECK_FALSE(race.is_decided());
}

TEST_CASE("a race in which nobody is fit is decided without a leader") {
  RaceRules with = rules();
  with.require = {{kTime, std::nullopt, 0.5}};
  const Course course = raced({{{1.0}, {1.2}}, 1}, with);
  CHECK(course.race.is_decided());
  CHECK_FALSE(course.race.leader());
  Race failing(rules(), 1);
  failing.exclude(0, "needs more memory");
  CHECK(failing.is_decided());
}

TEST_CASE("a leader is not advised before it is shown to keep to what is required") {
  RaceRules with = rules();
  with.require = {{"completed", 0.95, std::nullopt}};
  const Draws draws({{1.0, 0.01}, {2.0, 0.01}}, 5);
  Race race(with, 2);
  race.look({draws.runs(0, 10), draws.runs(1, 10)});
  CHECK(standings(race) == std::vector{Standing::leads, Standing::behind});
  CHECK_FALSE(race.is_decided());  // 10 of 10 is 0.69 at least
  race.look({draws.runs(0, 640), draws.runs(1, 10)});
  CHECK(race.is_decided());
}

TEST_CASE("runs that give up early are no part of what completing a program costs") {
  std::vector<RunRecord> gives_up;
  std::vector<RunRecord> slow;
  for (std::int64_t i = 0; i < 20; ++i) {
    RunRecord run = run_of(i, 0.0, i % 2 == 0);
    run.metrics = {{"end_time_s", i % 2 == 0 ? 10.0 + 0.01 * static_cast<double>(i) : 0.1}};
    gives_up.push_back(run);
    run = run_of(i, 0.0, true);
    run.metrics = {{"end_time_s", 8.0 + 0.01 * static_cast<double>(i)}};
    slow.push_back(run);
  }
  RaceRules by_end = rules();
  by_end.objective = "end_time_s";
  Race race(by_end, 2);
  race.look({gives_up, slow});
  CHECK(race.leader() == std::size_t{1});
  CHECK(race.contestants()[0].objective.count == 10);
}

TEST_CASE("of a metric that is better if it is larger, the largest mean leads") {
  RaceRules largest = rules();
  largest.objective = "completed";
  largest.higher_is_better = true;
  const Course course = raced({{{1.0, 0.1, 0.5}, {1.0, 0.1, 0.99}}, 2}, largest);
  CHECK(course.race.is_decided());
  CHECK(standings(course.race) == std::vector{Standing::behind, Standing::leads});
}

}  // namespace faultline::advice
