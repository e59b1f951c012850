// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/digest.hpp"
#include "sim/core/stack_request.hpp"

namespace faultline {

/// A request that is still to be answered: what an answer needs of it. A StackRequest also has
/// room for what is asked.
struct Asked {
  Family from = Family::workload;
  std::uint16_t kind = 0;
  std::uint64_t number = 0;

  Asked() = default;
  explicit(false) Asked(const StackRequest& request)
      : from(request.from), kind(request.kind), number(request.number) {}
  explicit(false) operator StackRequest() const {
    return {.from = from, .kind = kind, .number = number};
  }
  void digest(Digest& into) const { into.add(from, kind, number); }
};

}  // namespace faultline
