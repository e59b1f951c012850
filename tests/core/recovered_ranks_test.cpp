// Who has which rank after a recovery, against lists from which the lost ones are taken.

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/recovered_ranks.hpp"

using namespace faultline;

namespace {

/// The old rank of everybody in the new world, in the order of new ranks; kNobody for new ones.
std::vector<Rank> listed(const RecoveredRanks& ranks) {
  std::vector<Rank> olds;
  for (Rank rank = 0; rank < ranks.size(); ++rank) olds.push_back(ranks.before(rank));
  return olds;
}

std::vector<Rank> by_hand(WorldRecovery recovery, std::uint32_t size,
                          const std::vector<Rank>& lost) {
  std::vector<Rank> olds;
  for (Rank rank = 0; rank < size; ++rank) {
    const bool is_lost = std::find(lost.begin(), lost.end(), rank) != lost.end();
    if (!is_lost)
      olds.push_back(rank);
    else if (recovery == WorldRecovery::rebuild)
      olds.push_back(kNobody);
  }
  if (recovery == WorldRecovery::merge) olds.insert(olds.end(), lost.size(), kNobody);
  return olds;
}

std::vector<Rank> members_of(std::uint32_t set, std::uint32_t size) {
  std::vector<Rank> members;
  for (Rank rank = 0; rank < size; ++rank)
    if ((set >> rank & 1U) != 0) members.push_back(rank);
  return members;
}

constexpr Rank kNew = kNobody;

}  // namespace

TEST_CASE("recovered ranks: as in Fig. 1 of fampi-2015", "[recovered_ranks]") {
  // (a) and (b): shrunk and merged. The new process is the last rank, wherever it runs.
  CHECK(listed({WorldRecovery::merge, 6, {2}}) == std::vector<Rank>{0, 1, 3, 4, 5, kNew});
  CHECK(RecoveredRanks(WorldRecovery::merge, 6, {2}).moved() == 3);
  // (c): rebuilt.
  CHECK(listed({WorldRecovery::rebuild, 6, {2}}) == std::vector<Rank>{0, 1, kNew, 3, 4, 5});
  CHECK(RecoveredRanks(WorldRecovery::rebuild, 6, {2}).moved() == 0);
  CHECK(listed({WorldRecovery::shrink, 6, {2}}) == std::vector<Rank>{0, 1, 3, 4, 5});
}

TEST_CASE("recovered ranks: any set of lost ranks leaves the ranks that a list would leave",
          "[recovered_ranks]") {
  constexpr std::uint32_t kSize = 9;
  for (const WorldRecovery recovery :
       {WorldRecovery::rebuild, WorldRecovery::merge, WorldRecovery::shrink})
    for (std::uint32_t set = 0; set + 1 < 1U << kSize; ++set) {
      const std::vector<Rank> lost = members_of(set, kSize);
      const RecoveredRanks ranks(recovery, kSize, lost);
      const std::vector<Rank> olds = by_hand(recovery, kSize, lost);
      REQUIRE(listed(ranks) == olds);
      std::uint32_t moved = 0;
      for (Rank rank = 0; rank < kSize; ++rank) {
        const auto found = std::find(olds.begin(), olds.end(), rank);
        const Rank now = found == olds.end() ? kNobody : static_cast<Rank>(found - olds.begin());
        REQUIRE(ranks.after(rank) == now);
        if (now != kNobody && now != rank) ++moved;
      }
      REQUIRE(ranks.moved() == moved);
      for (std::uint32_t i = 0; i < lost.size(); ++i) {
        if (recovery == WorldRecovery::shrink)
          REQUIRE(ranks.replacement(i) == kNobody);
        else
          REQUIRE(olds[ranks.replacement(i)] == kNobody);
      }
    }
}
