// SPDX-License-Identifier: Apache-2.0

// An idle rank gets work from messages alone. A workload that takes work up by itself breaks that,
// and is named, so that no detector of termination is blamed for it.

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>

#include "sim/core/checkpoint_request.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

using Catch::Matchers::Contains;

using Wait = std::function<void(ScriptContext&)>;

/// Rank 0 waits for a message to leave, for a timer, and for an answer of message logging, and goes
/// on each time. `before` and `after` are called where it begins and ceases to wait.
void wait_for_more(Job& job, const Wait& begin, const Wait& go_on, const Wait& before,
                   const Wait& after) {
  job.script(Family::workload, [=](ActorId self) {
    Handlers handlers;
    if (self != 0) return handlers;
    const auto goes_on = [=](ScriptContext& context) {
      after(context);
      go_on(context);
    };
    handlers.start = [=](ScriptContext& context) {
      begin(context);
      before(context);
    };
    handlers.sent = [=](ScriptContext& context, ActorId, std::uint16_t) { goes_on(context); };
    handlers.timer = [=](ScriptContext& context, std::uint64_t) { goes_on(context); };
    handlers.answer = [=](ScriptContext& context, const StackRequest&) { goes_on(context); };
    return handlers;
  });
  job.script(Family::message_logging, [](ActorId) {
    Handlers handlers;
    auto asked = std::make_shared<StackRequest>();
    handlers.request = [asked](ScriptContext& context, const StackRequest& request) {
      *asked = request;
      context.set_timer(1, 5);
    };
    handlers.timer = [asked](ScriptContext& context, std::uint64_t) {
      context.answer(*asked, CheckpointRequest{});
    };
    return handlers;
  });
}

const Wait kNothing = [](ScriptContext&) {};
const Wait kHold = [](ScriptContext& context) { context.declare_work(1); };
const Wait kRelease = [](ScriptContext& context) { context.declare_work(-1); };

const Wait kSend = [](ScriptContext& context) { context.send(1, 0, 100).flags |= kNotifySent; };
const Wait kSetTimer = [](ScriptContext& context) { context.set_timer(1, 5); };
const Wait kAsk = [](ScriptContext& context) {
  context.ask(Family::message_logging, CheckpointRequest{});
};

const Wait kCompute = [](ScriptContext& context) { context.compute(1); };
const Wait kSendOn = [](ScriptContext& context) { context.send(1, 0, 0); };

}  // namespace

TEST_CASE("a workload that is idle and goes on without a message breaks an invariant") {
  for (const scenario::EngineKind engine : engines())
    for (const Wait& go_on : {kCompute, kSendOn, kHold}) {
      const auto broken_by = [&](const Wait& begin, const char* handler) {
        Job job(2);
        wait_for_more(job, begin, go_on, kNothing, kNothing);
        job.detector("four-counter");
        CHECK_THROWS_WITH(job.run(engine), Contains("the workload test-own counts as idle") &&
                                               Contains(std::string("goes on in ") + handler));
      };
      broken_by(kSend, "on_sent");
      broken_by(kSetTimer, "on_timer");
      broken_by(kAsk, "on_answer");
    }
}

TEST_CASE("a rank that declares work while it waits for more than messages may go on") {
  for (const scenario::EngineKind engine : engines())
    for (const Wait& go_on : {kCompute, kSendOn})
      for (const Wait& begin : {kSend, kSetTimer, kAsk})
        for (const char* detector : {"four-counter", "hcda", "cda", "venkatesan"}) {
          Job job(2);
          wait_for_more(job, begin, go_on, kHold, kRelease);
          job.detector(detector);
          job.spec.stop.when = scenario::StopWhen::announced;
          const Seen seen = job.run(engine);
          CAPTURE(engine_word(engine), detector);
          CHECK(seen.result.outcome == Outcome::terminated);
          CHECK(seen.violations().empty());
        }
}

TEST_CASE("without a detector nothing asks which ranks are idle, and an idle rank may do nothing") {
  for (const scenario::EngineKind engine : engines())
    for (const Wait& begin : {kSend, kSetTimer, kAsk}) {
      Job alone(2);
      wait_for_more(alone, begin, kCompute, kNothing, kNothing);
      CHECK(alone.run(engine).violations().empty());
      Job quiet(2);
      wait_for_more(quiet, begin, kNothing, kNothing, kNothing);
      quiet.detector("four-counter");
      quiet.spec.stop.when = scenario::StopWhen::announced;
      CHECK(quiet.run(engine).result.outcome == Outcome::terminated);
    }
}

}  // namespace faultline::engine
