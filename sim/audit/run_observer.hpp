// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline::audit {

/// Something that happens in a run, as an observer outside of it sees it.
struct Sight {
  enum class Kind : std::uint8_t {
    placed,  ///< before the run: the actor is on node `value`
    /// Its processor takes `message` up. `until_s` is when the message enters the network, if that
    /// is known already. Otherwise `injected` follows, or the message never enters the network.
    sent,
    /// `message`, which waited for the NIC or at a fence, enters the network at `until_s`.
    injected,
    sending,        ///< its processor was sending `value` messages until `until_s`
    received,       ///< its processor has taken `message` in since `time_s`, and handles it now
    lost,           ///< `message` of the actor will never be handled
    compute_began,  ///< on a worker core; `value` is the number of the computation
    compute_ended,
    active,
    idle,
    announced,    ///< the actor is told that the phase `value` is over
    phase_began,  ///< the phase `value`, at the actor
    finished,     ///< its workload has finished
    gave_up,      ///< its protocol reports a fatal error, for the reason `text`
    mark,         ///< it sets the mark `text` to `value` (Context::mark)
    died,
    restarted,  ///< on node `value`
    /// Its failure detector reports that incarnation `value` of `peer` is dead, perhaps again.
    reported,
    declared_dead,  ///< it is told that `peer` is dead, which is news to it
    taken_back,     ///< its failure detector no longer takes `peer` for dead
    restored,       ///< an image has put it back into an earlier state, in the phase `value`
  };
  Kind kind = Kind::placed;
  double time_s = 0.0;   ///< when it happened or began
  double until_s = 0.0;  ///< when it ends, if it takes time
  ActorId actor = kNobody;
  ActorId peer = kNobody;
  std::uint64_t value = 0;
  const char* text = nullptr;
  const Message* message = nullptr;  ///< no other message has its address while it is on its way
};

/// Watches a run from outside, as the auditor does, and changes nothing in it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Called in the order in which things happen.
  virtual void see(const Sight& sight) = 0;
};

}  // namespace faultline::audit
