// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/pessimistic.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocols/checkpoints/keeper.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::message_logging {

namespace {

OptionSet<DeterminantOptions> options() {
  OptionSet<DeterminantOptions> set;
  add_logging_options(set);
  add_interval_option(set);
  add_determinant_options(set);
  return set;
}

const Registered registered{registration<Pessimistic>(
    {.family = Family::message_logging,
     .name = "pessimistic",
     .summary = "a message waits until a rank on another node knows the order of its delivery",
     .source = "Elnozahy, Alvisi, Wang, Johnson, ACM Computing Surveys 34(3), 2002, section 3.2",
     .traits = RecoveryTraits{.needs_detection = true,
                              .takes_images = true,
                              .recovers_singly = true,
                              .check_with_workload = check_interval,
                              .times_checkpoints = times_checkpoints},
     .message_kinds = logging_kinds({"determinants", "determinants-stored"}),
     .metrics = determinant_metrics(),
     .marks = program_marks()},
    options())};

}  // namespace

Pessimistic::Pessimistic(const std::shared_ptr<const Options>& options, const JobShape& job,
                         Rank self)
    : ProgramLayer(*options, job, self, Survivors::go_on),
      job_(job),
      log_(self),
      determinants_(*options, self, Determinants::Sends::once),
      time_(*options) {}

// ---- forward path -----------------------------------------------------------------------------

/// A message to another rank is logged.
void Pessimistic::stamp(RecoveryContext& context, Message& message) {
  time_.bookkeep(context);
  LoggingStamp stamp = program_.stamp();
  stamp.id = log_.identity_of(message);
  if (message.to != self_) {
    if (repeats_.count(log_.add(context, message, 0))) ++remote_messages_;
    time_.log(context, message);
  }
  message.logging.put(stamp);
}

Admission Pessimistic::admit(RecoveryContext& context, Message& message) {
  if (const auto turned_away = program_.turn_away(context, message)) return *turned_away;
  time_.bookkeep(context);
  if (message.from != self_ && determinants_.is_duplicate(message, program_.may_repeat()))
    return Admission::discard;
  if (!determinants_.own.must_replay()) return take(context, message);
  if (!replay_.add(delivery_of(message), message)) return Admission::discard;
  hand_up_all(context);
  return Admission::kept;
}

/// It gets its ticket, and waits until its determinant is stored. A rank without others knows its
/// order by itself.
Admission Pessimistic::take(RecoveryContext& context, const Message& message) {
  if (program_.may_repeat()) log_.count_taken_in(context, message.from);
  determinants_.give_ticket(context, delivery_of(message), time_);
  choose_logger(context);
  if (logger_ != kNobody) {
    wait(context, message);
    return Admission::kept;
  }
  if (program_.gate().counts()) program_.count_received(context);
  return Admission::deliver;
}

void Pessimistic::choose_logger(const RecoveryContext& context) {
  if (logger_ != kNobody || job_.processes == 1) return;
  logger_ = checkpoints::keeper_of(context.placement(), job_, self_);
  if (logger_ == kNobody) logger_ = (self_ + 1) % job_.processes;
}

/// It has got the latest ticket.
void Pessimistic::wait(RecoveryContext& context, const Message& message) {
  waiting_.push_back(message);
  const OwnDeliveries& own = determinants_.own;
  invariant(own.stored() + waiting_.size() == own.tickets(),
            "a delivery waits behind one that does not");
  determinants_.send(
      context, logger_, 1,
      determinants_.attached(own.run(own.tickets(), own.tickets()), program_.epoch()));
}

/// What waits first does so no longer.
void Pessimistic::end_wait() {
  determinants_.own.acknowledged(logger_, determinants_.own.stored() + 1);
  waiting_.pop_front();
}

void Pessimistic::on_own_message(RecoveryContext& context, const Message& message) {
  switch (message.kind) {
    case LogMessage::log_end:
      repeats_.log_ended(context, message.from, message.payload.get<LogEnd>().received, log_);
      return try_recovered(context);
    case DeterminantMessage::determinants:
      determinants_.store(context, message, program_.epoch());
      return program_.gate().release_held(context, *this);
    default:
      on_stored(context, message.payload.get<StoredWords>());
  }
}

/// Acknowledgements may come in any order; deliveries keep that of their tickets.
void Pessimistic::on_stored(RecoveryContext& context, const StoredWords& words) {
  if (words.epoch != program_.epoch()) return;
  const std::uint64_t stored = determinants_.own.stored();
  for (std::uint64_t ticket = std::max(words.first, stored + 1); ticket <= words.last; ++ticket)
    stored_ahead_.insert(ticket);
  hand_up_all(context);
}

/// In the order of tickets: first the replay, then what waits, as far as it is stored.
void Pessimistic::hand_up_all(RecoveryContext& context) {
  if (program_.gate().hands_up_singly()) return ProgramGate::hand_up_later(context);
  while (hand_up_next(context)) {
  }
}

bool Pessimistic::hand_up_next(RecoveryContext& context) {
  if (replay_.hand_up_next(context, program_, log_, determinants_.own)) {
    if (!determinants_.own.must_replay()) end_replay(context);
    return true;
  }
  if (!is_next_stored() || waiting_.front().from == kNobody) return false;
  program_.hand_up(context, waiting_.front());
  end_wait();
  return true;
}

// ---- below a termination detector -------------------------------------------------------------

Passage Pessimistic::on_local_event(RecoveryContext& context, const LocalEvent& event) {
  program_.begin(context, *this);
  const Delivery delivery = delivery_of(event);
  if (!determinants_.own.must_replay()) return take_local(context, delivery);
  if (determinants_.own.next() != delivery) return Passage::hold;
  leave_replay(context);
  return Passage::deliver;
}

/// What has happened here is offered again and again, and waits once.
Passage Pessimistic::take_local(RecoveryContext& context, const Delivery& event) {
  const OwnDeliveries& own = determinants_.own;
  if (is_next_stored() && own.at(own.stored() + 1) == event) {
    end_wait();
    ProgramGate::hand_up_later(context);
    return Passage::deliver;
  }
  for (std::uint64_t ticket = own.tickets() - waiting_.size() + 1; ticket <= own.tickets();
       ++ticket)
    if (own.at(ticket) == event) return Passage::hold;
  if (program_.gate().holds_local_events()) return Passage::hold;
  determinants_.give_ticket(context, event, time_);
  choose_logger(context);
  if (logger_ == kNobody) return Passage::deliver;
  wait(context, {});
  return Passage::hold;
}

std::optional<LocalEvent> Pessimistic::next_event() const {
  if (!program_.gate().is_open()) return std::nullopt;
  if (determinants_.own.must_replay()) return local_event_of(determinants_.own.next());
  if (!is_next_stored()) return std::nullopt;
  return local_event_of(determinants_.own.at(determinants_.own.stored() + 1));
}

/// What was delivered while it waited for its turn, with an earlier ticket, has cancelled it. Its
/// ticket is gone: the logger knows it, so it is left out in a replay, too.
void Pessimistic::leave_out_next(RecoveryContext& context) {
  if (determinants_.own.must_replay()) return leave_replay(context);
  end_wait();
  ProgramGate::hand_up_later(context);
}

/// What comes next in the replay has happened, or is left out.
void Pessimistic::leave_replay(RecoveryContext& context) {
  determinants_.own.replayed();
  if (!determinants_.own.must_replay()) end_replay(context);
  ProgramGate::hand_up_later(context);
}

// ---- recovery ---------------------------------------------------------------------------------

/// What the logger has not acknowledged may be lost with it, too.
void Pessimistic::on_joined(RecoveryContext& context, Rank root, RestartReport& report) {
  const OwnDeliveries& own = determinants_.own;
  if (!program_.may_repeat()) determinants_.count_senders(log_);
  repeats_.join(context, root, program_, own.must_replay(), log_, report);
  determinants_.report_to(root, report);
  if (root != logger_ || root == self_) return;
  for (std::uint64_t ticket = own.stored() + 1; ticket <= own.tickets(); ++ticket)
    report.determinants.push_back(own.determinant_of(ticket, root));
}

/// What has a ticket behind one that nobody stores has never been delivered. Others wait until this
/// rank, their logger, has their determinants again.
void Pessimistic::on_reports(RecoveryContext& context, const RestartReport& reports) {
  repeats_.await_logs(reports.partners, program_.wave());
  for (const Determinant& known : Determinants::in_order(reports.determinants)) {
    if (known.receiver == self_) {
      determinants_.own.learn(known);
      continue;
    }
    determinants_.others.keep(known);
    determinants_.acknowledge(context, known.receiver, program_.epoch(), known.ticket,
                              known.ticket);
  }
  determinants_.own.begin_life(context.incarnation());
}

void Pessimistic::on_agreed(RecoveryContext& context) {
  log_.serve_restarted(program_.wave(), [&](const LogPeer& peer) {
    log_.resend_all(context, peer, program_.stamp(), program_.control_bytes());
  });
}

/// What nobody had depended on gets new tickets, in any order.
void Pessimistic::end_replay(RecoveryContext& context) {
  replay_.end(context, program_.gate(),
              [&](const Message& message) { return take(context, message); });
  try_recovered(context);
}

void Pessimistic::on_committed(RecoveryContext& context) {
  if (!program_.may_repeat()) determinants_.count_senders(log_);
  log_.clear();
  repeats_.end(context, program_);
  determinants_.commit();
  for (const Message& message : std::exchange(waiting_, {}))
    if (message.from != kNobody) context.discard(message);
  stored_ahead_.clear();
}

// ---- seen from outside ------------------------------------------------------------------------

void Pessimistic::report(MetricTotals& totals) const {
  const double iterations = program_.report(totals);
  time_.report(totals, iterations);
  report_determinants(totals, iterations,
                      {.generated = program_.deliveries_before() + deliveries(),
                       .piggybacked = 0,
                       .remote_messages = remote_messages_});
}

std::string Pessimistic::waiting_for() const {
  std::string what = program_.waiting_for();
  if (what.empty() && determinants_.own.must_replay())
    what = "the message with ticket " + std::to_string(determinants_.own.tickets() + 1);
  if (what.empty() && !waiting_.empty())
    what = "rank " + std::to_string(logger_) + " to store a determinant";
  return what;
}

}  // namespace faultline::message_logging
