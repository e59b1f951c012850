// SPDX-License-Identifier: Apache-2.0

// The times that fampi-2015/commit-cost compares with are those of the recursion over the tree.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/theory/commit_time.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/machine_file.hpp"

namespace faultline::reproduction {

namespace {

/// The number behind "P = " in the name of a cell.
std::uint32_t ranks_of(const Cell& cell) {
  std::string digits = cell.name.substr(4, cell.name.find(", ") - 4);
  std::erase(digits, ',');
  return static_cast<std::uint32_t>(std::stoul(digits));
}

double commit_s(const platform::Machine& machine, std::uint32_t ranks, bool two_sweeps) {
  const platform::Topology routes(platform::partition(machine, ranks), machine.hop_latency_s,
                                  machine.link_bandwidth_Bps);
  return theory::commit_times(
             {.machine = machine,
              .members = ranks,
              .two_sweeps = two_sweeps,
              .route_latency_s = [&routes](Rank from,
                                           Rank to) { return routes.route(from, to).latency_s; }})
      .last_knows_s;
}

}  // namespace

TEST_CASE("commit-cost compares with the recursion over the tree") {
  const auto files = find_reproduction_items("fampi-2015/commit-cost");
  REQUIRE(files.size() == 1);
  const platform::Machine machine = scenario::read_machine_file(
      (files.front().parent_path() / "machines" / "stampede-65536.json").string());
  std::size_t compared = 0;
  for (const Cell& cell : read_reproduction_item(files.front()).cells) {
    if (!cell.name.ends_with(", time in s")) continue;
    const bool two_sweeps = cell.name.find("two sweeps") != std::string::npos;
    INFO(cell.name);
    REQUIRE(cell.stated);
    CHECK(*cell.stated == Approx(commit_s(machine, ranks_of(cell), two_sweeps)).epsilon(1e-12));
    ++compared;
  }
  CHECK(compared == 8);
}

}  // namespace faultline::reproduction
