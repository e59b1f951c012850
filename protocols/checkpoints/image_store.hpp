// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/checkpoints/sorted_table.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/image.hpp"
#include "sim/core/message.hpp"
#include "sim/core/stack_request.hpp"

namespace faultline::checkpoints {

/// What a rank goes on from: an image, taken at a synchronisation point of the program.
struct Checkpoint {
  Image image;
  std::uint64_t number = 0;  ///< of the synchronisation point
  /// Of the program in the image, which waits for the answer. None if time made it due.
  std::optional<StackRequest> request;
  std::vector<Message> unsent = {};  ///< that the layer has held back since the program asked
  std::uint64_t deliveries = 0;      ///< with a ticket, before it

  void digest(Digest& into) const { into.add(image, number, request, unsent, deliveries); }
};

/// The images that a rank keeps for another one, its client.
struct KeptImages {
  Rank rank = kNobody;
  std::uint16_t sent_to = 0;  ///< the latest incarnation of the client that has its image
  std::optional<Checkpoint> committed = {};
  std::optional<Checkpoint> pending = {};  ///< of the point that the ranks are at, until all have
                                           ///< stored theirs

  void digest(Digest& into) const { into.add(rank, sent_to, committed, pending); }
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
  [[nodiscard]] RankTable<KeptImages>& clients() { return clients_; }
  [[nodiscard]] const RankTable<KeptImages>& clients() const { return clients_; }
  void digest(Digest& into) const { into.add(clients_); }

 private:
  KeptImages& of(Incarnation client);

  RankTable<KeptImages> clients_;
};

}  // namespace faultline::checkpoints
