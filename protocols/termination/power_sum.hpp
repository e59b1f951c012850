// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/digest.hpp"

namespace faultline::termination {

/// An exact sum of powers 2^-Y of any Y, by which Mattern's agent adds up returned credit.
class PowerSum {
 public:
  void add(std::uint64_t exponent);
  /// The sum if it is a whole number, else nothing.
  [[nodiscard]] std::optional<std::uint64_t> whole() const;
  void digest(Digest& into) const;

 private:
  std::uint64_t whole_ = 0;
  std::uint64_t ones_ = 0;      ///< set bits of the fraction
  std::vector<bool> fraction_;  ///< [Y - 1] is the bit of 2^-Y
};

}  // namespace faultline::termination
