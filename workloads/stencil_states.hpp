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

/// The states of all objects after the last iteration, if order does not matter: computed object by
/// object, without ranks, messages and time.
std::vector<std::uint64_t> final_states(const StencilPlan& plan);

}  // namespace faultline::workloads
