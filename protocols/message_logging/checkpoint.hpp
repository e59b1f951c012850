// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/message_logging/checkpoint_round.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/image.hpp"
#include "sim/core/message.hpp"
#include "sim/core/placement.hpp"
#include "sim/core/stack_request.hpp"

namespace faultline {

/// What a rank goes on from: an image, taken at a synchronisation point of the program.
struct Checkpoint {
  Image image;
  std::uint64_t number = 0;          ///< of the synchronisation point
  StackRequest request;              ///< of the program in the image, which waits for the answer
  std::vector<Message> unsent = {};  ///< that the layer has held back since the program asked
  std::uint64_t deliveries = 0;      ///< with a ticket, before it

  void digest(Digest& into) const { into.add(image, number, request, unsent, deliveries); }
};

/// What a message with an image of its sender says beside what it attaches.
struct ImageWords {
  RoundStep step;
  std::uint64_t committed = 0;  ///< 1: a copy of what is committed already
};

/// The images that a rank keeps for another one, its client.
struct KeptImages {
  Rank client = kNobody;
  std::uint16_t sent_to = 0;  ///< the latest incarnation of the client that has its image
  std::optional<Checkpoint> committed;
  std::optional<Checkpoint> pending;  ///< of the point that the ranks are at, until all have stored

  void digest(Digest& into) const { into.add(client, sent_to, committed, pending); }
};

/// The images of other ranks that a rank keeps, by client.
class ImageStore {
 public:
  /// Keeps an image beside the committed one, until `commit`.
  void put_pending(Incarnation client, const Checkpoint& checkpoint);
  /// Keeps the copy of an image that is committed already.
  void put_committed(Incarnation client, const Checkpoint& checkpoint);
  /// The images of that number are committed: the older ones are no longer needed.
  void commit(std::uint64_t number);
  /// The images that wait were in vain.
  void drop_pending();
  /// All clients, by rank.
  [[nodiscard]] std::vector<KeptImages>& clients() { return clients_; }
  void digest(Digest& into) const { into.add(clients_); }

 private:
  KeptImages& of(Incarnation client);

  std::vector<KeptImages> clients_;
};

/// The rank that keeps the image of `self`: the first on another node from the same place of the
/// next node on. kNobody if all ranks lie on one node.
Rank keeper_of(const Placement& placement, const JobShape& job, Rank self);

}  // namespace faultline
