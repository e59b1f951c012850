// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/causal.hpp"

namespace faultline::message_logging {

namespace {

OptionSet<CausalOptions> options() {
  OptionSet<CausalOptions> set;
  add_logging_options(set);
  add_interval_option(set);
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

Causal::Causal(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
    : ProgramLayer(*options, job, self, Survivors::go_on),
      log_(self),
      determinants_(*options, self, Determinants::Sends::again),
      time_(*options),
      piggyback_s_(options->piggyback_s),
      sends_companions_(options->transport == "companion") {}

// ---- forward path -----------------------------------------------------------------------------

void Causal::on_sends(RecoveryContext& context, std::span<Message* const> batch, bool) {
  shared_.emplace();
  program_.on_sends(context, batch, *this);
  shared_.reset();
}

/// A message to another rank is logged. Before it goes what its receiver must store.
void Causal::stamp(RecoveryContext& context, Message& message) {
  time_.bookkeep(context);
  LoggingStamp stamp = program_.stamp();
  stamp.id = log_.identity_of(message);
  if (message.to != self_) {
    const bool is_first = repeats_.count(log_.add(context, message, 0));
    if (is_first) ++remote_messages_;
    time_.log(context, message);
    stamp.level = send_determinants(context, message, is_first);
  }
  message.logging.put(stamp);
}

/// All that nobody is known to store. Companions can be overtaken. So the message says which
/// tickets must be there before it is delivered.
std::uint32_t Causal::send_determinants(RecoveryContext& context, Message& message, bool is_first) {
  const std::uint64_t count = determinants_.own.unstored_count();
  if (count == 0) return 0;
  if (is_first) piggybacked_ += count;
  time_.spend(context, CostFactor::piggybacking, piggyback_s_ * static_cast<double>(count));
  if (sends_companions_) return send_companion(context, message.to);
  message.add_bytes(determinants_.bytes_of(count));
  determinants_.attach(message.attachments, determinants_.own.unstored(), program_.epoch());
  return 0;
}

std::uint32_t Causal::send_companion(RecoveryContext& context, Rank to) {
  const OwnDeliveries& own = determinants_.own;
  if (own.unstored_count() == 0) return 0;
  if (shared_ && shared_->empty()) *shared_ = unstored();
  determinants_.send(context, to, own.unstored_count(), shared_ ? *shared_ : unstored());
  return static_cast<std::uint32_t>(own.tickets());
}

Admission Causal::admit(RecoveryContext& context, Message& message) {
  if (const auto turned_away = program_.turn_away(context, message)) return *turned_away;
  if (must_wait(message)) return Admission::hold;
  time_.bookkeep(context);
  determinants_.store(context, message, program_.epoch());
  if (message.from != self_ && determinants_.is_duplicate(message, program_.may_repeat()))
    return Admission::discard;
  if (!determinants_.own.must_replay()) return take(context, message);
  if (!replay_.add(delivery_of(message), message)) return Admission::discard;
  replay(context);
  return Admission::kept;
}

bool Causal::must_wait(const Message& message) {
  const std::uint64_t needed = message.logging.get<LoggingStamp>().level;
  return needed > 0 && message.from != self_ &&
         determinants_.others.last_of(message.from) < needed &&
         !determinants_.is_duplicate(message, program_.may_repeat());
}

/// A message that is new, and not one to be replayed.
Admission Causal::take(RecoveryContext& context, const Message& message) {
  if (program_.may_repeat()) log_.count_taken_in(context, message.from);
  determinants_.give_ticket(context, delivery_of(message), time_);
  if (program_.gate().counts()) program_.count_received(context);
  return Admission::deliver;
}

// ---- below a termination detector -------------------------------------------------------------

/// What a termination detector sends can depend on whether a message comes before the end of a
/// computation, at which its rank becomes idle, or after that.
Passage Causal::on_local_event(RecoveryContext& context, const LocalEvent& event) {
  program_.begin(context, *this);
  if (program_.gate().holds_local_events()) return Passage::hold;
  const Delivery delivery = delivery_of(event);
  if (!determinants_.own.must_replay()) {
    determinants_.give_ticket(context, delivery, time_);
    return Passage::deliver;
  }
  if (determinants_.own.next() != delivery) return Passage::hold;
  leave_out_next(context);
  return Passage::deliver;
}

std::optional<LocalEvent> Causal::next_event() const {
  if (!program_.gate().is_open() || !determinants_.own.must_replay()) return std::nullopt;
  return local_event_of(determinants_.own.next());
}

/// It was left out at this ticket before, too: what was delivered until now is the same.
void Causal::leave_out_next(RecoveryContext& context) {
  determinants_.own.replayed();
  if (!determinants_.own.must_replay()) end_replay(context);
  ProgramGate::hand_up_later(context);
}

void Causal::on_own_message(RecoveryContext& context, const Message& message) {
  switch (message.kind) {
    case LogMessage::log_end:
      repeats_.log_ended(context, message.from, message.payload.get<LogEnd>().received, log_);
      return try_recovered(context);
    case DeterminantMessage::determinants:
      determinants_.store(context, message, program_.epoch());
      return program_.gate().release_held(context, *this);
    default: {
      const auto words = message.payload.get<StoredWords>();
      if (words.epoch == program_.epoch()) determinants_.own.acknowledged(message.from, words.last);
    }
  }
}

// ---- recovery ---------------------------------------------------------------------------------

/// Beside the determinants of the restarted rank, it needs those again that it has stored.
void Causal::on_joined(RecoveryContext& context, Rank root, RestartReport& report) {
  if (!program_.may_repeat()) determinants_.count_senders(log_);
  repeats_.join(context, root, program_, determinants_.own.must_replay(), log_, report);
  determinants_.report_to(root, report);
}

void Causal::on_reports(RecoveryContext& context, const RestartReport& reports) {
  repeats_.await_logs(reports.partners, program_.wave());
  for (const Determinant& known : Determinants::in_order(reports.determinants)) {
    if (known.receiver != self_)
      determinants_.others.keep(known);
    else if (!determinants_.own.learn(known))
      return context.fatal("determinants have died with several ranks");
  }
  determinants_.own.begin_life(context.incarnation());
}

/// What is sent again depends on determinants, too, and the companion that went before it has died
/// with its receiver.
void Causal::on_agreed(RecoveryContext& context) {
  log_.serve_restarted(program_.wave(), [&](const LogPeer& peer) {
    const std::uint32_t needed = peer.sent > 0 ? send_companion(context, peer.rank) : 0;
    log_.resend_all(context, peer, program_.stamp(needed), program_.control_bytes());
  });
}

/// Delivers what has come, in the order of tickets.
void Causal::replay(RecoveryContext& context) {
  if (program_.gate().hands_up_singly()) return ProgramGate::hand_up_later(context);
  while (hand_up_next(context)) {
  }
}

bool Causal::hand_up_next(RecoveryContext& context) {
  if (!replay_.hand_up_next(context, program_, log_, determinants_.own)) return false;
  if (!determinants_.own.must_replay()) end_replay(context);
  return true;
}

/// What nobody had depended on is delivered in any order.
void Causal::end_replay(RecoveryContext& context) {
  replay_.end(context, program_.gate(),
              [&](const Message& message) { return take(context, message); });
  try_recovered(context);
}

void Causal::on_committed(RecoveryContext& context) {
  if (!program_.may_repeat()) determinants_.count_senders(log_);
  log_.clear();
  repeats_.end(context, program_);
  determinants_.commit();
}

// ---- seen from outside ------------------------------------------------------------------------

void Causal::report(MetricTotals& totals) const {
  const double iterations = program_.report(totals);
  time_.report(totals, iterations);
  report_determinants(totals, iterations,
                      {.generated = program_.deliveries_before() + deliveries(),
                       .piggybacked = piggybacked_,
                       .remote_messages = remote_messages_});
}

std::string Causal::waiting_for() const {
  std::string what = program_.waiting_for();
  if (what.empty() && determinants_.own.must_replay())
    what = "the message with ticket " + std::to_string(determinants_.own.tickets() + 1);
  return what;
}

}  // namespace faultline::message_logging
