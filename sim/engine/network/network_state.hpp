// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/large_pages.hpp"
#include "sim/core/random.hpp"
#include "sim/engine/events/event.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/network/last_messages.hpp"
#include "sim/engine/network/nic.hpp"
#include "sim/engine/network/sent_promises.hpp"

namespace faultline::engine {

/// What the network has of a run's state: NICs and what waits before them, what senders wait for,
/// and the streams of what is random in it. Network acts on it; whoever looks ahead reads it.
struct NetworkState {
  NetworkState(const RunJob& job, std::size_t actors);

  /// Replaces the pointers to messages by what `to` makes of them.
  template <class To>
  void repoint_messages(To to) {
    for (NicQueue& waiting : queues) waiting.repoint_messages(to);
    for (BulkQueue& bulk : bulk_queues) bulk.waiting.repoint_messages(to);
  }
  /// Only the streams: all else is repeated by messages, by events or by times.
  void digest(Digest& into) const {
    for (const Stream& random : noise_random) into.add(random);
    for (const Stream& random : loss_random) into.add(random);
  }

  /// What an event without a message will do.
  void add_content(const Event& event, Digest& into) const {
    if (event.kind() == EventKind::sent)
      into.add(sent_promises[event.at.detail]);
    else
      into.add(event.at.actor);
  }

  LargeVector<Nic> nics;               ///< per node
  std::vector<NicQueue> queues;        ///< per node; empty until a message has found its NIC busy
  std::vector<BulkQueue> bulk_queues;  ///< per node; empty until there is such a message
  LargeVector<Outgoing> outgoing;      ///< by actor
  bool nics_are_shared;                ///< several actors may send through one NIC
  SentPromises sent_promises;
  LastMessages last_messages;
  std::vector<Stream> order_random;  ///< per actor, only if messages keep no order
  std::vector<Stream> noise_random;  ///< per actor, only if the network has noise
  std::vector<Stream> loss_random;   ///< per actor, only if messages of detection can be lost
  /// By sender and receiver, under noise and fifo ordering: when the last message arrives (loggp).
  std::unordered_map<std::uint64_t, double> last_arrival_s;
  /// By the number of a link (Topology::for_each_link): bytes of failure detection that it has
  /// carried. Empty until there are any.
  std::vector<std::uint64_t> detection_link_bytes;
};

}  // namespace faultline::engine
