// SPDX-License-Identifier: Apache-2.0

// The times that fampi-2015/mtbf compares with are those of the closed forms, and the table beside
// it (docs/reproduction/fampi-2015.md) is computed from them.

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "sim/core/checkpoint_interval.hpp"
#include "tests/analysis/theory/checkpoint_time.hpp"

namespace faultline::reproduction {

namespace {

constexpr double kCheckpoint_s = 10.0;
constexpr double kIteration_s = 2.0;

/// The work between two checkpoints: Young's, to whole iterations.
double work_s(double mtbf_s) {
  return kIteration_s * std::round(young_interval_s(kCheckpoint_s, mtbf_s) / kIteration_s);
}

/// Ten segments, of which the first has no checkpoint to read.
double total_s(double mtbf_s, double down_s, theory::DownTime down) {
  theory::CheckpointModel model{
      .mtbf_s = mtbf_s, .checkpoint_s = kCheckpoint_s, .restore_s = 0.0, .down_s = down_s};
  const double first_s = theory::expected_segment_s(model, work_s(mtbf_s), down);
  model.restore_s = kCheckpoint_s;
  return first_s + 9 * theory::expected_segment_s(model, work_s(mtbf_s), down);
}

double expected_s(const Cell& cell) {
  const double mtbf_s = cell.at.value_or(0.0);
  if (cell.name.ends_with("relaunch"))
    return total_s(mtbf_s, 32.0, theory::DownTime::without_faults);
  const bool repeats = cell.name.ends_with("high");
  return total_s(mtbf_s, 7.0,
                 repeats ? theory::DownTime::repeated : theory::DownTime::without_faults);
}

}  // namespace

TEST_CASE("mtbf compares with the closed forms") {
  const auto files = find_reproduction_items("fampi-2015/mtbf");
  REQUIRE(files.size() == 1);
  std::size_t compared = 0;
  for (const Cell& cell : read_reproduction_item(files.front()).cells) {
    if (!cell.name.starts_with("M / C")) continue;
    INFO(cell.name);
    REQUIRE(cell.stated);
    CHECK(*cell.stated == Approx(expected_s(cell)).epsilon(1e-12));
    ++compared;
  }
  CHECK(compared == 16);
}

TEST_CASE("with copies at partners, FA-MPI may be down longer than a relaunch before it loses") {
  const auto longest_s = [](double mtbf_s) {
    const theory::CheckpointModel relaunch{
        .mtbf_s = mtbf_s, .checkpoint_s = 10.0, .restore_s = 10.0, .down_s = 32.0};
    const double each =
        theory::expected_segment_s(relaunch, work_s(mtbf_s), theory::DownTime::without_faults) /
        work_s(mtbf_s);
    const theory::CheckpointModel fampi{.mtbf_s = mtbf_s, .checkpoint_s = 0.25, .restore_s = 0.25};
    const double work_s = young_interval_s(fampi.checkpoint_s, mtbf_s);
    return theory::break_even_down_s(fampi, work_s, each * work_s,
                                     theory::DownTime::without_faults);
  };
  CHECK(longest_s(100) == Approx(120.4).margin(0.05));
  CHECK(longest_s(300) == Approx(131.6).margin(0.05));
  CHECK(longest_s(1000) == Approx(178.0).margin(0.05));
  CHECK(longest_s(3000) == Approx(262.0).margin(0.05));
  CHECK(longest_s(10000) == Approx(430.5).margin(0.05));
}

}  // namespace faultline::reproduction
