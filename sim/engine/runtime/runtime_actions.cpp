// SPDX-License-Identifier: Apache-2.0

// What handlers ask for: timers, flushes, phases, announcements, the end.

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/core/invariant.hpp"
#include "sim/engine/runtime/runtime.hpp"

namespace faultline::engine {

namespace {

/// Does with a variant what one of these functions does: the one for what it holds.
template <class... Functions>
struct EachBy : Functions... {
  explicit EachBy(Functions... functions) : Functions(std::move(functions))... {}
  using Functions::operator()...;
};

}  // namespace

void Runtime::carry_out(Action action) {
  if (!run_.lives(action.self)) return;
  const ActorId self = action.self.actor;
  const Family family = action.family;
  const EachBy rooms{
      [&](const Action::SetTimer& timer) { processors_.set_timer(self, family, timer); },
      [&](const Action::CancelTimer& timer) {
        processors_.cancel_timer(state_.actors[self], family, timer.key);
      },
      [&](const Action::Compute& work) {
        processors_.start(self, {work.duration_s, 0.0, work.tag, 0, family});
      },
      [&](Action::CancelComputations) { local_events_.cancel_computations(self, family); },
      [&](Action::Flush flush) {
        flushes_.flush(self, {flush.peer, family});
      },
      [&](Action::Announce) { phases_.announce(self); },
      [&](Action::StartPhase) { phases_.start_phase(self); },
      [&](Action::Finish) { phases_.finish(self); },
      [&](Action::GiveUp given) { phases_.give_up(self, family, given.reason); },
      [&](Action::ReportFailed report) {
        show_report(self, report.peer);
        reports_.report_failed(self, report.peer);
      },
      [&](Action::TakeBack taken) { reports_.take_back(self, taken.peer); },
      [&](Action::OpenLink link) { notices_.open_link(self, link.peer); },
      [&](Action::Restart restart) { restarts_.ask_restart(self, restart.dead, restart.where); },
      [&](Action::Learn learn) { reports_.learn(self, learn.peer); },
      [&](Action::StartAbove) {
        if (restarts_.awaits_start(self))
          restarts_.start_above(self, family);
        else
          images_.begin_anew(self, family);
      },
      [&](Action::Restore restore) { images_.restore(self, family, *restore.image); },
      [&](Action::HostObject host) { images_.host_object(self, family, *host.packed); },
      [&](Action::RemoveObject remove) { images_.remove_object(self, family, remove.object); },
      [&](const Action::SetMark& asked) { mark(self, family, asked); }};
  std::visit(rooms, action.request);
}

void Runtime::show_report(ActorId self, Incarnation peer) const {
  if (observer_ == nullptr) return;
  run_.show({.kind = audit::Sight::Kind::reported,
             .time_s = now_s(),
             .actor = self,
             .peer = peer.actor,
             .value = peer.number});
}

// ---- timers -----------------------------------------------------------------------------------

/// A timer has run out, or something that has waited for the processor is to be handled.
void Runtime::timer_event(ActorId self, std::uint32_t serial) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state) return;
  const bool has_waited = Processors::has_waited(actor, serial);
  if (const auto due = processors_.run_out(self, serial)) handle(self, *due);
  processors_.await(self);
  // What message logging lets happen after a timer of its own can have killed the actor.
  if (has_waited && !Processors::timers_wait(actor)) processors_.schedule_wake(actor, self);
}

/// Calls the handler of what has waited for the processor, or needs not wait.
void Runtime::handle(ActorId self, const Due& due) {
  if (due.is_of_timer()) return local_events_.fire_timer(self, due.serial);
  state_.schedule.let_go(false);
  if (const auto* notice = std::get_if<Notice>(&due.what))
    notices_.tell_death(self, *notice);
  else
    faults_.tell_error(self);
}

void Runtime::mark(ActorId self, Family family, const Action::SetMark& mark) {
  invariant(std::ranges::any_of(
                job_->spec.component(family).registration->marks,
                [&](const Mark* one) { return std::string_view(one->name) == mark.name; }),
            "a mark that the component has not declared");
  if (observer_ != nullptr)
    run_.show({.kind = audit::Sight::Kind::mark,
               .time_s = now_s(),
               .actor = self,
               .value = static_cast<std::uint64_t>(mark.value),
               .text = mark.name});
  state_.truth.marked(self, mark.name, mark.value, state_.roll.live(), now_s());
  faults_.strike_at_mark(mark.name, mark.value);
}

}  // namespace faultline::engine
