// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
/// and the streams of what is random in it. Network alone changes it.
class NetworkState {
 public:
  NetworkState(const RunJob& job, std::size_t actors);

  /// Replaces the pointers to messages by what `to` makes of them.
  template <class To>
  void repoint_messages(To to) {
    for (NicQueue& waiting : queues_) waiting.repoint_messages(to);
    for (BulkQueue& bulk : bulk_queues_) bulk.waiting.repoint_messages(to);
  }
  /// Only the streams: all else is repeated by messages, by events or by times.
  void digest(Digest& into) const {
    for (const Stream& random : noise_random_) into.add(random);
    for (const Stream& random : loss_random_) into.add(random);
  }
  /// What an event without a message will do.
  void add_content(const Event& event, Digest& into) const {
    if (event.kind() == EventKind::sent)
      into.add(promise(event));
    else
      into.add(event.at.actor);
  }

  /// Do messages from one actor to another arrive in the order of sending?
  [[nodiscard]] bool is_fifo() const { return order_random_.empty(); }
  [[nodiscard]] const Nic& nic(NodeId node) const { return nics_[node]; }
  [[nodiscard]] const Outgoing& outgoing(ActorId actor) const { return outgoing_[actor]; }
  /// What waits before the NIC of a node. Null if nothing has ever waited before any.
  [[nodiscard]] const NicQueue* queue(NodeId node) const {
    return queues_.empty() ? nullptr : &queues_[node];
  }
  /// Can messages wait for a NIC?
  [[nodiscard]] bool may_wait() const { return nics_are_shared_ || !bulk_queues_.empty(); }
  /// The on_sent that an event of that kind brings.
  [[nodiscard]] const SentPromise& promise(const Event& sent) const {
    return sent_promises_[sent.at.detail];
  }
  /// How many on_sent are to come.
  [[nodiscard]] std::size_t promises() const { return sent_promises_.size(); }
  /// By the number of a link (Topology::for_each_link): bytes of failure detection that it has
  /// carried. Empty until there are any.
  [[nodiscard]] const std::vector<std::uint64_t>& detection_link_bytes() const {
    return detection_link_bytes_;
  }

 private:
  friend class Network;

  LargeVector<Nic> nics_;               ///< per node
  std::vector<NicQueue> queues_;        ///< per node; empty until a message has found its NIC busy
  std::vector<BulkQueue> bulk_queues_;  ///< per node; empty until there is such a message
  LargeVector<Outgoing> outgoing_;      ///< by actor
  bool nics_are_shared_;                ///< several actors may send through one NIC
  SentPromises sent_promises_;
  LastMessages last_messages_;
  std::vector<Stream> order_random_;  ///< per actor, only if messages keep no order
  std::vector<Stream> noise_random_;  ///< per actor, only if the network has noise
  std::vector<Stream> loss_random_;   ///< per actor, only if messages of detection can be lost
  std::vector<std::uint64_t> detection_link_bytes_;
  /// By sender and receiver: when the last message arrives. Never iterated over. Used under fifo
  /// ordering, if noise or costs by size could let a message overtake the one before it.
  std::unordered_map<std::uint64_t, double> last_arrival_s_;
};

}  // namespace faultline::engine
