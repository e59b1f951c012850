// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/digest.hpp"
#include "sim/core/stack_request.hpp"

namespace faultline::transactions {

/// What an answer needs of the request that it answers. A StackRequest also has room for the
/// question.
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

}  // namespace faultline::transactions
