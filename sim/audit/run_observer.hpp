#pragma once

#include <cstdint>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Something that happens in a run, as it is seen from outside.
struct Sight {
  enum class Kind : std::uint8_t {
    placed,         ///< before the run: the actor lies on node `value`
    sent,           ///< its processor takes `message` up; at `until_s` that is in the network, if
                    ///< that is known yet: else it never is, or `injected` tells
    injected,       ///< `message` of the actor has waited, for its NIC or at a fence, and is in the
                    ///< network from then on
    sending,        ///< its processor was sending `value` messages until `until_s`
    received,       ///< its processor took `message` in, and handles it at `until_s`, which is now
    lost,           ///< `message` of the actor will never be handled
    compute_began,  ///< on a worker core; `value` is its number
    compute_ended,
    active,
    idle,
    announced,    ///< to it: the phase `value` is over
    phase_began,  ///< `value`, at the actor
    finished,     ///< its workload has done all that it will do
    gave_up,      ///< its protocol, in the words of `text`
    mark,         ///< `text` with `value`: see Context::mark
    died,
    restarted,      ///< on node `value`
    declared_dead,  ///< it has been told that `peer` is dead
  };
  Kind kind = Kind::placed;
  double time_s = 0.0;   ///< when it began
  double until_s = 0.0;  ///< of what takes time
  ActorId actor = kNobody;
  ActorId peer = kNobody;
  std::uint64_t value = 0;
  const char* text = nullptr;
  const Message* message = nullptr;  ///< its address tells it from all others on their way
};

/// Watches a run from outside, beside the auditor, and changes nothing in it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Called in the order in which things happen.
  virtual void see(const Sight& sight) = 0;
};

}  // namespace faultline
