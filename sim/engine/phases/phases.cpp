// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/phases/phases.hpp"

#include <algorithm>
#include <vector>

#include "sim/core/invariant.hpp"

namespace faultline::engine {

void Phases::announce(ActorId self) {
  ActorState& actor = run_.state.actors[self];
  if (actor.announced) return;
  run_.state.roll.set_announced(actor, true);
  ending_.announced(run_.now_s());
  run_.state.truth.announced(
      self, actor.phase, run_.now_s(),
      {.is_active = [this](Rank rank) { return run_.state.actors[rank].active; },
       .only_doomed_go_on = [this] { return only_doomed_go_on(); }});
  run_.show_about(audit::Sight::Kind::announced, self);
  const std::uint32_t phase = actor.phase;
  turns_.turn_as<Workload>(
      self, Family::workload,
      [phase](Workload& workload, WorkloadContext& context) {
        workload.on_announced(context, phase);
      },
      true);
  turns_.carry_out_all();
  release_early(self);
  verdict_.check();
}

/// A message from or to a rank that was declared dead, and will be ended for that, leads to
/// nothing, as long as the living refuse it.
bool Phases::only_doomed_go_on() const {
  const audit::Auditor& auditor = run_.state.truth.auditor();
  const auto is_doomed = [&](Incarnation life) { return auditor.is_doomed(life); };
  std::int64_t active = auditor.active();
  std::int64_t in_flight = auditor.in_flight();
  for (Rank rank = 0; rank < run_.job.shape.processes; ++rank) {
    const ActorState& actor = run_.state.actors[rank];
    if (!actor.alive || !is_doomed(run_.incarnation_of(rank))) continue;
    active -= static_cast<std::int64_t>(actor.active);
    in_flight -= actor.held();
  }
  run_.state.pool.for_each_in_flight([&](const Message& message) {
    if (message.channel == Family::workload && (message.flags & kLost) == 0 &&
        (is_doomed({message.from, message.from_incarnation}) ||
         is_doomed(run_.incarnation_of(message.to))))
      --in_flight;
  });
  return active == 0 && in_flight == 0 && auditor.starting() == 0;
}

/// The detector of the new phase starts from its initial state. What the previous one has counted
/// stays part of the result. Initially, what all ranks hold and what they know to be issued add up
/// to zero, as at the start of the run. So the audit of a conserved quantity can leave both out,
/// although ranks enter the phase one by one. What the previous phase has left stays in the sum.
void Phases::start_phase(ActorId self) {
  ActorState& actor = run_.state.actors[self];
  run_.state.roll.set_announced(actor, false);
  invariant(actor.phase < kLastPhase, "a run has more phases than a message can name");
  ++actor.phase;
  run_.show_about(audit::Sight::Kind::phase_began, self);
  const std::size_t termination = index_of(Family::termination);
  if (!run_.job.factories[termination]) return release_early(self);
  tally_.report(actor.component(Family::termination), termination);
  Boxed<Component>& detector = actor.place_of(Family::termination);
  const Stream random = detector->random;
  detector = run_.job.factories[termination](self);
  detector->random = random;
  if (actor.rare_state) {
    auto& timers = actor.rare_state->timers;
    std::erase_if(timers, [this](const ArmedTimer& timer) {
      if (timer.family != Family::termination) return false;
      processors_.let_go(timer);
      return true;
    });
  }
  for (const Incarnation peer : reports_.known_failures(self))
    turns_.turn(self, Family::termination, [peer](auto& component, auto& context) {
      component.on_peer_failed(context, peer);
    });
  turns_.start_detector(self);
  release_early(self);
}

/// What has waited for a phase stands before what has arrived meanwhile.
void Phases::release_early(ActorId self) {
  ActorState& actor = run_.state.actors[self];
  if (!actor.rare_state || actor.rare_state->early.empty()) return;
  std::vector<Message*> early;
  early.swap(actor.rare_state->early);
  std::reverse(early.begin(), early.end());
  for (Message* message : early) {
    run_.state.schedule.keep_alive(*message);
    actor.put_back_in(message);
  }
  processors_.schedule_wake(actor, self);
}

void Phases::give_up(ActorId self, Family family, const char* reason) {
  if (run_.observer != nullptr)
    run_.show({.kind = audit::Sight::Kind::gave_up,
               .time_s = run_.now_s(),
               .actor = self,
               .text = reason});
  if (fencing_.ends_alone(self)) return;
  std::vector<ActorId> dead;
  for (const Incarnation peer : reports_.known_failures(self)) dead.push_back(peer.actor);
  verdict_.give_up({reason, self, family}, dead);
}

void Phases::finish(ActorId self) {
  ActorState& actor = run_.state.actors[self];
  if (actor.finished) return;
  run_.state.roll.set_finished(actor, true);
  run_.show_about(audit::Sight::Kind::finished, self);
  verdict_.check();
}

bool Phases::keeps_waiting(ActorId self, Message* message) {
  if (message->channel == Family::message_logging || message->channel == Family::failure_detection)
    return false;
  ActorState& actor = run_.state.actors[self];
  if (message->phase < actor.phase) {
    if (message->channel == Family::workload) return false;
    network_.drop(message);
    return true;
  }
  if (actor.announced && message->phase == actor.phase + 1) {
    start_phase(self);
    return false;
  }
  actor.rare().early.push_back(message);
  return true;
}

void Phases::check(const ActorState& actor, Recount& recount) const {
  if (!actor.rare_state) return;
  for (const Message* message : actor.rare_state->early) {
    invariant(message->phase > actor.phase && (message->flags & kInFlight) != 0,
              "a message waits for a phase that has begun");
    --recount.alive_by(*message);
  }
  recount.waiting += static_cast<std::int64_t>(actor.rare_state->early.size());
}

}  // namespace faultline::engine
