// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/checkpoints/sorted_table.hpp"
#include "protocols/message_logging/own_deliveries.hpp"
#include "sim/core/boxed.hpp"

namespace faultline::message_logging {

/// Determinants on their way.
struct Carried {
  DeliveryRun deliveries;
  std::uint32_t epoch = 0;
  Boxed<Lives> lives;  ///< null: all tickets were given by the first incarnation

  void digest(Digest& into) const;
};

/// Determinants that one incarnation of their receiver has made.
struct StoredRun {
  DeliveryRun deliveries;
  std::uint16_t incarnation = 0;
};

/// What a rank stores for another one, the receiver of the messages.
struct StoredFor {
  Rank rank = kNobody;
  std::uint64_t last = 0;             ///< the highest ticket
  std::vector<Determinant> reported;  ///< to this rank, which has restarted
  std::vector<StoredRun> runs;        ///< that their receiver has sent
};

/// The determinants that a rank stores for others.
class DeterminantStore {
 public:
  explicit DeterminantStore(Rank self) : self_(self) {}

  /// The highest ticket that it has of that receiver; 0 if none.
  [[nodiscard]] std::uint64_t last_of(Rank receiver) { return stored_.of(receiver).last; }
  /// Stores what that rank has sent, from that ticket on.
  void keep(Rank receiver, const Carried& carried, std::uint64_t first);
  /// Stores one that others have reported.
  void keep(const Determinant& reported);
  /// All of that receiver.
  void add_all_of(Rank receiver, std::vector<Determinant>& to);
  void clear() { stored_.clear(); }
  [[nodiscard]] checkpoints::RankTable<StoredFor>& receivers() { return stored_; }
  void digest(Digest& into) const;

 private:
  static void put(StoredFor& stored, const DeliveryRun& deliveries, std::uint16_t incarnation);
  [[nodiscard]] std::vector<Determinant> determinants_of(const StoredFor& stored) const;

  Rank self_;
  checkpoints::RankTable<StoredFor> stored_;
};

}  // namespace faultline::message_logging
