// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/attachments.hpp"
#include "sim/core/message.hpp"
#include "sim/core/stack.hpp"

namespace faultline {

/// A request of one component to another of the same stack, or the answer to it. What is asked is a
/// struct T that both include from sim/core, with a number `T::kRequest` of its own, so that a
/// workload can ask a protocol without including it.
struct StackRequest {
  Family from = Family::workload;
  Family to = Family::workload;
  bool is_answer = false;
  std::uint16_t kind = 0;    ///< T::kRequest
  std::uint64_t number = 0;  ///< chosen by the asking component; an answer has that of its request
  Payload content = {};
  Attachments attachments = {};

  void digest(Digest& into) const {
    into.add(from, to, is_answer, kind, number, content, attachments);
  }

  template <class T>
  [[nodiscard]] bool is() const {
    return kind == T::kRequest;
  }
  /// What is asked or answered. Only after `is<T>()`.
  template <class T>
  [[nodiscard]] T get() const {
    return content.get<T>();
  }
};

}  // namespace faultline
