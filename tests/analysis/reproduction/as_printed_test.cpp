// SPDX-License-Identifier: Apache-2.0

// The gallery of docs/gallery.md: each point of a printed text that goes wrong does so in a
// shortest run of as many steps as the page tells, and no run of the corrected protocol does.

#include <catch2/catch.hpp>
#include <string>

#include "analysis/reproduction/run.hpp"
#include "analysis/reproduction/verdicts.hpp"

namespace faultline::reproduction {

namespace {

constexpr std::size_t kCells = 3;  ///< of each point

}  // namespace

TEST_CASE("every point of the gallery goes wrong as printed, and is exhausted as corrected") {
  for (const char* name : {"adoption-2013/as-printed", "termination-2022/as-printed"}) {
    std::vector<ItemFile> items = read_items(name);
    REQUIRE(items.size() == 1);
    const ItemResult result = reproduce_item(std::move(items.front().item), {.quick = true});
    CHECK(result.pictures().size() * kCells == result.cells.size());
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
      const CellResult& cell = result.cells[i];
      INFO(result.item.cells[i].name << ": " << cell.measured.value.value_or(-1) << ' '
                                     << cell.reason);
      CHECK(cell.is_expected(result.item.cells[i]));
      const bool goes_wrong = result.item.cells[i].figure == "goes-wrong";
      CHECK(cell.verdict == (goes_wrong ? Verdict::differs : Verdict::match));
    }
  }
}

}  // namespace faultline::reproduction
