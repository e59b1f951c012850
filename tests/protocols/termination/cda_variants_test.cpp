// SPDX-License-Identifier: Apache-2.0

// CDA where credit is scarce, and with the options of the published module.

#include <catch2/catch.hpp>

#include "tests/protocols/termination/random_run.hpp"
#include "tests/protocols/termination/token_walk.hpp"

namespace faultline::termination {

using namespace test;

namespace {

/// The published module's constants (PaRSEC termdet/cda).
OptionValues published_module() {
  return {{"initial_credit", 4294967295},
          {"published_division", true},
          {"flush_delay_s", 0.1},
          {"merge_arity", 32}};
}

/// The published module's share as it computes it, without a sign.
std::uint64_t share_without_sign(std::uint64_t credit, std::uint64_t shares) {
  const std::uint64_t equal = credit / shares;
  if (credit - equal > 4096) return equal;
  return credit - 64 >= shares - 1 ? 64 : equal;
}

}  // namespace

TEST_CASE("cda: as many messages as the formula allows leave a process before it borrows") {
  // Halving from 2^32 to 4096, shares of 64 down to 64, halving again: 20 + 63 + 6.
  for (const scenario::EngineKind engine : engines()) {
    CHECK(stream_of_sends("cda", {}, 89, engine).metric("borrows") == 0);
    const Seen next = stream_of_sends("cda", {}, 90, engine);
    CHECK(next.metric("borrows") == 1);
    CHECK(next.metric("delayed_messages") == 1);
  }
}

TEST_CASE("cda: the published module's share underflows, ours does not") {
  // Without a sign: 147 messages, the next one takes 64 of 32.
  std::uint64_t credit = 4294967295;
  int sends = 0;
  while (share_without_sign(credit, 2) <= credit) {
    credit -= share_without_sign(credit, 2);
    ++sends;
  }
  CHECK(sends == 147);
  CHECK(credit == 32);
  CHECK(share_without_sign(credit, 2) == 64);
  // With it the same 147 and the five halvings of 32 to 1 that are left.
  const OptionValues published{{"initial_credit", 4294967295}, {"published_division", true}};
  const Seen all = stream_of_sends("cda", published, 152);
  CHECK(all.metric("borrows") == 0);
  CHECK(all.violations().empty());
  const Seen next = stream_of_sends("cda", published, 153);
  CHECK(next.metric("borrows") == 1);
  CHECK(next.violations().empty());
}

TEST_CASE("cda: what is held back goes when a message brings credit, before the grant") {
  // One unit a process. Rank 1 wants to send at 100 and stays active: it asks for credit, which
  // comes at 100 + 2 * 12.16. At 93 rank 2 sent its unit: it is there at 105, and rank 0 has the
  // message at 117.
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self > 0) context.compute(self == 1 ? 100 : 93);
      };
      handlers.compute_done = [self](ScriptContext& context, std::uint64_t tag) {
        if (tag == 1) return;
        context.send(self - 1, 0, 0);
        if (self == 1) context.compute(1000, 1);
      };
      handlers.message = [&job](ScriptContext& context, const Message&) {
        job.note(context, "got");
      };
      return handlers;
    });
    job.detector("cda", {{"initial_credit", 1}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "got"), {105}, engine));
    CHECK(close(seen.times_s(0, "got"), {117}, engine));
    CHECK(seen.metric("delayed_messages") == 1);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("cda: credit goes as far as it can, and a small maximum does not stop the run") {
  // Ranks 0 and 1 send 50 messages at once with 10 credit: 9 go with one unit each, 41 wait.
  for (const std::int64_t maximum : {std::int64_t{1} << 52, std::int64_t{10}}) {
    Job job(2, quick_machine());
    job.script(Family::workload, [](ActorId self) {
      return Handlers{.start = [self](ScriptContext& context) {
        for (int i = 0; i < 50; ++i) context.send(1 - self, 0, 0);
      }};
    });
    job.detector("cda", {{"initial_credit", 10}, {"maximum_credit", maximum}});
    const Seen seen = job.run();
    CHECK(seen.metric("delayed_messages") == 41);
    CHECK(seen.result.outcome == engine::Outcome::terminated);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("cda: credit is borrowed ahead of need when there is less than C_borrow") {
  const Seen late = stream_of_sends("cda", {}, 20);
  CHECK(late.metric("borrows") == 0);
  // 2^32 halves to 4096 with the twentieth message.
  CHECK(stream_of_sends("cda", {{"borrow_below_credit", 4096}}, 20).metric("borrows") == 0);
  const Seen early = stream_of_sends("cda", {{"borrow_below_credit", 4097}}, 20);
  CHECK(early.metric("borrows") == 1);
  CHECK(early.metric("delayed_messages") == 0);
}

TEST_CASE("cda: a lazy flush waits until the credit has not changed for a while, by hand") {
  for (const double delay_s : {0.0, 1000.0}) {
    Job job(3);
    job.script(Family::workload,
               [](ActorId self) {
                 Handlers handlers;
                 handlers.start = [self](ScriptContext& context) {
                   if (self == 0) context.compute(500);
                 };
                 handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
                   context.send(1, 0, 0);
                 };
                 return handlers;
               },
               {.traits = WorkloadTraits{.starts_at_root = true}});
    job.detector("cda", {{"flush_delay_s", delay_s}});
    const Seen seen = job.run();
    CHECK(seen.result.outcome == engine::Outcome::terminated);
    CHECK(seen.violations().empty());
    // At once, rank 1 flushes at the start and at 512; lazily, once, 1000 s after the message.
    CHECK(seen.metric("control_messages.flush") == (delay_s > 0 ? 2 : 3));
    // The flush of 16 bytes takes 12.16 s, the second announcement one send overhead more.
    CHECK(seen.metric("announce_time_s") == Approx(512 + delay_s + 2 * 12.16 + 1));
  }
}

TEST_CASE("cda: in the merge tree active ranks keep what comes back, idle ones pass it on") {
  // Of seven ranks only 1 works. Ranks 3 and 4 flush to it, and it keeps both; 5 and 6 flush to 2,
  // which passes both on after its own; 1 returns everything in one message at the end.
  for (const scenario::EngineKind engine : engines()) {
    Job job(7);
    job.script(Family::workload, [](ActorId self) {
      return Handlers{.start = [self](ScriptContext& context) {
        if (self == 1) context.compute(1000);
      }};
    });
    job.detector("cda", {{"merge_arity", 2}});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("merges") == 2);
    CHECK(seen.metric("flushes") == 6);
    CHECK(seen.metric("control_messages.flush") == 4 + 1 + 2 + 1);
    CHECK(seen.result.outcome == engine::Outcome::terminated);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("cda: idle ranks of the merge tree pass credit on at once, or with their own, by hand") {
  // All seven ranks are idle, and flush at 1000. Ranks 1 and 2 have sent theirs when those of their
  // children come, at 1012 and 1013: two more messages each, or one, 1000 s after the second.
  for (const scenario::EngineKind engine : engines())
    for (const bool keep : {false, true}) {
      Job job(7);
      job.script(Family::workload, [](ActorId) { return Handlers{}; },
                 {.traits = WorkloadTraits{.starts_at_root = true}});
      job.detector("cda", {{"merge_arity", 2},
                           {"flush_delay_s", 1000},
                           {"merge_while_idle", keep},
                           {"control_bytes", 0}});
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", keep " << keep);
      CHECK(seen.metric("control_messages.flush") == 6 + (keep ? 2 : 4));
      CHECK(seen.metric("flushes") == 6 + (keep ? 2 : 0));
      CHECK(seen.metric("merges") == (keep ? 4 : 0));
      CHECK(seen.violations().empty());
      // The agent has the flush of rank 2 one receive overhead after that of rank 1; the last of
      // two children hears of the end one send overhead after the first.
      if (keep) CHECK(close({seen.metric("announce_time_s")}, {2013 + 3 * (12 + 1)}, engine));
    }
}

TEST_CASE("cda: no wrong announcement and no lost credit in random runs") {
  const std::vector<OptionValues> choices{
      published_module(),
      {{"initial_credit", 70}, {"published_division", true}, {"conservation_credit", 10}},
      {{"initial_credit", 1}, {"flush_delay_s", 1e-5}, {"merge_arity", 2}},
      {{"flush_delay_s", 1e-5}, {"merge_arity", 2}, {"merge_while_idle", true}},
      {{"initial_credit", 2}, {"maximum_credit", 2}, {"merge_arity", 3}},
      {{"initial_credit", 8}, {"borrow_below_credit", 6}, {"flush_delay_s", 1e-6}},
      {{"initial_credit", 5}, {"conservation_share", 1}}};
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    INFO("choice " << choice);
    DetectorUnderTest detector = registered("cda", choices[choice]);
    detector.install = [install = detector.install](Job& job, const RandomRun& run) {
      install(job, run);
      job.spec.stop.grace_s = 10;  // longer than any flush is delayed
    };
    CHECK(counterexample(detector, scenario::EngineKind::loggp, 600) == "");
  }
}

}  // namespace faultline::termination
