// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::test {

/// When a rank dies in a random run.
struct DeathSpec {
  std::uint64_t event = 0;  ///< of the run, if there is no mark
  std::string mark;
  std::int64_t value = 0;
  Rank victim = 0;
};

inline faults::FaultSpec fault_of(const DeathSpec& death) {
  faults::FaultSpec fault;
  if (death.mark.empty())
    fault.event = death.event;
  else
    fault.mark = faults::MarkSpec{death.mark, death.value};
  fault.ranks = {death.victim};
  return fault;
}

/// As the initializer of a DeathSpec.
inline std::string describe(const DeathSpec& death) {
  return "{" + std::to_string(death.event) + ", \"" + death.mark + "\", " +
         std::to_string(death.value) + ", " + std::to_string(death.victim) + "}";
}

}  // namespace faultline::test
