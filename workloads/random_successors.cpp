#include "workloads/random_successors.hpp"

#include <algorithm>

namespace faultline {

// Floyd's sampling: distinct ranks without a table of all of them.
std::vector<Rank> random_successors(Stream& random, std::uint32_t processes, Rank self,
                                    std::uint32_t fanout) {
  std::vector<Rank> successors;
  successors.reserve(fanout);
  const std::uint32_t others = processes - 1;
  for (std::uint32_t last = others - fanout; last < others; ++last) {
    const auto drawn = static_cast<Rank>(random.below(last + 1U));
    const bool taken = std::find(successors.begin(), successors.end(), drawn) != successors.end();
    successors.push_back(taken ? last : drawn);
  }
  for (Rank& rank : successors) rank += static_cast<Rank>(rank >= self);
  return successors;
}

}  // namespace faultline
