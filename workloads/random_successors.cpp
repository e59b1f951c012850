// SPDX-License-Identifier: Apache-2.0
#include "workloads/random_successors.hpp"

#include <algorithm>

namespace faultline::workloads {

// Floyd's sampling: distinct ranks without a table of all of them.
std::vector<Rank> random_successors(WorkloadContext& context, Stream& random,
                                    std::uint32_t fanout) {
  std::vector<Rank> successors;
  successors.reserve(fanout);
  const std::uint32_t others = context.job().processes - 1;
  for (std::uint32_t last = others - fanout; last < others; ++last) {
    const auto drawn = static_cast<Rank>(context.choose(random, last + 1U, "a successor"));
    const bool taken = std::find(successors.begin(), successors.end(), drawn) != successors.end();
    successors.push_back(taken ? last : drawn);
  }
  for (Rank& rank : successors) rank += static_cast<Rank>(rank >= context.self());
  return successors;
}

}  // namespace faultline::workloads
