#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline {

/// What a protocol spends processor time on, as Fig. 1a of fast-message-logging divides it.
enum class CostFactor : std::uint8_t { determinants, piggybacking, logging, bookkeeping };
inline constexpr std::size_t kCostFactors = 4;

}  // namespace faultline
