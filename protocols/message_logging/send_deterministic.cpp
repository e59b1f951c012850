// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/send_deterministic.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

namespace {

const Registered registered{registration<SendDeterministic>(
    {.family = Family::message_logging,
     .name = "send-deterministic",
     .summary = "messages are logged at their senders, without their order, and replayed phase by "
                "phase",
     .source = "Guermouche, Ropars, Brunet, Snir, Cappello, IPDPS 2011; "
               "fast-message-logging sections 2 and 6",
     .traits = {.needs_fifo = true,
                .tolerates_faults = true,
                .needs_detection = true,
                .takes_images = true,
                .needs_order_free = true,
                .recovers_singly = true},
     .message_kinds = logging_kinds({"phases", "replay-phase"}),
     .metrics = logging_metrics(),
     .marks = checkpoint_marks()},
    [] {
      OptionSet<MessageLogOptions> set;
      add_logging_options(set);
      return set;
    }())};

}  // namespace

// ---- forward path -----------------------------------------------------------------------------

/// During a replay, what has a later phase than the one in turn waits.
bool SendDeterministic::must_wait(Context&, const Message& message) {
  if (!replays_ || message.from == self()) return false;
  const auto stamp = message.logging.get<LoggingStamp>();
  return (awaited_ == 0 || stamp.level > replayed_) &&
         !come_[channel_of(message)].contains(stamp.id);
}

CheckpointedLayer::Verdict SendDeterministic::admit_current(Context& context, Message& message) {
  const auto stamp = message.logging.get<LoggingStamp>();
  if (message.from == self()) return take(context, message);
  if (come_[channel_of(message)].contains(stamp.id)) return Verdict::discard;
  if (!replays_) return take(context, message);
  const auto log = logs_.find(message.from);
  const bool was_awaited =
      stamp.level == replayed_ && log != logs_.end() && log->second.contains(message);
  take(context, message);
  hand_up(context, message);
  if (was_awaited && --awaited_ == 0) try_replay(context);
  return Verdict::kept;
}

CheckpointedLayer::Verdict SendDeterministic::take(Context& context, Message& message) {
  const auto stamp = message.logging.get<LoggingStamp>();
  if (message.from != self()) {
    come_[channel_of(message)].insert(stamp.id);
    ++peer(context, message.from).taken_in;
    phase_ = std::max(phase_, stamp.level + 1);
  }
  return Verdict::deliver;
}

void SendDeterministic::fetch_ahead(const Message& message, Ahead what) const {
  LoggedLayer::fetch_ahead(message, what);
  come_.fetch_ahead(channel_of(message), what);
}

void SendDeterministic::on_committed(Context& context) {
  LoggedLayer::on_committed(context);
  come_.reset();
  phase_ = 0;
}

// ---- recovery ---------------------------------------------------------------------------------

/// The other messages of a phase were sent later.
bool SendDeterministic::LogContent::contains(const Message& message) const {
  const auto found = last.find(channel_of(message));
  return found != last.end() && message.logging.get<LoggingStamp>().id <= found->second;
}

/// A rank that has restarted is told what there is, and asks for one phase after the other.
void SendDeterministic::serve(Context& context, Peer& to) {
  LogContent content{to.taken_in, {}, {}};
  for_each_logged(to, [&](const Message& logged, std::uint64_t number, std::uint32_t phase) {
    content.last[channel_of(logged)] = number;
    ++content.phases[phase];
  });
  constexpr std::size_t kBytesOfPhase = 8;
  constexpr std::size_t kBytesOfChannel = 12;
  const std::uint64_t bytes =
      kBytesOfPhase * content.phases.size() + kBytesOfChannel * content.last.size();
  Message& told = context.send(to.rank, kPhases, control_bytes() + bytes);
  context.attach(told, std::move(content));
}

void SendDeterministic::on_reports(Context& context, const RestartReport& reports) {
  LoggedLayer::on_reports(context, reports);
  replays_ = true;
}

void SendDeterministic::on_log_message(Context& context, const Message& message) {
  if (message.kind == kReplayPhase) {
    const auto phase = static_cast<std::uint32_t>(message.payload.get<std::uint64_t>());
    const Peer& to = peer(context, message.from);
    for_each_logged(to, [&](const Message& logged, std::uint64_t number, std::uint32_t its_phase) {
      if (its_phase == phase) resend(context, logged, number, phase);
    });
    return;
  }
  if (!replays_) return;
  const auto* content = context.attached<LogContent>(message);
  logs_[message.from] = *content;
  has_log_of(context, message.from, content->received);
  if (is_up()) try_replay(context);
}

/// At the start of the program there are no logs.
void SendDeterministic::on_up(Context& context) {
  if (epoch() == 0) try_replay(context);
}

void SendDeterministic::on_resumed(Context& context) {
  if (replays_) try_replay(context);
  LoggedLayer::on_resumed(context);
}

/// All logs are known, and no message of a phase is missing: the next one begins.
void SendDeterministic::try_replay(Context& context) {
  if (logs_.size() < partners() || awaited_ > 0) return;
  std::uint32_t next = UINT32_MAX;
  for (const auto& [rank, log] : logs_)
    if (!log.phases.empty()) next = std::min(next, log.phases.begin()->first);
  if (next != UINT32_MAX) return begin_phase(context, next);
  replays_ = false;
  logs_.clear();
  release_held(context);
  try_recovered(context);
}

void SendDeterministic::begin_phase(Context& context, std::uint32_t phase) {
  replayed_ = phase;
  for (auto& [rank, log] : logs_) {
    const auto found = log.phases.find(phase);
    if (found == log.phases.end()) continue;
    awaited_ += found->second;
    log.phases.erase(found);
    context.send(rank, kReplayPhase, control_bytes()).payload.put(std::uint64_t{phase});
  }
  release_held(context);
}

// ---- seen from outside ------------------------------------------------------------------------

std::string SendDeterministic::waiting_for() const {
  std::string what = LoggedLayer::waiting_for();
  if (what.empty() && replays_) what = "the messages of phase " + std::to_string(replayed_);
  return what;
}

void SendDeterministic::digest_state(Digest& into) const {
  LoggedLayer::digest_state(into);
  into.add(come_, phase_, replays_, logs_, replayed_, awaited_);
}

}  // namespace faultline
