// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/point_runs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "analysis/store/point_state.hpp"
#include "tests/analysis/store/small_store.hpp"

namespace faultline::store {

namespace {

scenario::Study study_of(std::uint32_t replications) {
  scenario::Study study;
  study.points.push_back({.combination = 0, .hash = {}, .replications = replications});
  return study;
}

/// Repeats a point until the share of the runs that terminated is known to a tenth. If all do, half
/// of the interval of Clopper and Pearson, from 0.025^(1/n) to 1, is that narrow from n = 17 on.
scenario::Study precise_study(std::uint32_t replications) {
  scenario::Study study = study_of(replications);
  study.sweep.precision = scenario::Precision{
      .metric = "terminated", .relative_half_width = 0.1, .most_replications = 40};
  return study;
}

PointRuns runs_in_order(const scenario::Study& study, const std::vector<std::int64_t>& order) {
  PointRuns runs(study, 0);
  for (const std::int64_t replication : order) runs.add(run_of(replication, 10));
  return runs;
}

std::vector<std::int64_t> first(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

TEST_CASE("a point has all its runs when none is missing, in whatever order they came") {
  const scenario::Study study = study_of(5);
  CHECK(PointRuns(study, 0).empty());
  CHECK(PointRuns(study, 0).needed() == 5);
  const PointRuns some = runs_in_order(study, {4, 0, 1, 7});
  CHECK(some.without_gap() == 2);
  CHECK(some.missing(0, 5) == 2);
  CHECK(some.missing(4, 8) == 2);
  CHECK_FALSE(some.complete());
  CHECK_FALSE(some.beyond());
  const PointRuns all = runs_in_order(study, {4, 0, 1, 7, 3, 2, 2});
  CHECK(all.complete());
  CHECK(all.beyond());
  CHECK_FALSE(runs_in_order(study, {4, 3, 2, 1, 0}).beyond());
}

TEST_CASE("how many runs a precision needs does not depend on the order in which they come") {
  std::mt19937 random(20266);
  for (int times = 0; times < 50; ++times) {
    std::vector<std::int64_t> order = first(30);
    std::shuffle(order.begin(), order.end(), random);
    const PointRuns runs = runs_in_order(precise_study(3), order);
    CHECK(runs.needed() == 17);
    CHECK(runs.complete());
    CHECK(runs.beyond());
  }
}

TEST_CASE("until a precision is reached, at least one more run is needed") {
  const scenario::Study study = precise_study(3);
  // At least ten, then one by one.
  for (std::int64_t count = 0; count < 17; ++count) {
    const PointRuns runs = runs_in_order(study, first(count));
    CHECK_FALSE(runs.complete());
    CHECK(runs.needed() == std::max<std::size_t>(10, static_cast<std::size_t>(count) + 1));
  }
  CHECK(runs_in_order(study, first(17)).complete());
  // A run after a gap tells nothing yet.
  std::vector<std::int64_t> gap = first(17);
  gap.erase(gap.begin() + 3);
  CHECK(runs_in_order(study, gap).needed() == 10);
  CHECK(runs_in_order(precise_study(25), first(17)).needed() == 25);
}

TEST_CASE("a precision of a metric that no run has is a trouble") {
  scenario::Study study = precise_study(3);
  study.sweep.precision->metric = "nothing";
  CHECK(runs_in_order(study, first(9)).trouble().empty());
  const PointRuns runs = runs_in_order(study, first(10));
  CHECK(runs.trouble() == "sweep.precision: the runs have no metric \"nothing\"");
  CHECK_FALSE(runs.complete());
  study.sweep.precision->metric = "outcome";
  CHECK_FALSE(runs_in_order(study, first(10)).trouble().empty());
}

TEST_CASE("what comes after a failed replication is not wanted, what comes before it is") {
  const scenario::Study study = study_of(20);
  PointState state(study, 0);
  CHECK(state.missing({0, 8, 12}) == 4);
  state.fail(10);
  CHECK(state.missing({0, 8, 12}) == 2);
  CHECK(state.missing({0, 12, 16}) == 0);
  state.fail(14);
  CHECK(state.missing({0, 8, 12}) == 2);
  state.fail(3);
  CHECK(state.missing({0, 8, 12}) == 0);
  CHECK(state.missing({0, 0, 4}) == 3);
}

}  // namespace faultline::store
