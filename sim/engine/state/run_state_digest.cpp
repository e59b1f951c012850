// SPDX-License-Identifier: Apache-2.0

// What two states of a run must have in common to have the same future. Times are left out: whoever
// compares states lets time stand still.

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "sim/engine/state/run_state.hpp"

namespace faultline::engine {

namespace {

template <class Entries, class Key>
Entries sorted(Entries entries, Key key) {
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return entries;
}

/// Whether a message is refused depends on when it was sent, also if it waits at its receiver.
void add_message(const Message& message, const RunState& state, Digest& into) {
  into.add(message, state.is_refused(message));
}

void add_messages(const std::vector<Message*>& messages, const RunState& state, Digest& into) {
  into.add(messages.size());
  for (const Message* message : messages) add_message(*message, state, into);
}

void add_inbox(const ActorState& actor, const RunState& state, Digest& into) {
  for (const Message* message = actor.inbox_head; message != nullptr; message = message->next) {
    into.add(true);
    add_message(*message, state, into);
  }
  into.add(false);
}

/// The numbers of deaths depend on the path that led to the state.
void add_heard(const ActorState& actor, const DeathList& deaths, Digest& into) {
  std::vector<Incarnation> heard_of;
  for (const std::uint32_t number : actor.heard()) heard_of.push_back(deaths[number].dead);
  into.add_sorted(heard_of);
}

void add_timer(const ArmedTimer& timer, Digest& into) {
  into.add(EventKind::timer, timer.family, timer.background, timer.held, timer.key);
}

/// A notice or a soft error that waits for the processor. The number of a death depends on the path
/// that led to the state.
void add_told(const Due& told, const DeathList& deaths, Digest& into) {
  const auto* notice = std::get_if<Notice>(&told.what);
  into.add(notice == nullptr ? EventKind::fault : notice->kind);
  if (notice != nullptr) into.add(deaths[notice->death].dead);
}

/// What the event of a timer or of a computation will do.
void add_content(const Event& event, const RareState& rare, const DeathList& deaths, Digest& into) {
  const std::uint32_t serial = event.at.detail;
  if (const ArmedTimer* timer = rare.timer(serial)) add_timer(*timer, into);
  if (const Due* told = rare.told(serial)) add_told(*told, deaths, into);
  if (const Computation* running = rare.computation(serial))
    into.add(running->family, running->tag);
}

/// The numbers of timers depend on the path, too.
void add_due(const RareState& rare, const DeathList& deaths, Digest& into) {
  for (const Due& due : rare.due) {
    const ArmedTimer* timer = due.is_of_timer() ? rare.timer(due.serial) : nullptr;
    if (due.is_of_timer() && timer == nullptr) continue;  // cancelled
    into.add(true);
    if (timer != nullptr)
      add_timer(*timer, into);
    else
      add_told(due, deaths, into);
  }
  into.add(false);
}

void add_rare_state(const RareState& rare, const RunState& state, Digest& into) {
  const DeathList& deaths = state.membership.deaths();
  into.add(rare.timers.size(), rare.running.size(), rare.queued.size(), rare.flushing.size());
  for (const ArmedTimer& timer :
       sorted(rare.timers, [](const ArmedTimer& one) { return std::tuple(one.family, one.key); }))
    add_timer(timer, into);
  add_due(rare, deaths, into);
  for (const Computation& running :
       sorted(rare.running, [](const Computation& c) { return std::tuple(c.family, c.tag); }))
    into.add(running.family, running.tag, running.held);
  for (const Computation& queued : rare.queued) into.add(queued.family, queued.tag);
  for (const Flush& flush :
       sorted(rare.flushing, [](const Flush& f) { return std::tuple(f.peer, f.family); }))
    into.add(flush.peer, flush.family);
  into.add(rare.links, rare.linked_by);
  into.add(rare.refused);
  // Whether the first of what is due has an event is known from what is scheduled, but a step that
  // looks at this actor alone asks for it here.
  into.add(rare.restarted, rare.awaits_start, rare.awaits_processor);
  add_messages(rare.early, state, into);
  add_messages(rare.fenced, state, into);
}

/// An actor that has ever had rare state keeps it, empty, for good. That is no part of the state,
/// nor is what stands in it beside these: derived from them, from the inbox or from what is
/// scheduled.
bool says_nothing(const RareState& rare) {
  return rare.timers.empty() && rare.times_told() == 0 && rare.running.empty() &&
         rare.queued.empty() && rare.flushing.empty() && rare.links.empty() &&
         rare.linked_by.empty() && rare.refused.empty() && rare.restarted.empty() &&
         rare.early.empty() && rare.fenced.empty() && !rare.awaits_start;
}

/// Adds the messages that an actor holds; it has a lower stack only because of the deaths that it
/// has heard of.
void add_held(const ActorState& actor, Digest& into) {
  static const std::array<std::int32_t, kFamilies> nothing{};
  const auto& held = actor.lower ? actor.lower->held : nothing;
  into.add(held != nothing);
  if (held != nothing) into.add(held);
}

/// Adds only what the judgement of a dead actor's work depends on.
void add_dead(const ActorState& actor, const RunJob& job, Digest& into) {
  const Registration* workload = job.spec.component(Family::workload).registration;
  const bool is_judged = workload != nullptr && !workload->as<WorkloadTraits>().end_checks.empty();
  into.add(actor.incarnation, actor.phase, is_judged && actor.workload);
  if (is_judged && actor.workload) into.add(*actor.workload);
}

void add_actor(const ActorState& actor, const RunState& state, const RunJob& job, Digest& into) {
  into.add(actor.alive);
  if (!actor.alive) return add_dead(actor, job, into);
  into.add(actor.incarnation, actor.phase, actor.active, actor.declared_work, actor.announced,
           actor.finished, actor.wake_pending);
  for (const StackPlace& place : kStack) {
    const Component* component = actor.component(place.family);
    into.add(component != nullptr);
    if (component != nullptr) into.add(*component);
  }
  add_held(actor, into);
  add_inbox(actor, state, into);
  static const RareState none;
  const bool has_more =
      (actor.rare_state && !says_nothing(*actor.rare_state)) || !actor.heard().empty();
  into.add(has_more);
  if (!has_more) return;
  add_heard(actor, state.membership.deaths(), into);
  add_rare_state(actor.rare_state ? *actor.rare_state : none, state, into);
}

/// Does it hold messages of the workload, or have some arrived that it has not handled? Under
/// progress = between it finds what has come while it computed only after it has become idle.
bool holds_work(const ActorState& actor) {
  const auto is_work = [](const Message* message) { return message->channel == Family::workload; };
  for (const Message* message = actor.inbox_head; message != nullptr; message = message->next)
    if (is_work(message)) return true;
  return actor.held() > 0 ||
         (actor.rare_state && std::ranges::any_of(actor.rare_state->early, is_work));
}

}  // namespace

Lane lane_of(const Event& event, const RunState& state) {
  const EventKind kind = event.kind();
  if (kind == EventKind::arrive && state.network.is_fifo())
    return {kind, event.message->from, event.message->to};
  if (kind == EventKind::sent) return {kind, event.at.actor, 0};
  if (kind == EventKind::nic_ready)
    return {kind, state.placement.node_of(event.message->from),
            static_cast<ActorId>(event.message->channel == Family::message_logging)};
  return {kind, kNobody, kNobody};
}

/// An event is what it will do. Its number in some list depends on the path that led to it.
StateDigest RunState::content_of(const Event& event) const {
  Digest into;
  into.add(event.kind());
  if (event.is_about_message()) {
    add_message(*event.message, *this, into);
    return into.value();
  }
  switch (room_of(event.kind())) {
    case Room::network:
      network.add_content(event, into);
      break;
    case Room::membership:
      membership.add_content(event, into);
      break;
    case Room::processors:
      into.add(event.at.actor);
      if (const RareState* rare = actors[event.at.actor].rare_state.get())
        add_content(event, *rare, membership.deaths(), into);
      break;
    case Room::inbox:
      into.add(event.at.actor);
      break;
    case Room::engine:
      into.add(event.at.actor, event.at.detail);
      break;
  }
  return into.value();
}

/// Adds the actors that have been started again while the one that had asked for it is gone: the
/// next one that asks is told.
void RunState::add_unanswered(Digest& into) const {
  const auto is_gone = [this](Incarnation life) {
    return !actors[life.actor].lives_as(life.number);
  };
  std::vector<Incarnation> unanswered;
  for (const PendingRestart& pending : membership.restarts()) {
    const bool has_started = pending.dead.actor != kNobody &&
                             actors[pending.dead.actor].incarnation != pending.dead.number;
    if (has_started && is_gone(pending.asker)) unanswered.push_back(pending.dead);
  }
  std::sort(unanswered.begin(), unanswered.end());
  into.add(unanswered);
}

/// Adds the restarts that wait for a death, and the actors that are declared dead and will be
/// ended.
void RunState::add_awaited_deaths(Digest& into) const {
  std::vector<const PendingRestart*> waiting;
  for (const std::uint32_t number : membership.waiting())
    waiting.push_back(&membership.restarts()[number]);
  std::sort(waiting.begin(), waiting.end(),
            [](const PendingRestart* a, const PendingRestart* b) { return a->dead < b->dead; });
  into.add(waiting.size());
  for (const PendingRestart* one : waiting)
    into.add(one->dead, one->where, one->asker, one->others);
  membership.fences().digest(
      into, [this](Incarnation life) { return actors[life.actor].lives_as(life.number); });
}

/// What belongs to no actor, and what a step may ask of all actors together.
StateDigest RunState::common_part(const RunJob& job) const {
  Digest into;
  into.add(network);
  into.add(roll.any_restart());
  if (roll.any_restart()) {
    for (ActorId actor = 0; actor < actors.size(); ++actor) into.add(placement.node_of(actor));
    into.add(
        tally.reported[index_of(Family::workload)]);  // of incarnations that have been replaced
    add_unanswered(into);
  }
  into.add(membership.deaths());
  if (roll.any_refusal() || !membership.waiting().empty()) add_awaited_deaths(into);
  for (const auto& [actor, components] : membership.unreported()) {
    into.add(actor);
    for (const auto& component : components) {
      into.add(static_cast<bool>(component));
      if (component) into.add(*component);
    }
  }
  into.add(storage, membership.unreported().size(), ending, truth.auditor(), membership.faults());
  truth.add_ledgers(into);
  if (membership.faults().next_event() != UINT64_MAX) into.add(schedule.events());
  into.add(roll, truth.audits_conserved());
  for (ActorId actor = 0; actor < job.shape.processes; ++actor) into.add(actors[actor].phase);
  return into.value();
}

bool RunState::is_local(const RunJob& job) const {
  const auto is_odd = [](const ActorState& actor) {
    return actor.held() < 0 || (actor.rare_state && !actor.rare_state->fenced.empty());
  };
  return !roll.any_restart() && membership.restarts().empty() && !roll.any_refusal() &&
         schedule.background() == 0 &&
         job.spec.component(Family::message_logging).registration == nullptr &&
         std::none_of(actors.begin(), actors.end(), is_odd);
}

ScheduledPart RunState::part_of(const Event& event) const {
  ScheduledPart part{.content = content_of(event),
                     .order = event.order,
                     .lane = lane_of(event, *this),
                     .kind = event.kind(),
                     .actor = kNobody};
  if (event.is_about_message()) {
    part.actor = event.message->to;
    part.from = event.message->from;
    part.is_application = event.message->channel == Family::workload;
    if (event.kind() == EventKind::arrive) part.message = event.message;
  } else {
    part.actor = event.at.actor;
  }
  return part;
}

StateParts RunState::parts(const RunJob& job) const {
  StateParts parts;
  parts.actors.reserve(actors.size());
  for (const ActorState& actor : actors) {
    Digest into;
    add_actor(actor, *this, job, into);
    if (const std::size_t self = parts.actors.size(); self < histories.size())
      into.add(histories[self].high, histories[self].low);
    parts.actors.push_back({into.value(), actor.alive, actor.active, holds_work(actor)});
  }
  parts.common = common_part(job);
  parts.ended = ending.has_ended() || !truth.violations().empty();
  parts.is_local = is_local(job);
  parts.scheduled.reserve(schedule.queue().size());
  schedule.queue().for_each([&](const Event& event) { parts.scheduled.push_back(part_of(event)); });
  std::sort(parts.scheduled.begin(), parts.scheduled.end(),
            [](const ScheduledPart& a, const ScheduledPart& b) { return a.order < b.order; });
  return parts;
}

StateDigest RunState::digest(const RunJob& job) const { return parts(job).digest(); }

StateDigest StateParts::digest() const {
  DigestSum sum;
  for (std::size_t actor = 0; actor < actors.size(); ++actor)
    sum.add(DigestSum::term_of_actor(actors[actor].content, actor));
  sum.add(DigestSum::term_of_common(common));
  for (auto part = scheduled.begin(); part != scheduled.end(); ++part) {
    const auto is_before = [&](const ScheduledPart& other) { return other.lane == part->lane; };
    const auto before = part->lane.orders() ? std::count_if(scheduled.begin(), part, is_before) : 0;
    sum.add(DigestSum::term_of_scheduled(part->content, static_cast<std::uint64_t>(before)));
  }
  return sum.value();
}

}  // namespace faultline::engine
