// SPDX-License-Identifier: Apache-2.0

// Who keeps whose checkpoints.

#include "protocols/checkpoints/keeper.hpp"

#include <catch2/catch.hpp>

namespace faultline::checkpoints {

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

}  // namespace faultline::checkpoints
