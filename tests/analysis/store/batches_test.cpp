// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/batches.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace faultline::store {

namespace {

scenario::Study study_of(const std::vector<std::uint32_t>& replications) {
  scenario::Study study;
  for (const std::uint32_t count : replications)
    study.points.push_back({.combination = 0, .hash = {}, .replications = count});
  return study;
}

std::size_t replications_in(const std::vector<Batch>& batches) {
  return std::accumulate(
      batches.begin(), batches.end(), std::size_t{0},
      [](std::size_t sum, const Batch& batch) { return sum + batch.end - batch.first; });
}

}  // namespace

TEST_CASE("the batches of all shards are each replication once") {
  const scenario::Study study = study_of({1, 7, 64, 1000, 3});
  for (const std::size_t count : {1, 2, 5, 16, 300}) {
    std::map<std::pair<std::size_t, std::size_t>, int> times;
    for (std::size_t index = 0; index < count; ++index)
      for (const Batch& batch : Batches(study).of({index, count}))
        for (std::size_t i = batch.first; i < batch.end; ++i) ++times[{batch.point, i}];
    CHECK(times.size() == 1075);
    for (const auto& [replication, number] : times) REQUIRE(number == 1);
    CHECK(times.contains({3, 999}));
    CHECK_FALSE(times.contains({1, 7}));
  }
}

TEST_CASE("each of N shards has work once a point has 4 N replications") {
  for (std::size_t count = 1; count <= 1024; count += count < 70 ? 1 : 53)
    for (const std::size_t points : {1, 2, 20, 100}) {
      const auto replications = static_cast<std::uint32_t>(4 * count);
      const scenario::Study study = study_of(std::vector<std::uint32_t>(points, replications));
      std::size_t least = points * replications;
      for (std::size_t index = 0; index < count; ++index)
        least = std::min(least, replications_in(Batches(study).of({index, count})));
      INFO(count << " shards, " << points << " points");
      REQUIRE(least > 0);
    }
}

TEST_CASE("one point with 100,000 replications gives each of 16 shards a sixteenth") {
  const scenario::Study study = study_of({100000});
  const std::size_t size = Batches(study).size();
  for (std::size_t index = 0; index < 16; ++index) {
    const std::size_t share = replications_in(Batches(study).of({index, 16}));
    CHECK(share + size >= 100000 / 16);
    CHECK(share <= 100000 / 16 + size);
  }
}

TEST_CASE("small studies have small batches, and large ones a bounded number") {
  CHECK(batch_size(1) == 1);
  CHECK(batch_size(64) == 1);
  CHECK(batch_size(65) == 2);
  CHECK(batch_size(4096) == 4);
  CHECK(batch_size(100000) == 98);
  for (std::size_t all = 1; all <= 1000000; all = all * 9 / 8 + 1)
    CHECK((all + batch_size(all) - 1) / batch_size(all) <= 1024);
}

TEST_CASE("with a precision all batches of a point are in one shard") {
  scenario::Study study = study_of({25, 1, 3});
  study.sweep.precision = scenario::Precision{.metric = "events", .relative_half_width = 0.1};
  // At least ten replications, for an interval that means something.
  CHECK(first_needed(study, 0) == 25);
  CHECK(first_needed(study, 1) == 10);
  for (std::size_t index = 0; index < 3; ++index) {
    for (const Batch& batch : Batches(study).of({index, 3})) CHECK(batch.point == index);
    CHECK(points_of(study, {index, 3})[index]);
  }
  study.sweep.precision->most_replications = 8;
  CHECK(first_needed(study, 0) == 8);
}

}  // namespace faultline::store
