// SPDX-License-Identifier: Apache-2.0

// Who keeps whose checkpoints, and what a process keeps of others.

#include "protocols/checkpoints/keeper.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/digest_of.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

JobShape job_of(std::uint32_t processes, std::uint32_t per_node) {
  JobShape job;
  job.processes = processes;
  job.processes_per_node = per_node;
  job.nodes = (processes + per_node - 1) / per_node;
  return job;
}

Rank keeper_in(const JobShape& job, Rank self) {
  return keeper_of(Placement::in_blocks(job.processes, job.nodes, job.processes_per_node), job,
                   self);
}

struct Entry {
  Rank rank = kNobody;
  int value = 0;

  void digest(Digest& into) const { into.add(rank, value); }
};

}  // namespace

TEST_CASE("the keeper of a rank has its place on the next node") {
  const JobShape job = job_of(6, 2);
  CHECK(keeper_in(job, 0) == 2);
  CHECK(keeper_in(job, 3) == 5);
  CHECK(keeper_in(job, 4) == 0);
}

TEST_CASE("where the last node is not full, the keeper is on another node all the same") {
  const JobShape job = job_of(5, 2);  // nodes 0 1 | 2 3 | 4
  CHECK(keeper_in(job, 3) == 0);
  CHECK(keeper_in(job, 4) == 1);
}

TEST_CASE("nobody keeps checkpoints where all ranks lie on one node") {
  CHECK(keeper_in(job_of(4, 4), 1) == kNobody);
}

TEST_CASE("the keeper of a rank that has restarted elsewhere is on another node than it") {
  const JobShape job = job_of(3, 1);
  Placement placement = Placement::in_blocks(3, 3, 1);
  placement.move(1, 2);  // to the node of its keeper
  CHECK(keeper_of(placement, job, 1) == 0);
}

TEST_CASE("what is kept of a rank stays, whatever is kept of others") {
  KeptForOthers<Entry> kept;
  kept.of(5).value = 50;
  kept.of(2).value = 20;
  kept.of(5).value += 1;
  REQUIRE(kept.size() == 2);
  std::vector<Rank> ranks;
  for (const Entry& entry : kept) ranks.push_back(entry.rank);
  CHECK(ranks == std::vector<Rank>{2, 5});
  CHECK(kept.of(5).value == 51);
  kept.erase_if([](const Entry& entry) { return entry.rank == 2; });
  CHECK(kept.size() == 1);
}

TEST_CASE("a digest does not depend on of whom something was kept first") {
  KeptForOthers<Entry> ascending;
  KeptForOthers<Entry> descending;
  for (Rank rank = 0; rank < 9; ++rank) ascending.of(rank).value = static_cast<int>(rank);
  for (Rank rank = 9; rank-- > 0;) descending.of(rank).value = static_cast<int>(rank);
  CHECK(digest_of(ascending) == digest_of(descending));
}
