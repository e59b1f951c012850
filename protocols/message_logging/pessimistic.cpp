// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/pessimistic.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

OptionSet<DeterminantOptions> options() {
  OptionSet<DeterminantOptions> set;
  add_logging_options(set);
  add_determinant_options(set);
  return set;
}

const Registered registered{registration<Pessimistic>(
    {.family = Family::message_logging,
     .name = "pessimistic",
     .summary = "a message waits until a rank on another node knows the order of its delivery",
     .source = "Elnozahy, Alvisi, Wang, Johnson, ACM Computing Surveys 34(3), 2002, section 3.2",
     .traits = {.tolerates_faults = true,
                .needs_detection = true,
                .takes_images = true,
                .recovers_singly = true},
     .message_kinds = logging_kinds({"determinants", "determinants-stored"}),
     .metrics = determinant_metrics(),
     .marks = checkpoint_marks()},
    options())};

CausalOptions causal_options(const DeterminantOptions& options) {
  CausalOptions causal;
  static_cast<DeterminantOptions&>(causal) = options;
  return causal;
}

}  // namespace

Pessimistic::Pessimistic(const std::shared_ptr<const Options>& options, const JobShape& job,
                         Rank self)
    : Causal(std::make_shared<const CausalOptions>(causal_options(*options)), job, self) {}

Pessimistic::Waiting::Waiting(const Delivery& of, const Message& message)
    : delivery(of), from_incarnation(message.from_incarnation), from(message.from) {
  if (PackedMessage::fits(message))
    std::construct_at(&packed, message);  // to copy one that has just been written takes far longer
  else
    whole = std::make_unique<Message>(message);
}

Message Pessimistic::Waiting::message(Rank receiver) const {
  if (whole) return *whole;
  Message message = packed.unpacked();
  message.from = from;
  message.from_incarnation = from_incarnation;
  message.to = receiver;
  return message;
}

/// A rank without others knows its order by itself.
CheckpointedLayer::Verdict Pessimistic::take(Context& context, Message& message) {
  note_received(context, message);
  give_ticket(context, delivery_of(message));
  choose_logger(context);
  if (logger_ == kNobody) return Verdict::deliver;
  waiting_.emplace_back(delivery_of(message), message);
  wait(context);
  return Verdict::kept;
}

/// What has happened here is offered again and again, and waits once.
Passage Pessimistic::take_local(Context& context, const Delivery& event) {
  const auto is_meant = [&](const Waiting& waiting) {
    return !waiting.is_message() && waiting.delivery == event;
  };
  if (is_next_stored() && is_meant(waiting_.front())) {
    end_wait();
    hand_up_later(context);
    return Passage::deliver;
  }
  if (std::any_of(waiting_.begin(), waiting_.end(), is_meant)) return Passage::hold;
  give_ticket(context, event);
  choose_logger(context);
  if (logger_ == kNobody) return Passage::deliver;
  waiting_.emplace_back(event);
  wait(context);
  return Passage::hold;
}

std::optional<LocalEvent> Pessimistic::next_event() const {
  if (must_replay()) return Causal::next_event();
  if (!hands_up() || !is_next_stored()) return std::nullopt;
  return local_event_of(waiting_.front().delivery);
}

/// What was delivered while it waited for its turn, with an earlier ticket, has cancelled it. Its
/// ticket is gone: the logger knows it, so it is left out in a replay, too.
void Pessimistic::leave_out_next(Context& context) {
  if (must_replay()) return Causal::leave_out_next(context);
  end_wait();
  hand_up_later(context);
}

/// What waits last has got the latest ticket.
void Pessimistic::wait(Context& context) {
  invariant(stored() + waiting_.size() == tickets(), "a delivery waits behind one that does not");
  send_companion(context, logger_, tickets(), 1, carrying(deliveries().run(tickets(), tickets())));
}

void Pessimistic::choose_logger(const Context& context) {
  if (logger_ != kNobody || job().processes == 1) return;
  logger_ = keeper_of(context.placement(), job(), self());
  if (logger_ == kNobody) logger_ = (self() + 1) % job().processes;
}

/// Determinants may come in any order, each by itself.
void Pessimistic::store(Context& context, Rank from, const Carried& carried) {
  const DeliveryRun& sent = carried.deliveries;
  keep(from, carried, sent.first());
  acknowledge(context, from, sent.first(), sent.last());
}

/// Acknowledgements may come in any order; deliveries keep that of their tickets.
void Pessimistic::on_stored(Context& context, Rank, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t ticket = std::max(first, stored() + 1); ticket <= last; ++ticket)
    stored_ahead_.insert(ticket);
  if (hands_up_singly()) return hand_up_later(context);
  while (hand_up_next(context)) {
  }
}

bool Pessimistic::hand_up_next(Context& context) {
  if (Causal::hand_up_next(context)) return true;
  if (!is_next_stored() || !waiting_.front().is_message()) return false;
  hand_up(context, waiting_.front().message(self()));
  end_wait();
  return true;
}

/// What waits first does so no longer.
void Pessimistic::end_wait() {
  acknowledged(logger_, stored() + 1);
  waiting_.pop_front();
}

void Pessimistic::stored_again(Context& context, Rank receiver, std::uint64_t ticket) {
  acknowledge(context, receiver, ticket, ticket);
}

/// What the logger has not acknowledged may be lost with it, too.
void Pessimistic::on_joined(Context& context, Rank root, RestartReport& report) {
  Causal::on_joined(context, root, report);
  if (root != logger_ || root == self()) return;
  for (std::uint64_t ticket = stored() + 1; ticket <= tickets(); ++ticket)
    report.determinants.push_back(determinant_of(ticket, root));
}

void Pessimistic::on_committed(Context& context) {
  Causal::on_committed(context);
  for (const Waiting& waiting : std::exchange(waiting_, {}))
    if (waiting.is_message()) context.discard(waiting.message(self()));
  stored_ahead_.clear();
}

std::string Pessimistic::waiting_for() const {
  std::string what = Causal::waiting_for();
  if (what.empty() && !waiting_.empty())
    what = "rank " + std::to_string(logger_) + " to store a determinant";
  return what;
}

void Pessimistic::digest_state(Digest& into) const {
  Causal::digest_state(into);
  into.add(logger_, stored_ahead_, waiting_.size());
  for (const Waiting& waiting : waiting_) {
    into.add(waiting.delivery, waiting.is_message());
    if (waiting.is_message()) into.add(waiting.message(self()));
  }
}

}  // namespace faultline
