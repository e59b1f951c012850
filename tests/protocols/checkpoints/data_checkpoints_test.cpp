// SPDX-License-Identifier: Apache-2.0

// The checkpoints of a rank's data, and where they lie in a storage, without an engine.

#include "protocols/checkpoints/data_checkpoints.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "protocols/checkpoints/point_storage.hpp"
#include "tests/support/part_of_layer.hpp"

namespace faultline::checkpoints {

using namespace test;

namespace {

using Iterations = std::vector<std::uint64_t>;

SavedPoint at(std::uint64_t iteration) {
  return {.iteration = iteration, .state = 100 + iteration, .bytes = 8};
}

/// Takes a checkpoint that all ranks take by themselves.
void save(DataCheckpoints& checkpoints, std::uint64_t iteration, double begin_s, double end_s) {
  checkpoints.begin(at(iteration), begin_s);
  checkpoints.end(true, end_s);
}

Iterations iterations_of(const std::vector<SavedPoint>& points) {
  Iterations iterations;
  for (const SavedPoint& point : points) iterations.push_back(point.iteration);
  return iterations;
}

/// Writes checkpoints of these iterations one after the other, each when the one before is
/// complete.
struct Written {
  PartOfLayer around{0, JobShape{}, Family::transactions};
  PointStorage places{6};
  SavedPoints saved;

  void write(std::uint64_t iteration) {
    places.write(around.context(), Storage::shared, at(iteration), saved);
    around.end_turn();
  }
  void write_all(const Iterations& iterations) {
    for (const std::uint64_t iteration : iterations) {
      write(iteration);
      saved.add(at(iteration));
    }
  }
  Iterations there(std::uint64_t latest = UINT64_MAX) {
    return iterations_of(places.find(around.context(), latest));
  }
};

}  // namespace

TEST_CASE("a checkpoint of all is complete when it is safe here and below all children") {
  DataCheckpoints checkpoints;
  checkpoints.begin(at(5), 1.0);
  CHECK(!checkpoints.child_is_safe(5, 2));
  CHECK(!checkpoints.own_is_safe(2));
  CHECK(checkpoints.child_is_safe(5, 2));
  CHECK(checkpoints.end(true, 2.0).iteration == 5);
  CHECK(checkpoints.saved().newest() == 5);
  CHECK(!checkpoints.taking());
}

TEST_CASE("a child can be done before this rank begins, and is counted then") {
  DataCheckpoints checkpoints;
  CHECK(!checkpoints.child_is_safe(5, 1));
  checkpoints.begin(at(5), 1.0);
  CHECK(checkpoints.own_is_safe(1));
}

TEST_CASE("a checkpoint that will never be complete is none") {
  DataCheckpoints checkpoints;
  save(checkpoints, 5, 1.0, 2.0);
  checkpoints.begin(at(10), 3.0);
  checkpoints.own_is_safe(2);
  checkpoints.end(false, 4.0);
  CHECK(checkpoints.saved().newest() == 5);
  checkpoints.begin(at(10), 5.0);
  CHECK(!checkpoints.child_is_safe(10, 1));  // it begins anew, and is not safe here
}

TEST_CASE("what a world has not finished means nothing in the next") {
  DataCheckpoints checkpoints;
  checkpoints.child_is_safe(5, 1);
  checkpoints.begin(at(3), 1.0);
  checkpoints.came = at(1);
  checkpoints.forget_unfinished();
  CHECK(!checkpoints.taking());
  CHECK(!checkpoints.came);
  checkpoints.begin(at(5), 2.0);
  CHECK(!checkpoints.own_is_safe(1));
}

TEST_CASE("as many iterations fit into an interval as would at the pace of the last ones") {
  DataCheckpoints checkpoints;
  checkpoints.begin_work(10.0);
  checkpoints.begin(at(4), 12.0);  // 4 iterations in 2 s
  CHECK(checkpoints.taken_s(12.5) == 0.5);
  CHECK(checkpoints.iterations_in(5.0) == 10);
  CHECK(checkpoints.iterations_in(0.001) == 1);
  checkpoints.end(true, 13.0);
  checkpoints.begin(at(10), 14.0);  // 6 more in 1 s
  CHECK(checkpoints.iterations_in(0.5) == 3);
}

TEST_CASE("a client that saves a checkpoint again has none behind it") {
  DataCheckpoints checkpoints;
  for (const std::uint64_t iteration : {5, 10}) checkpoints.keep(3, {3, 0}, at(iteration), 0);
  checkpoints.keep(3, {7, 1}, at(5), 0);
  const KeptPoints& kept = checkpoints.kept.of(3);
  CHECK(kept.client == Incarnation{7, 1});
  CHECK(kept.points.iterations() == Iterations{5});
  checkpoints.go_back_to(4);
  CHECK(kept.points.iterations().empty());
}

TEST_CASE("the next checkpoint replaces none of the last two in a storage") {
  Written written;
  written.write_all({5, 10});
  written.write(15);  // and is not complete yet
  CHECK(written.there() == Iterations{5, 10, 15});
  CHECK(written.there(10) == Iterations{5, 10});
}

TEST_CASE("in a storage the last three checkpoints stay") {
  Written written;
  written.write_all({5, 10, 15, 20});
  CHECK(written.there() == Iterations{10, 15, 20});
}

TEST_CASE("a checkpoint that is written again is there once") {
  Written written;
  written.write_all({5, 10});
  written.saved.go_back_to(5);
  written.write(10);
  CHECK(written.there() == Iterations{5, 10});
}

}  // namespace faultline::checkpoints
