// SPDX-License-Identifier: Apache-2.0

// Whoever declares a live actor dead refuses what that one sends later, in every order of steps,
// and also if others have declared it dead before.

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/engine/membership/erring.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Lets the timer of an actor run out. False if it has none.
bool run_timer_out(StepwiseEngine& engine, ActorId actor) {
  const std::vector<Choice>& agenda = engine.agenda();
  const auto timer = std::find_if(agenda.begin(), agenda.end(), [actor](const Choice& one) {
    return one.kind == EventKind::timer && one.actor == actor;
  });
  if (timer == agenda.end()) return false;
  engine.take(static_cast<std::size_t>(timer - agenda.begin()));
  return true;
}

/// A metric of a run whose timers run out in this order, before any message arrives.
double metric_after(const Job& job, const std::vector<ActorId>& order, const char* metric) {
  StepwiseEngine engine(run_job(without_costs(job.spec), 1, 0));
  engine.begin();
  for (const ActorId next : order) REQUIRE(run_timer_out(engine, next));
  while (!engine.agenda().empty()) engine.take(0);
  return engine.end().metrics.values().at(metric).value();
}

}  // namespace

TEST_CASE("each that declares a live rank dead refuses what it sends later, not what it has sent") {
  Job job(3);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 2) context.set_timer(1, 5);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) {
      context.send(0, 0, 8);
      context.send(1, 0, 8);
    };
    return handlers;
  });
  err(job, {{5, 0, 2}, {5, 1, 2}});
  std::vector<ActorId> order{0, 1, 2};
  do {
    CAPTURE(order);
    const auto before = std::find(order.begin(), order.end(), 2U) - order.begin();
    CHECK(metric_after(job, order, "application_messages_lost") == static_cast<double>(before));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("what the daemon of a spare node sends after it was declared dead is refused, too") {
  Job job(3);
  job.spec.platform.spare_nodes = 1;
  const ActorId accuser = 3;  // hosts rank 0
  const ActorId accused = 6;  // hosts nobody
  job.script(Family::workload, [](ActorId) { return Handlers(); });
  job.script(Family::failure_detection,
             [=](ActorId self) {
               Handlers handlers;
               handlers.start = [=](ScriptContext& context) {
                 if (self == accuser || self == accused) context.set_timer(1, 5);
               };
               handlers.timer = [=](ScriptContext& context, std::uint64_t) {
                 if (self == accuser)
                   context.report_failed(accused);
                 else
                   context.send(accuser, 0, 8);
               };
               handlers.message = [=](ScriptContext& context, const Message&) {
                 if (self == accuser) context.send(4, 0, 8);
               };
               return handlers;
             },
             {.residence = Residence::daemons});
  CHECK(metric_after(job, {accuser, accused}, "detection_messages") == 1);
  CHECK(metric_after(job, {accused, accuser}, "detection_messages") == 2);
}

}  // namespace faultline::engine
