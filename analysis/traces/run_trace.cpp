// SPDX-License-Identifier: Apache-2.0
#include "analysis/traces/run_trace.hpp"

#include <algorithm>

namespace faultline::traces {

const char* fate_words(Fate fate) {
  switch (fate) {
    case Fate::handled:
      return "";
    case Fate::receiver_died:
      return "the receiver is dead";
    case Fate::receiver_restarted:
      return "the receiver has restarted";
    case Fate::sender_died:
      return "the sender died before it was sent";
    case Fate::lost_in_network:
      return "lost in the network";
    case Fate::refused:
      return "refused, because the receiver believes the sender dead";
    case Fate::stale:
      return "of a phase that is over";
    case Fate::under_way:
      return "on its way when the run ended";
  }
  return "";
}

std::string actor_name(const RunTrace& trace, ActorId actor) {
  if (!trace.is_daemon(actor)) return "process " + std::to_string(actor);
  return "daemon of node " + std::to_string(actor - trace.processes);
}

MomentWords words_of(const RunTrace& trace, const TracedMoment& moment) {
  const std::string value = std::to_string(moment.value);
  switch (moment.kind) {
    case audit::Sight::Kind::announced:
      return {"announcement", "hears that phase " + value + " is over"};
    case audit::Sight::Kind::phase_began:
      return {"announcement", "begins phase " + value};
    case audit::Sight::Kind::finished:
      return {"announcement", "has finished"};
    case audit::Sight::Kind::gave_up:
      return {"failure", "gives up: " + std::string(moment.text)};
    case audit::Sight::Kind::died:
      return {"failure", "dies"};
    case audit::Sight::Kind::restarted:
      return {"failure", "restarts on node " + value};
    case audit::Sight::Kind::declared_dead:
      return {"failure", "hears that " + actor_name(trace, moment.peer) + " is dead"};
    case audit::Sight::Kind::taken_back:
      return {"failure", "hears that " + actor_name(trace, moment.peer) + " lives"};
    case audit::Sight::Kind::restored:
      return {"failure", "is put back by an image, into phase " + value};
    default:
      return {"mark", std::string(moment.text) + " " +
                          std::to_string(static_cast<std::int64_t>(moment.value))};
  }
}

std::string kind_name(const scenario::RunSpec& spec, Family family, std::uint16_t kind) {
  const Registration* registration = spec.component(family).registration;
  if (registration == nullptr || kind >= registration->message_kinds.size())
    return "kind " + std::to_string(kind);
  return registration->message_kinds[kind];
}

std::vector<std::string> kind_names(const scenario::RunSpec& spec) {
  std::set<std::string> names;
  for (const scenario::ComponentChoice& choice : spec.components)
    if (choice.registration != nullptr)
      names.insert(choice.registration->message_kinds.begin(),
                   choice.registration->message_kinds.end());
  return {names.begin(), names.end()};
}

MessageKinds kinds_named(const scenario::RunSpec& spec, const std::vector<std::string>& names) {
  MessageKinds kinds;
  for (const StackPlace& place : kStack) {
    const Registration* registration = spec.component(place.family).registration;
    if (registration == nullptr) continue;
    const auto& declared = registration->message_kinds;
    for (std::size_t kind = 0; kind < declared.size(); ++kind)
      if (std::find(names.begin(), names.end(), declared[kind]) != names.end())
        kinds.emplace(place.family, static_cast<std::uint16_t>(kind));
  }
  return kinds;
}

const char* message_group(Family family) {
  if (family == Family::workload) return "application";
  return family == Family::failure_detection ? "detection" : "control";
}

void TraceRecorder::see(const audit::Sight& sight) {
  ++order_;
  switch (sight.kind) {
    case audit::Sight::Kind::placed:
      return placed(sight);
    case audit::Sight::Kind::sent:
      return sent(sight);
    case audit::Sight::Kind::injected:
      return injected(sight);
    case audit::Sight::Kind::sending:
      return sending(sight);
    case audit::Sight::Kind::received:
      return received(sight);
    case audit::Sight::Kind::lost:
      return lost(sight);
    case audit::Sight::Kind::compute_began:
      return compute_began(sight);
    case audit::Sight::Kind::compute_ended:
      return compute_ended(sight);
    case audit::Sight::Kind::active:
      actors_[sight.actor].active = open(TracedSpan::Kind::active, sight.actor, sight.time_s);
      return;
    case audit::Sight::Kind::idle:
      return close(actors_[sight.actor].active, sight.time_s);
    case audit::Sight::Kind::died:
      died(sight);
      break;
    case audit::Sight::Kind::restarted:
      restarted(sight);
      break;
    case audit::Sight::Kind::reported:  // `declared_dead` follows if the report is news
      return;
    case audit::Sight::Kind::restored:
    case audit::Sight::Kind::phase_began:
      actors_[sight.actor].phase = static_cast<std::uint32_t>(sight.value);
      break;
    case audit::Sight::Kind::announced:
    case audit::Sight::Kind::finished:
    case audit::Sight::Kind::gave_up:
    case audit::Sight::Kind::mark:
    case audit::Sight::Kind::declared_dead:
    case audit::Sight::Kind::taken_back:
      break;
  }
  trace_.moments.push_back(
      {sight.kind, sight.time_s, sight.actor, sight.peer, sight.value, sight.text, order_});
}

void TraceRecorder::placed(const audit::Sight& sight) {
  trace_.node_of.push_back(static_cast<NodeId>(sight.value));
  actors_.emplace_back();
}

// ---- messages ---------------------------------------------------------------------------------

void TraceRecorder::sent(const audit::Sight& sight) {
  const Message& message = *sight.message;
  if (left_out_.count({message.channel, message.kind}) > 0) {
    ++actors_[message.from].unseen;
    return;
  }
  under_way_[sight.message] = trace_.messages.size();
  trace_.messages.push_back({.from = message.from,
                             .to = message.to,
                             .family = message.channel,
                             .kind = static_cast<std::uint16_t>(message.kind),
                             .bytes = message.bytes,
                             .phase = message.phase,
                             .from_object = message.from_object,
                             .to_object = message.to_object,
                             .begin_s = sight.time_s,
                             .inject_s = sight.until_s,
                             .begin_order = order_});
}

void TraceRecorder::injected(const audit::Sight& sight) {
  const auto found = under_way_.find(sight.message);
  if (found != under_way_.end()) trace_.messages[found->second].inject_s = sight.time_s;
}

void TraceRecorder::received(const audit::Sight& sight) {
  const auto found = under_way_.find(sight.message);
  if (found == under_way_.end()) return;
  TracedMessage& message = trace_.messages[found->second];
  message.fate = Fate::handled;
  message.end_s = sight.until_s;
  message.end_order = order_;
  // Otherwise, because of rounding, the processor might do two things at once.
  Actor& actor = actors_[sight.actor];
  const double free_s = actor.handling == kNone ? 0.0 : trace_.spans[actor.handling].end_s;
  actor.handling = open(TracedSpan::Kind::handling, sight.actor, std::max(free_s, sight.time_s));
  trace_.spans.back().end_s = sight.until_s;
  trace_.spans.back().received = static_cast<std::uint32_t>(found->second);
  under_way_.erase(found);
}

/// A handler's messages are sent right after the message that it handles, so both become one span.
void TraceRecorder::sending(const audit::Sight& sight) {
  Actor& actor = actors_[sight.actor];
  const std::uint64_t unseen = std::min(actor.unseen, sight.value);
  actor.unseen -= unseen;
  if (unseen > 0 && unseen == sight.value) return;
  const bool goes_on = actor.handling != kNone && trace_.spans[actor.handling].sends == 0 &&
                       trace_.spans[actor.handling].end_s == sight.time_s;
  if (!goes_on) actor.handling = open(TracedSpan::Kind::handling, sight.actor, sight.time_s);
  trace_.spans[actor.handling].end_s = sight.until_s;
  trace_.spans[actor.handling].sends = static_cast<std::uint32_t>(sight.value - unseen);
}

void TraceRecorder::lost(const audit::Sight& sight) {
  const auto found = under_way_.find(sight.message);
  if (found == under_way_.end()) return;
  TracedMessage& message = trace_.messages[found->second];
  if (message.fate == Fate::under_way) {
    message.fate = fate_of(*sight.message);
    message.begin_s = std::min(message.begin_s, sight.time_s);
    message.end_s = sight.time_s;
    message.end_order = order_;
  }
  under_way_.erase(found);
}

Fate TraceRecorder::fate_of(const Message& message) const {
  if (message.inject_s == kNever) return Fate::sender_died;  // it had not entered the network
  const Actor& receiver = actors_[message.to];
  if (receiver.dead != kNone) return Fate::receiver_died;
  if (receiver.incarnation != message.to_incarnation) return Fate::receiver_restarted;
  if ((message.flags & kLost) != 0) return Fate::lost_in_network;
  if (message.channel != Family::workload && message.phase < receiver.phase) return Fate::stale;
  return Fate::refused;
}

// ---- processors -------------------------------------------------------------------------------

std::size_t TraceRecorder::open(TracedSpan::Kind kind, ActorId actor, double time_s) {
  trace_.spans.push_back(
      {.kind = kind, .actor = actor, .begin_s = time_s, .end_s = kNever, .order = order_});
  return trace_.spans.size() - 1;
}

/// A span that would end before its beginning becomes empty.
void TraceRecorder::close(std::size_t& span, double time_s) {
  if (span == kNone) return;
  trace_.spans[span].end_s = std::max(trace_.spans[span].begin_s, time_s);
  span = kNone;
}

void TraceRecorder::compute_began(const audit::Sight& sight) {
  auto& cores = actors_[sight.actor].cores;
  auto free =
      std::find_if(cores.begin(), cores.end(), [](const Core& core) { return core.span == kNone; });
  if (free == cores.end()) free = cores.emplace(cores.end());
  free->serial = sight.value;
  free->span = open(TracedSpan::Kind::computing, sight.actor, sight.time_s);
  trace_.spans.back().core = static_cast<std::uint32_t>(free - cores.begin());
}

void TraceRecorder::compute_ended(const audit::Sight& sight) {
  for (Core& core : actors_[sight.actor].cores)
    if (core.span != kNone && core.serial == sight.value) close(core.span, sight.time_s);
}

// ---- deaths -----------------------------------------------------------------------------------

void TraceRecorder::died(const audit::Sight& sight) {
  Actor& actor = actors_[sight.actor];
  if (actor.handling != kNone) {
    TracedSpan& handling = trace_.spans[actor.handling];
    handling.end_s = std::max(handling.begin_s, std::min(handling.end_s, sight.time_s));
  }
  for (Core& core : actor.cores) close(core.span, sight.time_s);
  close(actor.active, sight.time_s);
  actor.handling = kNone;
  actor.dead = open(TracedSpan::Kind::dead, sight.actor, sight.time_s);
  for (const auto& entry : under_way_) {
    TracedMessage& message = trace_.messages[entry.second];
    if (message.from != sight.actor || message.inject_s <= sight.time_s) continue;
    message.fate = Fate::sender_died;
    message.begin_s = std::min(message.begin_s, sight.time_s);
    message.end_s = sight.time_s;
    message.end_order = order_;
  }
}

void TraceRecorder::restarted(const audit::Sight& sight) {
  close(actors_[sight.actor].dead, sight.time_s);
  actors_[sight.actor].phase = 0;
  ++actors_[sight.actor].incarnation;
}

RunTrace TraceRecorder::finish(engine::RunResult result) {
  const auto end = result.metrics.values().find("end_time_s");
  trace_.end_s = end == result.metrics.values().end() ? 0.0 : end->second.value_or(0.0);
  for (TracedSpan& span : trace_.spans)
    if (span.end_s == kNever) span.end_s = std::max(span.begin_s, trace_.end_s);
  for (TracedMessage& message : trace_.messages)
    if (message.fate == Fate::under_way) {
      message.end_s = std::max(message.begin_s, trace_.end_s);
      message.end_order = order_ + 1;
    }
  for (TracedMessage& message : trace_.messages)
    if (message.inject_s == kNever)
      message.inject_s = message.end_s;  // it was still waiting for a NIC
  trace_.result = std::move(result);
  return std::move(trace_);
}

}  // namespace faultline::traces
