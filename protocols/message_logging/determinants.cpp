// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/determinants.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline::message_logging {

namespace {

/// No message has such a channel.
constexpr Endpoint kHere{};

constexpr MetricSpec kGenerated{"determinants_generated", Merge::mean,
                                "deliveries with a ticket, per process and iteration; replayed "
                                "ones are not counted"};
constexpr MetricSpec kPiggybacked{"determinants_piggybacked", Merge::mean,
                                  "determinants sent with messages, per process and iteration; "
                                  "first sends only"};
constexpr MetricSpec kPerMessage{"determinants_per_message", Merge::mean,
                                 "determinants sent with a message to another rank"};

}  // namespace

MetricSpecs determinant_metrics() {
  return logging_metrics({&kGenerated, &kPiggybacked, &kPerMessage});
}

void report_determinants(MetricTotals& totals, double iterations, const DeterminantCounts& counts) {
  const std::uint64_t generated = iterations > 0 ? counts.generated : 0;
  const auto piggybacked = static_cast<double>(counts.piggybacked);
  totals.put_weighted(kGenerated, static_cast<double>(generated), iterations);
  totals.put_weighted(kPiggybacked, piggybacked, iterations);
  totals.put_weighted(kPerMessage, piggybacked, static_cast<double>(counts.remote_messages));
}

Delivery delivery_of(const Message& message) {
  Delivery delivery{channel_of(message), message.logging.get<LoggingStamp>().id};
  delivery.channel.from.rank = message.from;
  return delivery;
}

Delivery delivery_of(const LocalEvent& event) {
  const auto source = static_cast<ObjectId>(2 * index_of(event.family)) +
                      static_cast<ObjectId>(event.kind == LocalEvent::Kind::timer);
  return {{Endpoint{.object = source}, kHere}, event.tag};
}

std::optional<LocalEvent> local_event_of(const Delivery& delivery) {
  if (delivery.is_message()) return std::nullopt;
  const ObjectId source = delivery.channel.from.object;
  return LocalEvent{source % 2 == 1 ? LocalEvent::Kind::timer : LocalEvent::Kind::computed,
                    static_cast<Family>(source / 2), delivery.number};
}

bool Determinants::is_duplicate(const Message& message, bool may_repeat) {
  invariant(may_repeat || message.from_incarnation == 0, "a rank sends before all know it");
  return may_repeat && own.contains(delivery_of(message));
}

// ---- messages about them ----------------------------------------------------------------------

void Determinants::attach(Attachments& to, DeliveryRun deliveries, std::uint64_t epoch) const {
  Boxed<Lives> lives;
  if (!own.lives().empty()) lives = std::make_unique<Lives>(own.lives());
  to.emplace<Carried>(Family::message_logging, std::move(deliveries),
                      static_cast<std::uint32_t>(epoch), std::move(lives));
}

Attachments Determinants::attached(DeliveryRun deliveries, std::uint64_t epoch) const {
  Attachments attachments;
  attach(attachments, std::move(deliveries), epoch);
  return attachments;
}

void Determinants::send(RecoveryContext& context, Rank to, std::uint64_t count,
                        Attachments carried) const {
  Message& message =
      context.send(to, DeterminantMessage::determinants, control_bytes_ + bytes_of(count));
  message.attachments = std::move(carried);
}

void Determinants::acknowledge(RecoveryContext& context, Rank receiver, std::uint64_t epoch,
                               std::uint64_t first, std::uint64_t last) const {
  context.send(receiver, DeterminantMessage::stored, control_bytes_)
      .payload.put(StoredWords{epoch, first, last});
}

/// What a rank has sent before it died is void once this rank has answered its successor, which
/// does not hear of what was still kept here for a later epoch.
void Determinants::store(RecoveryContext& context, Incarnation from, const Carried& carried,
                         std::uint64_t epoch) {
  if (from.number < context.known(from.actor).number) return;
  if (carried.epoch > epoch) early_.emplace_back(from, carried);
  if (carried.epoch != epoch) return;
  const std::uint64_t first = carried.deliveries.first();
  const std::uint64_t known = sends_ == Sends::again ? others.last_of(from.actor) : 0;
  others.keep(from.actor, carried, std::max(first, known + 1));
  acknowledge(context, from.actor, epoch, first, carried.deliveries.last());
}

void Determinants::store_early(RecoveryContext& context, std::uint64_t epoch) {
  for (const auto& [from, carried] : std::exchange(early_, {}))
    store(context, from, carried, epoch);
}

// ---- restarts and checkpoints -----------------------------------------------------------------

void Determinants::report_to(Rank root, RestartReport& report) {
  report.determinant_bytes = bytes_;
  others.add_all_of(root, report.determinants);
  own.add_stored_at(root, report.determinants);
}

void Determinants::count_senders(SenderLog& log) const {
  for (std::uint64_t ticket = 1; ticket <= own.tickets(); ++ticket) {
    const Delivery& delivery = own.at(ticket);
    if (delivery.is_message() && delivery.sender() != own.self())
      ++log.old_peer(delivery.sender()).taken_in;
  }
}

std::vector<Determinant> Determinants::in_order(std::vector<Determinant> determinants) {
  std::sort(determinants.begin(), determinants.end(),
            [](const Determinant& a, const Determinant& b) {
              return std::tuple(a.receiver, a.ticket, -a.incarnation, a.holder) <
                     std::tuple(b.receiver, b.ticket, -b.incarnation, b.holder);
            });
  return determinants;
}

}  // namespace faultline::message_logging
