// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <variant>

#include "sim/core/image.hpp"
#include "sim/core/packed_object.hpp"
#include "sim/core/stack.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Where an actor restarts.
enum class RestartOn : std::uint8_t {
  spare_node,     ///< on the first spare node with a place, or else the first repaired node
  same_node,      ///< where it was
  same_node_now,  ///< where it was, if that node has a place now; it does not wait for a repair
};

/// One request of a handler to the engine. What each asks for is said at the function of Context
/// that makes it. Sends are kept apart, in Turn::outbox.
struct Action {
  struct SetTimer {
    std::uint64_t key;
    double delay_s;
    bool background;  ///< it does not keep the run alive
  };
  struct CancelTimer {
    std::uint64_t key;
  };
  struct Compute {
    double duration_s;
    std::uint64_t tag;
  };
  struct CancelComputations {};
  struct Flush {
    Incarnation peer;
  };
  struct Announce {};
  struct StartPhase {};
  struct Finish {};
  struct GiveUp {
    const char* reason;  ///< a string literal
  };
  struct ReportFailed {
    Incarnation peer;
  };
  struct TakeBack {
    Incarnation peer;
  };
  struct OpenLink {
    Incarnation peer;
  };
  struct Restart {
    Incarnation dead;
    RestartOn where;
  };
  struct Learn {
    Incarnation peer;
  };
  struct StartAbove {};
  struct Restore {
    const Image* image;  ///< the action holds it
  };
  struct HostObject {
    const PackedObject* packed;  ///< the action holds it
  };
  struct RemoveObject {
    ObjectId object;
  };
  struct SetMark {
    const char* name;  ///< a string literal
    std::int64_t value;
  };
  using Request =
      std::variant<SetTimer, CancelTimer, Compute, CancelComputations, Flush, Announce, StartPhase,
                   Finish, GiveUp, ReportFailed, TakeBack, OpenLink, Restart, Learn, StartAbove,
                   Restore, HostObject, RemoveObject, SetMark>;

  Incarnation self;  ///< the actor that asks
  Family family;     ///< the component whose handler asks
  Request request;
  std::shared_ptr<const void> held = {};  ///< what the request points to

  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(request);
  }
};
// A table of copy constructors would cost every timer more than all else that it takes.
static_assert(std::is_trivially_copyable_v<Action::Request> && sizeof(Action) == 64);

}  // namespace faultline
