// SPDX-License-Identifier: Apache-2.0

// Sizes of messages that are added up in 64 bits.

#include "sim/core/wire_bytes.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

namespace faultline {

TEST_CASE("a size that a message cannot have counts as the largest") {
  CHECK(wire_bytes(0) == 0);
  CHECK(wire_bytes(UINT32_MAX) == UINT32_MAX);
  CHECK(wire_bytes(std::uint64_t{1} << 32) == std::uint64_t{1} << 32);
  CHECK(wire_bytes(std::uint64_t{1} << 48) == (std::uint64_t{1} << 48) - 1);
  CHECK(wire_bytes(UINT64_MAX) == (std::uint64_t{1} << 48) - 1);
}

}  // namespace faultline
