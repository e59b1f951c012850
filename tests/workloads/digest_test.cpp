// SPDX-License-Identifier: Apache-2.0

// The digest of a workload's state: equal whatever led to the state, and changed by whatever it
// will act on. The handlers are called by hand.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/alone.hpp"
#include "workloads/collectives.hpp"
#include "workloads/stencil.hpp"
#include "workloads/task_range.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

Alone& computed(Alone& alone, std::uint64_t tag) {
  return alone.turn(
      [tag](auto& component, auto& context) { component.on_compute_done(context, tag); });
}

/// A message of work stealing that brings tasks along a lifeline.
struct Work {
  TaskRange range;
  std::uint32_t answer = 0;
};
constexpr std::uint16_t kWork = 2;

Alone& brings(Alone& alone, Rank from, TaskRange range) {
  return alone.gets(from, kWork, Work{range});
}

}  // namespace

TEST_CASE("parts of a sum that come early may come in any order") {
  const auto digest = [](const std::vector<CollectivePart>& parts) {
    Alone alone(Family::workload, "allreduce", job_of(4), 0);
    alone.start();
    for (const CollectivePart& part : parts) alone.gets(1, 0, part);
    return alone.digest();
  };
  const CollectivePart of_next_stage{5.0, 1, 2};
  const CollectivePart of_next_operation{7.0, 2, 1};
  CHECK(digest({of_next_stage, of_next_operation}) == digest({of_next_operation, of_next_stage}));
  CHECK(digest({of_next_stage}) != digest({}));
  CHECK(digest({of_next_stage}) != digest({of_next_operation}));
  CHECK(digest({of_next_stage}) != digest({{6.0, 1, 2}}));
}

TEST_CASE("the length of a walk is part of the state where the token is, and leaves with it") {
  const OptionValues endless{{"stop_probability", 1e-9}};
  Alone one(Family::workload, "token-ring", job_of(4), 1, endless);
  Alone other(Family::workload, "token-ring", job_of(4), 1, endless);
  const StateDigest before = one.digest();
  one.gets(0, 0, std::uint64_t{5});
  other.gets(0, 0, std::uint64_t{9});
  CHECK(one.digest() != other.digest());
  // Both draw the same ranks. The chance that the token stays a hundred times is 1 in 10^60.
  for (int step = 0; step < 100 && one.digest() != other.digest(); ++step) {
    computed(one, 0);
    computed(other, 0);
  }
  CHECK(one.digest() == other.digest());
  CHECK(one.digest() != before);  // numbers have been drawn
}

TEST_CASE("iterations, halos and computations of a stencil are its state") {
  Alone alone(Family::workload, "stencil", job_of(3), 1, {{"dimensions", std::int64_t{1}}});
  const auto gets = [&alone](Rank from, std::uint64_t iteration, std::uint64_t side) {
    Message message = arriving(Family::workload, from, 0, Stencil::Halo{iteration, side});
    message.to = message.to_object = 1;
    return alone.gets(message).digest();
  };
  std::vector<StateDigest> digests{alone.start().digest()};
  digests.push_back(gets(0, 0, 0));
  digests.push_back(gets(2, 0, 1));
  digests.push_back(gets(2, 1, 1));
  digests.push_back(computed(alone, 1).digest());
  for (std::size_t i = 0; i < digests.size(); ++i)
    for (std::size_t j = i + 1; j < digests.size(); ++j) CHECK(digests[i] != digests[j]);
}

TEST_CASE("which tasks a process has done is its state, in which order is not") {
  const OptionValues ten{{"preset", std::string("tensor-contraction")},
                         {"tasks", std::int64_t{10}}};
  const auto digest = [&](const std::vector<std::uint32_t>& tasks) {
    Alone alone(Family::workload, "work-stealing", job_of(4), 3, ten);
    for (const std::uint32_t task : tasks) {
      brings(alone, task % 2 == 0 ? 1 : 2, {task, task + 1});
      computed(alone, task);
    }
    return alone.digest();
  };
  CHECK(digest({4, 5}) == digest({5, 4}));
  CHECK(digest({4, 5}) != digest({4, 7}));
}

TEST_CASE("tasks that wait, tasks that were given away and deaths are the state of a process") {
  const OptionValues ten{{"preset", std::string("tensor-contraction")},
                         {"tasks", std::int64_t{10}}};
  constexpr std::uint16_t kRequest = 0;
  Alone alone(Family::workload, "work-stealing", job_of(4), 3, ten);
  std::vector<StateDigest> digests{alone.digest()};
  digests.push_back(brings(alone, 1, {2, 8}).digest());
  digests.push_back(alone.gets(2, kRequest, 0).digest());
  digests.push_back(alone.told_dead(1).digest());
  digests.push_back(alone.told_dead(2).digest());
  for (std::size_t i = 0; i < digests.size(); ++i)
    for (std::size_t j = i + 1; j < digests.size(); ++j) CHECK(digests[i] != digests[j]);
  Alone other(Family::workload, "work-stealing", job_of(4), 3, ten);
  brings(other, 1, {2, 8}).gets(2, kRequest, 0).told_dead(2).told_dead(1);
  CHECK(other.digest() == alone.digest());
}

}  // namespace faultline::workloads
