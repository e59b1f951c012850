// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/message_logging/determinant_store.hpp"
#include "protocols/message_logging/logging_options.hpp"
#include "protocols/message_logging/logging_time.hpp"
#include "protocols/message_logging/own_deliveries.hpp"
#include "protocols/message_logging/sender_log.hpp"
#include "sim/core/local_events.hpp"

namespace faultline::message_logging {

/// The kinds of messages of the protocols that make determinants.
struct DeterminantMessage {
  enum Kind : std::uint16_t { determinants = LogMessage::kinds, stored };
};

/// Which tickets of the receiver are stored now.
struct StoredWords {
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The delivery of a message to the program of a rank.
Delivery delivery_of(const Message& message);
/// Something that happens at a rank, as a delivery from nobody.
Delivery delivery_of(const LocalEvent& event);
/// What has happened; none if a message was delivered.
std::optional<LocalEvent> local_event_of(const Delivery& delivery);

/// How many determinants a rank has made and sent.
struct DeterminantCounts {
  std::uint64_t generated = 0;
  std::uint64_t piggybacked = 0;
  std::uint64_t remote_messages = 0;
};
void report_determinants(MetricTotals& totals, double iterations, const DeterminantCounts& counts);
/// The metrics of protocols that make determinants.
MetricSpecs determinant_metrics();

/// The determinants of a rank: it makes them, sends them to others that store them, and stores
/// those of others. When others may store them, and what waits for that, is the protocol's.
class Determinants {
 public:
  /// How often a rank sends a determinant to another one.
  enum class Sends : std::uint8_t {
    once,   ///< in any order
    again,  ///< with all before it, until one of them is acknowledged
  };

  Determinants(const DeterminantOptions& options, Rank self, Sends sends)
      : own(self),
        others(self),
        sends_(sends),
        bytes_(options.determinant_bytes),
        control_bytes_(options.control_bytes),
        making_s_(options.determinant_s) {}

  OwnDeliveries own;
  DeterminantStore others;

  /// Has this rank delivered that message of another one? `may_repeat`: only then could it come
  /// twice. Before that no rank counts the messages of each sender either.
  [[nodiscard]] bool is_duplicate(const Message& message, bool may_repeat);
  /// Gives a delivery the next ticket, which takes time.
  void give_ticket(RecoveryContext& context, const Delivery& delivery, LoggingTime& time) {
    own.give_ticket(delivery);
    time.spend(context, CostFactor::determinants, making_s_);
  }

  // ---- messages about them --------------------------------------------------------------------
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t count) const { return count * bytes_; }
  /// Attaches own ones.
  void attach(Attachments& to, DeliveryRun deliveries, std::uint64_t epoch) const;
  [[nodiscard]] Attachments attached(DeliveryRun deliveries, std::uint64_t epoch) const;
  /// Sends a rank so many of its own.
  void send(RecoveryContext& context, Rank to, std::uint64_t count, Attachments carried) const;
  /// Tells a rank that this one stores its determinants from ticket `first` to `last`.
  void acknowledge(RecoveryContext& context, Rank receiver, std::uint64_t epoch,
                   std::uint64_t first, std::uint64_t last) const;
  /// Stores those that a message carries, if there are any, and says so to its sender. Those of a
  /// later epoch are kept until this rank is there (`store_early`).
  void store(RecoveryContext& context, const Message& message, std::uint64_t epoch) {
    if (const auto* carried = context.attached<Carried>(message))
      store(context, {message.from, message.from_incarnation}, *carried, epoch);
  }
  void store_early(RecoveryContext& context, std::uint64_t epoch);

  // ---- restarts and checkpoints ---------------------------------------------------------------
  /// Beside the determinants of the restarted rank, it needs those again that it has stored.
  void report_to(Rank root, RestartReport& report);
  /// Counts the messages of each sender, for a rank that has not done so before the first restart.
  /// Each sender is a peer from then on.
  void count_senders(SenderLog& log) const;
  /// What others know, in the order in which it must be learned.
  [[nodiscard]] static std::vector<Determinant> in_order(std::vector<Determinant> determinants);
  void commit() {
    own.commit();
    others.clear();
  }
  void digest(Digest& into) const { into.add(own, others, early_); }

 private:
  void store(RecoveryContext& context, Incarnation from, const Carried& carried,
             std::uint64_t epoch);

  Sends sends_;
  std::uint64_t bytes_;  ///< size of each
  std::uint64_t control_bytes_;
  double making_s_;                                     ///< of each
  std::vector<std::pair<Incarnation, Carried>> early_;  ///< of later epochs than this rank's
};

}  // namespace faultline::message_logging
