// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace faultline {

/// A workload that iterates tells the layer `message_logging`, when a rank is about to finish, how
/// many iterations it has done. The layer reports its counts for each of them; it does not answer.
struct IterationsDone {
  static constexpr std::uint16_t kRequest = 3;
  std::uint64_t iterations = 0;
};

}  // namespace faultline
