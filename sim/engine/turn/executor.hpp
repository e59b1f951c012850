// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/context.hpp"
#include "sim/core/types.hpp"

namespace faultline::engine {

/// An action that an actor's handler has asked for, and that is still to be carried out.
struct PendingAction {
  Incarnation self;
  Action action;
};

/// Carries out actions, which concern all rooms.
class Executor {
 public:
  /// Not by reference: carrying an action out can add others to the list in which it stands.
  virtual void carry_out(PendingAction pending) = 0;

 protected:
  ~Executor() = default;
};

}  // namespace faultline::engine
