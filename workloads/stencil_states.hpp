// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/split_mix.hpp"
#include "workloads/stencil_plan.hpp"

namespace faultline::workloads {

/// What stands for the numbers of a stencil: the state of an object is a digest, of 52 bits, of all
/// that it has consumed. It sends its state.
struct StencilStates {
  static constexpr std::uint64_t kBits = (std::uint64_t{1} << 52) - 1;

  static std::uint64_t initial(ObjectId object) { return split_mix(object + 1ULL) & kBits; }
  /// What a message adds to the sum that an object consumes in an exchange. It is a sum so that the
  /// order does not matter.
  static std::uint64_t part(std::uint64_t state_of_sender, std::uint32_t side) {
    return split_mix(state_of_sender ^ (std::uint64_t{side} + 1) << 56U);
  }
  /// The state after a computation with that sum, or after one more message where order matters.
  static std::uint64_t next(std::uint64_t state, std::uint64_t consumed) {
    return split_mix(state + consumed) & kBits;
  }
  /// The state after a reduction.
  static std::uint64_t reduced(std::uint64_t state, std::uint64_t smallest) {
    return split_mix(state ^ ~smallest) & kBits;
  }
  /// A share of the digest of all objects, which is the sum modulo 2^52.
  static std::uint64_t share(ObjectId object, std::uint64_t state) {
    return split_mix(split_mix(object) ^ state) & kBits;
  }
};

/// The right states of all objects, if order does not matter: computed object by object, without
/// ranks, messages and time.
class RightStates {
 public:
  explicit RightStates(const StencilPlan& plan) : plan_(plan) {}

  /// Those after that many iterations. Asked in ascending order, this computes each iteration once.
  const std::vector<std::uint64_t>& after(std::uint64_t iterations);

 private:
  void iterate();

  const StencilPlan& plan_;
  std::vector<std::uint64_t> states_;  ///< empty until they are asked for
  std::uint64_t iterations_ = 0;
};

}  // namespace faultline::workloads
