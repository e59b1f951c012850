// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/causal.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/core/prefetch.hpp"

namespace faultline {

namespace {

constexpr MetricSpec kGenerated{"determinants_generated", Merge::mean,
                                "deliveries with a ticket, per process and iteration; replayed "
                                "ones are not counted"};
constexpr MetricSpec kPiggybacked{"determinants_piggybacked", Merge::mean,
                                  "determinants sent with messages, per process and iteration; "
                                  "first sends only"};
constexpr MetricSpec kPerMessage{"determinants_per_message", Merge::mean,
                                 "determinants sent with a message to another rank"};

OptionSet<CausalOptions> options() {
  OptionSet<CausalOptions> set;
  add_logging_options(set);
  set.option("transport", &CausalOptions::transport,
             {.doc = "`companion`: determinants go in a message of their own, before that of the "
                     "program; `piggyback`: in that message",
              .source = "Charm++ sends companions; the paper says piggybacked",
              .choices = {"companion", "piggyback"}});
  add_determinant_options(set);
  set.option("piggyback_s", &CausalOptions::piggyback_s,
             {.doc = "processor time for each determinant that is sent with a message",
              .unit = "s",
              .source = kLoggingCostSource,
              .minimum = 0,
              .maximum = 1});
  return set;
}

const Registered registered{registration<Causal>(
    {.family = Family::message_logging,
     .name = "causal",
     .summary = "senders log messages, and the ranks that depend on the order of deliveries "
                "store it",
     .source = "fast-message-logging section 2; Meneses, Bronevetsky, Kale, DPDNS 2011",
     .traits = {.tolerates_faults = true,
                .needs_detection = true,
                .takes_images = true,
                .recovers_singly = true},
     .message_kinds = logging_kinds({"determinants", "determinants-stored"}),
     .metrics = determinant_metrics(),
     .marks = checkpoint_marks()},
    options())};

/// No message has such a channel.
constexpr Endpoint kHere{};

/// Which tickets of the receiver are stored now.
struct StoredWords {
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

}  // namespace

MetricSpecs determinant_metrics() {
  return logging_metrics({&kGenerated, &kPiggybacked, &kPerMessage});
}

// ---- forward path -----------------------------------------------------------------------------

void Causal::on_sends(Context& context, std::span<Message* const> batch, bool still_active) {
  shared_.emplace();
  LoggedLayer::on_sends(context, batch, still_active);
  shared_.reset();
}

/// All determinants that nobody is known to store. There are some.
DeliveryRun Causal::unstored() const { return deliveries_.run(stored() + 1, tickets_); }

/// They go with every message to another rank.
std::uint32_t Causal::before(Context& context, Message& message) {
  const std::uint64_t count = unstored_count();
  if (count == 0) return 0;
  if (has_recovered() || sends_first(peer(context, message.to))) piggybacked_ += count;
  spend(context, CostFactor::piggybacking, piggyback_s_ * static_cast<double>(count));
  if (sends_companions_) {
    if (shared_ && shared_->empty()) *shared_ = carrying(unstored());
    return send_companion(context, message.to, tickets_, count,
                          shared_ ? *shared_ : carrying(unstored()));
  }
  message.add_bytes(bytes_of(count));
  carry(message.attachments, unstored());
  return 0;
}

/// What is sent again depends on them, too, and the companion that went before it has died with its
/// receiver.
std::uint32_t Causal::before_log(Context& context, Rank to) {
  const std::uint64_t count = unstored_count();
  return count == 0 ? 0 : send_companion(context, to, tickets_, count, carrying(unstored()));
}

void Causal::carry(Attachments& attachments, DeliveryRun deliveries) const {
  Boxed<Lives> lives;
  if (!lives_.empty()) lives = std::make_unique<Lives>(lives_);
  attachments.emplace<Carried>(Family::message_logging, std::move(deliveries),
                               static_cast<std::uint32_t>(epoch()), std::move(lives));
}

Attachments Causal::carrying(DeliveryRun deliveries) const {
  Attachments attachments;
  carry(attachments, std::move(deliveries));
  return attachments;
}

/// Companions can be overtaken. So the message says which tickets must be there before it is
/// delivered.
std::uint32_t Causal::send_companion(Context& context, Rank to, std::uint64_t last,
                                     std::uint64_t count, Attachments carried) {
  Message& companion = context.send(to, kDeterminants, control_bytes() + bytes_of(count));
  companion.attachments = std::move(carried);
  return static_cast<std::uint32_t>(last);
}

std::uint64_t Causal::bytes_of(std::uint64_t deliveries) const {
  return deliveries * determinant_bytes_;
}

CheckpointedLayer::Verdict Causal::admit_current(Context& context, Message& message) {
  if (const auto* carried = context.attached<Carried>(message))
    take_carried(context, {message.from, message.from_incarnation}, *carried);
  if (message.from != self() && is_duplicate(message)) return Verdict::discard;
  if (!must_replay()) return take(context, message);
  const bool is_new = to_replay_.emplace(delivery_of(message), message).second;
  if (!is_new) return Verdict::discard;
  replay(context);
  return Verdict::kept;
}

bool Causal::must_wait(Context&, const Message& message) {
  const std::uint64_t last = message.logging.get<LoggingStamp>().level;
  return last > 0 && message.from != self() && stored_for(message.from).last < last &&
         !is_duplicate(message);
}

CheckpointedLayer::Verdict Causal::take(Context& context, Message& message) {
  note_received(context, message);
  give_ticket(context, delivery_of(message));
  return Verdict::deliver;
}

/// What a termination detector sends can depend on whether a message comes before the end of a
/// computation, at which its rank becomes idle, or after that.
Passage Causal::on_local_event(Context& context, const LocalEvent& event) {
  const Delivery delivery = delivery_of(event);
  if (!must_replay()) return take_local(context, delivery);
  if (deliveries_.at(tickets_ + 1) != delivery) return Passage::hold;
  ++tickets_;
  if (!must_replay()) end_replay(context);
  hand_up_later(context);
  return Passage::deliver;
}

Delivery Causal::delivery_of(const LocalEvent& event) {
  const auto source = static_cast<ObjectId>(2 * index_of(event.family)) +
                      static_cast<ObjectId>(event.kind == LocalEvent::Kind::timer);
  return {{Endpoint{.object = source}, kHere}, event.tag};
}

std::optional<LocalEvent> Causal::local_event_of(const Delivery& delivery) {
  if (delivery.is_message()) return std::nullopt;
  const ObjectId source = delivery.channel.from.object;
  return LocalEvent{source % 2 == 1 ? LocalEvent::Kind::timer : LocalEvent::Kind::computed,
                    static_cast<Family>(source / 2), delivery.number};
}

std::optional<LocalEvent> Causal::next_event() const {
  if (!hands_up() || !must_replay()) return std::nullopt;
  return local_event_of(deliveries_.at(tickets_ + 1));
}

/// It was left out at this ticket before, too: what was delivered until now is the same.
void Causal::leave_out_next(Context& context) {
  ++tickets_;
  if (!must_replay()) end_replay(context);
  hand_up_later(context);
}

Passage Causal::take_local(Context& context, const Delivery& event) {
  give_ticket(context, event);
  return Passage::deliver;
}

void Causal::give_ticket(Context& context, const Delivery& delivery) {
  deliveries_.push_back(delivery);
  ++tickets_;
  spend(context, CostFactor::determinants, determinant_s_);
}

bool Causal::is_duplicate(const Message& message) {
  invariant(may_repeat() || message.from_incarnation == 0, "a rank sends before all know it");
  return may_repeat() && index_.contains(deliveries_, tickets_, delivery_of(message));
}

/// Before a restart nobody asks how many messages have come from whom.
void Causal::note_received(Context& context, const Message& message) {
  if (may_repeat() && message.from != self()) ++peer(context, message.from).taken_in;
}

/// Makes up for what was not counted while nobody had restarted. Whoever has sent something is a
/// peer from then on.
void Causal::count_senders() {
  if (may_repeat()) return;
  for (std::uint64_t ticket = 1; ticket <= tickets_; ++ticket) {
    const Delivery& delivery = deliveries_.at(ticket);
    if (delivery.is_message() && delivery.sender() != self())
      ++old_peer(delivery.sender()).taken_in;
  }
}

void Causal::fetch_ahead(const Message& message, Ahead what) const {
  LoggedLayer::fetch_ahead(message, what);
  if (what == Ahead::state) prefetch_between(&determinant_s_, &newest_part_ + 1);
  if (what == Ahead::content) deliveries_.prefetch_next();
}

// ---- determinants of others -------------------------------------------------------------------

void Causal::on_log_message(Context& context, const Message& message) {
  if (message.kind == kDeterminants) {
    take_carried(context, {message.from, message.from_incarnation},
                 *context.attached<Carried>(message));
    return release_held(context);
  }
  const auto words = message.payload.get<StoredWords>();
  if (words.epoch == epoch()) on_stored(context, message.from, words.first, words.last);
}

/// What a rank has sent before it died is void once this rank has answered its successor, which
/// does not hear of what was still kept here for a later epoch.
void Causal::take_carried(Context& context, Incarnation from, const Carried& carried) {
  if (from.number < context.known(from.actor).number) return;
  if (carried.epoch > epoch())
    early_.emplace_back(from, carried);
  else if (carried.epoch == epoch())
    store(context, from.actor, carried);
}

void Causal::store(Context& context, Rank from, const Carried& carried) {
  const DeliveryRun& sent = carried.deliveries;
  keep(from, carried, std::max(sent.first(), stored_for(from).last + 1));
  acknowledge(context, from, sent.first(), sent.last());
}

void Causal::acknowledge(Context& context, Rank receiver, std::uint64_t first,
                         std::uint64_t last) const {
  context.send(receiver, kDeterminantsStored, control_bytes())
      .payload.put(StoredWords{epoch(), first, last});
}

void Causal::keep(Rank receiver, const Carried& carried, std::uint64_t first) {
  const std::uint64_t last = carried.deliveries.last();
  if (first > last) return;
  Stored& stored = stored_for(receiver);
  stored.last = std::max(stored.last, last);
  if (!carried.lives) {
    if (first == carried.deliveries.first()) return put(stored, carried.deliveries, 0);
    return put(stored, carried.deliveries.from(first), 0);
  }
  while (first <= last) {
    const std::uint16_t giver = giver_of(first, *carried.lives);
    std::uint64_t end = first;
    while (end < last && giver_of(end + 1, *carried.lives) == giver) ++end;
    put(stored, carried.deliveries.from(first).up_to(end), giver);
    first = end + 1;
  }
}

void Causal::put(Stored& stored, const DeliveryRun& deliveries, std::uint16_t incarnation) {
  StoredRun& newest = stored.newest;
  if (newest.incarnation == incarnation && newest.deliveries.extend(deliveries)) return;
  if (newest.deliveries.size() > 0) {
    if (!stored.earlier) stored.earlier = std::make_unique<Stored::Earlier>();
    stored.earlier->runs.push_back(std::move(newest));
  }
  newest = {deliveries, incarnation};
}

std::uint16_t Causal::giver_of(std::uint64_t ticket, const Lives& lives) {
  std::uint16_t incarnation = 0;
  for (const Tickets& life : lives)
    if (life.from <= ticket) incarnation = life.incarnation;
  return incarnation;
}

Determinant Causal::determinant_of(std::uint64_t ticket, Rank holder) const {
  const Delivery& delivery = deliveries_.at(ticket);
  return {self(), holder, ticket, delivery.channel, delivery.number, giver_of(ticket, lives_)};
}

std::vector<Determinant> Causal::determinants_of(const Stored& stored) const {
  std::vector<Determinant> all;
  const auto add = [&](const StoredRun& run) {
    run.deliveries.for_each([&](std::uint64_t ticket, const Delivery& delivery) {
      all.push_back(
          {stored.rank, self(), ticket, delivery.channel, delivery.number, run.incarnation});
    });
  };
  if (stored.earlier) {
    all = stored.earlier->determinants;
    for (const StoredRun& run : stored.earlier->runs) add(run);
  }
  add(stored.newest);
  return all;
}

Causal::Stored& Causal::stored_for(Rank receiver) {
  Stored* found = stored_.find(receiver);
  if (found != nullptr) return *found;
  Stored fresh;
  fresh.rank = receiver;
  return stored_.add(std::move(fresh));
}

/// The holder was sent everything that nobody was known to store then.
void Causal::acknowledged(Rank holder, std::uint64_t ticket) {
  invariant(ticket <= deliveries_.size(), "a ticket is stored that nobody has");
  if (ticket <= newest_part_.last) return;
  if (newest_part_.holder != holder && newest_part_.last > 0)
    earlier_parts_.push_back(newest_part_);
  newest_part_ = {ticket, holder};
}

// ---- recovery ---------------------------------------------------------------------------------

/// Beside the determinants of the restarted rank, it needs those again that it has stored.
void Causal::on_joined(Context& context, Rank root, RestartReport& report) {
  count_senders();
  LoggedLayer::on_joined(context, root, report);
  report.determinant_bytes = determinant_bytes_;
  if (const Stored* stored = stored_.find(root)) {
    const std::vector<Determinant> known = determinants_of(*stored);
    report.determinants.insert(report.determinants.end(), known.begin(), known.end());
  }
  std::uint64_t ticket = 1;
  const auto add = [&](const Part& part) {
    for (; ticket <= part.last; ++ticket)
      if (part.holder == root) report.determinants.push_back(determinant_of(ticket, root));
  };
  for (const Part& part : earlier_parts_) add(part);
  add(newest_part_);
}

/// Of the tickets behind one that nobody has stored, nothing was ever delivered. A later
/// incarnation has given them to other messages: then its determinants are the valid ones, and
/// those of earlier ones that lie behind them are void.
void Causal::on_reports(Context& context, const RestartReport& reports) {
  LoggedLayer::on_reports(context, reports);
  std::vector<Determinant> determinants = reports.determinants;
  std::sort(determinants.begin(), determinants.end(),
            [](const Determinant& a, const Determinant& b) {
              return std::tuple(a.receiver, a.ticket, -a.incarnation, a.holder) <
                     std::tuple(b.receiver, b.ticket, -b.incarnation, b.holder);
            });
  for (const Determinant& known : determinants) {
    if (known.receiver != self()) {
      Stored& stored = stored_for(known.receiver);
      if (!stored.earlier) stored.earlier = std::make_unique<Stored::Earlier>();
      stored.earlier->determinants.push_back(known);
      stored.last = std::max(stored.last, known.ticket);
      stored_again(context, known.receiver, known.ticket);
      continue;
    }
    if (known.ticket <= deliveries_.size() || is_void(known)) continue;
    if (known.ticket == deliveries_.size() + 1) {
      if (lives_.empty() || lives_.back().incarnation < known.incarnation)
        lives_.push_back({known.ticket, known.incarnation});
      deliveries_.push_back({known.channel, known.number});
      acknowledged(known.holder, known.ticket);
    } else if (!may_have_gaps()) {
      return context.fatal("determinants have died with several ranks");
    }
  }
  lives_.push_back({deliveries_.size() + 1, context.incarnation()});
}

/// Has a later incarnation given the tickets from an earlier one on?
bool Causal::is_void(const Determinant& known) const {
  return !lives_.empty() && known.incarnation < lives_.back().incarnation;
}

/// Delivers what has come, in the order of tickets.
void Causal::replay(Context& context) {
  if (hands_up_singly()) return hand_up_later(context);
  while (hand_up_next(context)) {
  }
}

bool Causal::hand_up_next(Context& context) {
  if (!must_replay()) return false;
  const auto next = to_replay_.find(deliveries_.at(tickets_ + 1));
  if (next == to_replay_.end()) return false;
  note_received(context, next->second);
  ++tickets_;
  hand_up(context, next->second);
  to_replay_.erase(next);
  if (!must_replay()) end_replay(context);
  return true;
}

/// What nobody had depended on is delivered in any order.
void Causal::end_replay(Context& context) {
  if (hands_up_singly()) {
    std::vector<Message> messages;
    messages.reserve(to_replay_.size());
    for (auto& [delivery, message] : std::exchange(to_replay_, {})) messages.push_back(message);
    hold_again(std::move(messages));
  }
  for (auto& [delivery, message] : std::exchange(to_replay_, {}))
    if (take(context, message) == Verdict::deliver) context.deliver(message);
  try_recovered(context);
}

void Causal::on_committed(Context& context) {
  count_senders();
  LoggedLayer::on_committed(context);
  invariant(!must_replay(), "a checkpoint is committed while a rank replays");
  deliveries_ = {};  // others may still look at the old one
  index_.clear();
  if (!lives_.empty()) lives_ = {{1, lives_.back().incarnation}};
  earlier_deliveries_ = kept().deliveries;
  tickets_ = 0;
  newest_part_ = {};
  earlier_parts_.clear();
  stored_.clear();
}

void Causal::on_up(Context& context) {
  if (epoch() > 0) earlier_deliveries_ = kept().deliveries;
  LoggedLayer::on_up(context);
}

void Causal::on_resumed(Context& context) {
  for (const auto& [from, carried] : std::exchange(early_, {}))
    take_carried(context, from, carried);
  LoggedLayer::on_resumed(context);
}

// ---- seen from outside ------------------------------------------------------------------------

void Causal::report_counts(MetricTotals& totals, double iterations) const {
  const std::uint64_t generated = iterations > 0 ? all_deliveries() : 0;
  totals.put_weighted(kGenerated, static_cast<double>(generated), iterations);
  totals.put_weighted(kPiggybacked, static_cast<double>(piggybacked_), iterations);
  totals.put_weighted(kPerMessage, static_cast<double>(piggybacked_),
                      static_cast<double>(remote_messages()));
}

std::string Causal::waiting_for() const {
  std::string what = LoggedLayer::waiting_for();
  if (what.empty() && must_replay())
    what = "the message with ticket " + std::to_string(tickets_ + 1);
  return what;
}

void Causal::Carried::digest(Digest& into) const {
  into.add(epoch, deliveries, lives ? *lives : Lives{});
}

void Causal::digest_state(Digest& into) const {
  LoggedLayer::digest_state(into);
  into.add(deliveries_, tickets_, lives_, earlier_parts_, newest_part_, stored_.size());
  for (const Stored& stored : stored_) into.add(stored.rank, stored.last, determinants_of(stored));
  into.add(early_, to_replay_);
}

}  // namespace faultline
