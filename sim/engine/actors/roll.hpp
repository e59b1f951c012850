// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/digest.hpp"

namespace faultline::engine {

/// The ranks of a job, counted, and what has ever happened in the run, so that runs in which it has
/// not need not ask who is concerned.
struct Roll {
  std::uint32_t live;           ///< as are all that follow
  std::uint32_t announced = 0;  ///< have announced the phase that they are in
  std::uint32_t finished = 0;
  bool any_death = false;    ///< somebody has died, be it a daemon
  bool any_restart = false;  ///< somebody lives in a later life
  bool any_refusal = false;  ///< somebody has been declared dead who lived
  bool any_flush = false;    ///< somebody has waited until nothing is in flight

  void digest(Digest& into) const { into.add(live, announced, finished); }
};

}  // namespace faultline::engine
