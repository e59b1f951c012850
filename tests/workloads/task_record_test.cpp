// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>

#include "tests/support/digest_of.hpp"
#include "workloads/task_record.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

TaskRecord begun(std::initializer_list<std::uint32_t> tasks) {
  TaskRecord record;
  for (const std::uint32_t task : tasks) record.begin(task);
  return record;
}

TaskRecord finished(std::initializer_list<std::uint32_t> tasks) {
  TaskRecord record = begun(tasks);
  record.finish();
  return record;
}

}  // namespace

TEST_CASE("tasks count as done when their process has run out of work, and not before") {
  TaskRecord record = finished({4, 5, 6, 9});
  record.begin(10);
  record.begin(11);
  NumberSet done;
  CHECK(record.add_finished_to(done) == 4);
  CHECK(done.size() == 4);
  record.finish();
  CHECK(record.add_finished_to(done) == 2);
  CHECK(done.size() == 6);
}

TEST_CASE("a task that another process has done, too, is not new") {
  NumberSet done;
  CHECK(finished({0, 1, 2}).add_finished_to(done) == 3);
  CHECK(finished({2, 3}).add_finished_to(done) == 1);
  CHECK(finished({1}).add_finished_to(done) == 0);
}

TEST_CASE("the digest of a record has which tasks are finished, and neither order nor number") {
  CHECK(digest_of(finished({1, 2, 7})) == digest_of(finished({7, 1, 2})));
  CHECK(digest_of(finished({1, 2})) == digest_of(finished({1, 2, 1})));
  CHECK(digest_of(finished({1, 2})) != digest_of(finished({1, 3})));
  CHECK(digest_of(finished({1, 2})) != digest_of(begun({1, 2})));
  TaskRecord later = finished({1});
  later.begin(2);
  CHECK(digest_of(later) != digest_of(finished({1, 2})));
}

}  // namespace faultline::workloads
