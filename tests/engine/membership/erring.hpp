// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/support/job.hpp"

/// What the tests of fences share: detectors that err, and a program that talks on.
namespace faultline::engine {

/// A false report.
struct Report {
  double time_s;
  ActorId by;
  ActorId of;
};

/// Who gives up, and when.
struct GivenUpAt {
  double time_s;
  ActorId by;
};

/// Detectors declare others dead at these times, and tell nobody. A rank gives up. `residence`:
/// where the detectors are.
inline void err(test::Job& job, const std::vector<Report>& reports,
                std::optional<GivenUpAt> given_up = std::nullopt,
                Residence residence = Residence::ranks) {
  const auto erring = [reports, given_up](ActorId self) {
    test::Handlers handlers;
    handlers.start = [=](test::ScriptContext& context) {
      if (context.incarnation() > 0) return;
      for (std::size_t i = 0; i < reports.size(); ++i)
        if (reports[i].by == self) context.set_timer(i, reports[i].time_s);
      if (given_up && given_up->by == self) context.set_timer(reports.size(), given_up->time_s);
    };
    handlers.timer = [=](test::ScriptContext& context, std::uint64_t i) {
      if (i == reports.size()) return context.fatal("it cannot go on");
      context.report_failed(Incarnation{.actor = reports[i].of, .number = 0});
    };
    return handlers;
  };
  job.script(Family::failure_detection, erring, {.residence = residence});
}

/// Every rank sends to its successor every 4 s until `until_s`, and notes what it gets. The last
/// one asks for restarts of those that it hears to be dead.
inline void talk(test::Job& job, double until_s, std::optional<RestartOn> where = std::nullopt) {
  const std::uint32_t ranks = job.spec.platform.processes;
  job.script(Family::workload, [&job, ranks, until_s, where](ActorId self) {
    test::Handlers handlers;
    handlers.start = [=, &job](test::ScriptContext& context) {
      job.note(context, "start", context.incarnation());
      job.note(context, "on", context.placement().node_of(self));
      context.declare_work(1);
      context.set_timer(1, 4);
    };
    handlers.timer = [=](test::ScriptContext& context, std::uint64_t) {
      if (context.now_s() >= until_s) return context.declare_work(-1);
      context.send((self + 1) % ranks, 0, 0);
      context.set_timer(1, 4);
    };
    handlers.message = [&job](test::ScriptContext& context, const Message& message) {
      job.note(context, "got " + std::to_string(message.from), message.from_incarnation);
    };
    handlers.peer_failed = [=, &job](test::ScriptContext& context, Incarnation peer) {
      job.note(context, "failed " + std::to_string(peer.actor), peer.number);
      if (where) context.restart(peer, *where);
    };
    handlers.peer_restarted = [&job](test::ScriptContext& context, Incarnation peer) {
      job.note(context, "restarted " + std::to_string(peer.actor), peer.number);
    };
    handlers.restart_refused = [&job](test::ScriptContext& context, Incarnation peer) {
      job.note(context, "refused " + std::to_string(peer.actor), peer.number);
    };
    return handlers;
  });
}

inline void fence_after(test::Job& job, double delay_s,
                        scenario::FencingReach reach = scenario::FencingReach::all) {
  job.spec.platform.fencing = {
      .by = scenario::FencedBy::resource_manager, .delay_s = delay_s, .reach = reach};
}

/// Lets the timer of an actor's detector run out.
inline void take_timer(StepwiseEngine& engine, ActorId actor) {
  const std::vector<Choice>& agenda = engine.agenda();
  const auto found = std::find_if(agenda.begin(), agenda.end(), [&](const Choice& one) {
    return one.kind == EventKind::timer && one.actor == actor &&
           one.family == Family::failure_detection;
  });
  REQUIRE(found != agenda.end());
  engine.take(static_cast<std::size_t>(found - agenda.begin()));
}

}  // namespace faultline::engine
