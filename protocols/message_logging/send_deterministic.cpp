// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/send_deterministic.hpp"

#include <algorithm>
#include <utility>

namespace faultline::message_logging {

namespace {

const Registered registered{registration<SendDeterministic>(
    {.family = Family::message_logging,
     .name = "send-deterministic",
     .summary = "messages are logged at their senders, without their order, and replayed phase by "
                "phase",
     .source = "Guermouche, Ropars, Brunet, Snir, Cappello, IPDPS 2011; "
               "fast-message-logging sections 2 and 6",
     .traits = RecoveryTraits{.needs_fifo = true,
                              .needs_detection = true,
                              .takes_images = true,
                              .needs_order_free = true,
                              .recovers_singly = true},
     .message_kinds = logging_kinds({"phases", "replay-phase"}),
     .metrics = logging_metrics(),
     .marks = program_marks()},
    [] {
      OptionSet<MessageLogOptions> set;
      add_logging_options(set);
      return set;
    }())};

}  // namespace

SendDeterministic::SendDeterministic(const std::shared_ptr<const Options>& options,
                                     const JobShape& job, Rank self)
    : ProgramLayer(*options, job, self, Survivors::go_on), log_(self), time_(*options) {}

// ---- forward path -----------------------------------------------------------------------------

/// send m: m.phase = phase; log m
void SendDeterministic::stamp(RecoveryContext& context, Message& message) {
  time_.bookkeep(context);
  LoggingStamp stamp = program_.stamp();
  stamp.id = log_.identity_of(message);
  if (message.to != self_) {
    repeats_.count(log_.add(context, message, phase_));
    time_.log(context, message);
    stamp.level = phase_;
  }
  message.logging.put(stamp);
}

Admission SendDeterministic::admit(RecoveryContext& context, Message& message) {
  if (const auto turned_away = program_.turn_away(context, message)) return *turned_away;
  if (must_wait(message)) return Admission::hold;
  time_.bookkeep(context);
  if (message.from != self_) {
    if (!come_[channel_of(message)].insert(message.logging.get<LoggingStamp>().id))
      return Admission::discard;
    if (replays_) return replay(context, message);
    take(context, message);
  }
  if (program_.gate().counts()) program_.count_received(context);
  return Admission::deliver;
}

/// deliver m: phase = max(phase, m.phase + 1)
void SendDeterministic::take(RecoveryContext& context, const Message& message) {
  log_.count_taken_in(context, message.from);
  phase_ = std::max(phase_, message.logging.get<LoggingStamp>().level + 1);
}

void SendDeterministic::on_committed(RecoveryContext& context) {
  log_.clear();
  repeats_.end(context, program_);
  come_.reset();
  phase_ = 0;
}

// ---- recovery ---------------------------------------------------------------------------------

/// During a replay, what has a later phase than the one in turn waits.
bool SendDeterministic::must_wait(const Message& message) {
  if (!replays_ || message.from == self_) return false;
  const auto stamp = message.logging.get<LoggingStamp>();
  return (awaited_ == 0 || stamp.level > replayed_) &&
         !come_[channel_of(message)].contains(stamp.id);
}

/// The other messages of a phase were sent later.
bool SendDeterministic::LogContent::contains(const Message& message) const {
  const auto found = last.find(channel_of(message));
  return found != last.end() && message.logging.get<LoggingStamp>().id <= found->second;
}

Admission SendDeterministic::replay(RecoveryContext& context, const Message& message) {
  const auto log = logs_.find(message.from);
  const bool was_awaited = message.logging.get<LoggingStamp>().level == replayed_ &&
                           log != logs_.end() && log->second.contains(message);
  take(context, message);
  program_.hand_up(context, message);
  if (was_awaited && --awaited_ == 0) try_replay(context);
  return Admission::kept;
}

void SendDeterministic::on_joined(RecoveryContext& context, Rank root, RestartReport& report) {
  repeats_.join(context, root, program_, replays_, log_, report);
}

void SendDeterministic::on_reports(RecoveryContext&, const RestartReport& reports) {
  repeats_.await_logs(reports.partners, program_.wave());
  replays_ = true;
}

void SendDeterministic::on_agreed(RecoveryContext& context) {
  log_.serve_restarted(program_.wave(), [&](const LogPeer& peer) { tell_phases(context, peer); });
}

/// A rank that has restarted is told what there is, and asks for one phase after the other.
void SendDeterministic::tell_phases(RecoveryContext& context, const LogPeer& to) const {
  LogContent content{to.taken_in, {}, {}};
  log_.for_each_logged(to, [&](const Message& logged, std::uint64_t number, std::uint32_t phase) {
    content.last[channel_of(logged)] = number;
    ++content.phases[phase];
  });
  constexpr std::size_t kBytesOfPhase = 8;
  constexpr std::size_t kBytesOfChannel = 12;
  const std::uint64_t bytes =
      kBytesOfPhase * content.phases.size() + kBytesOfChannel * content.last.size();
  Message& told = context.send(to.rank, kPhases, program_.control_bytes() + bytes);
  context.attach(told, std::move(content));
}

void SendDeterministic::on_own_message(RecoveryContext& context, const Message& message) {
  if (message.kind == kPhases) return on_phases(context, message);
  if (message.kind == kReplayPhase)
    resend_phase(context, message.from,
                 static_cast<std::uint32_t>(message.payload.get<std::uint64_t>()));
}

void SendDeterministic::resend_phase(RecoveryContext& context, Rank to, std::uint32_t phase) {
  const LoggingStamp stamp = program_.stamp(phase);
  log_.for_each_logged(log_.peer(context, to),
                       [&](const Message& logged, std::uint64_t number, std::uint32_t its_phase) {
                         if (its_phase == phase) log_.resend(context, logged, number, stamp);
                       });
}

void SendDeterministic::on_phases(RecoveryContext& context, const Message& message) {
  if (!replays_) return;
  const auto* content = context.attached<LogContent>(message);
  logs_[message.from] = *content;
  repeats_.log_ended(context, message.from, content->received, log_);
  try_recovered(context);
  if (program_.is_up()) try_replay(context);
}

void SendDeterministic::on_resumed(RecoveryContext& context) {
  if (replays_) try_replay(context);
}

/// All logs are known, and no message of a phase is missing: the next one begins.
void SendDeterministic::try_replay(RecoveryContext& context) {
  if (logs_.size() < repeats_.partners() || awaited_ > 0) return;
  std::uint32_t next = UINT32_MAX;
  for (const auto& [rank, log] : logs_)
    if (!log.phases.empty()) next = std::min(next, log.phases.begin()->first);
  if (next != UINT32_MAX) return begin_phase(context, next);
  replays_ = false;
  logs_.clear();
  program_.gate().release_held(context, *this);
  try_recovered(context);
}

void SendDeterministic::begin_phase(RecoveryContext& context, std::uint32_t phase) {
  replayed_ = phase;
  for (auto& [rank, log] : logs_) {
    const auto found = log.phases.find(phase);
    if (found == log.phases.end()) continue;
    awaited_ += found->second;
    log.phases.erase(found);
    context.send(rank, kReplayPhase, program_.control_bytes()).payload.put(std::uint64_t{phase});
  }
  program_.gate().release_held(context, *this);
}

// ---- seen from outside ------------------------------------------------------------------------

void SendDeterministic::report(MetricTotals& totals) const {
  time_.report(totals, program_.report(totals));
}

std::string SendDeterministic::waiting_for() const {
  std::string what = program_.waiting_for();
  if (what.empty() && replays_) what = "the messages of phase " + std::to_string(replayed_);
  return what;
}

}  // namespace faultline::message_logging
