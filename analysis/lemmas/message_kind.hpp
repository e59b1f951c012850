// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/core/registry.hpp"

namespace faultline::lemmas {

/// The number of that kind of messages of a protocol (Message::kind), or a number that no kind has
/// if the protocol lacks it.
inline std::uint16_t message_kind(const Registration& protocol, const char* name) {
  const auto& kinds = protocol.message_kinds;
  return static_cast<std::uint16_t>(std::find(kinds.begin(), kinds.end(), name) - kinds.begin());
}

}  // namespace faultline::lemmas
