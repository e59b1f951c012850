// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/action.hpp"

namespace faultline::engine {

/// Carries out actions, which concern all rooms.
class Executor {
 public:
  /// Not by reference: carrying an action out can add others to the list in which it stands.
  virtual void carry_out(Action action) = 0;

 protected:
  ~Executor() = default;
};

}  // namespace faultline::engine
