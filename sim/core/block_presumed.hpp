// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/transaction_requests.hpp"

namespace faultline {

/// Another answer to WaitBlock: the program may go on as if the TryBlock were accepted, though
/// nobody has agreed on that yet. The outcome follows later; if it is a rejection, a later TryBlock
/// is rejected, too, and the program goes back to before this one.
struct BlockPresumed {
  static constexpr std::uint16_t kRequest = 27;
  std::uint64_t attempt = 0;
};

}  // namespace faultline
