// SPDX-License-Identifier: Apache-2.0

// Deaths while others recover from deaths: several at once, of the rank that is told, of the rank
// that flushes, between two actions of the handler that recovers. Notices come from the failure
// detector alone.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr Mark kToldMark{"told", "a rank is told of a death: which rank"};
constexpr Mark kFlushingMark{"flushing", "it has asked for a flush: which rank"};

/// Every rank sends `count` messages to rank 0 and computes. A rank that hears of a death flushes
/// the dead one, and notes when it is told, when a message comes and when the flush is answered.
void flushing(Job& job, int count, double compute_s = 100) {
  job.script(Family::workload,
             [=, &job](ActorId self) {
               Handlers handlers;
               handlers.start = [=](ScriptContext& context) {
                 for (int i = 0; i < count && self != 0; ++i) context.send(0, 0, 0);
                 context.compute(compute_s);
               };
               handlers.message = [&job](ScriptContext& context, const Message& message) {
                 job.note(context, "got", message.from);
               };
               handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
                 job.note(context, "told", peer.actor);
                 context.mark(kToldMark, context.self());
                 context.flush(peer);
                 context.mark(kFlushingMark, context.self());
                 context.set_timer(peer.actor, 1);
               };
               handlers.flushed = [&job](ScriptContext& context, Incarnation peer) {
                 job.note(context, "flushed", peer.actor);
               };
               handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
                 job.note(context, "timer");
               };
               return handlers;
             },
             {.marks = {&kToldMark, &kFlushingMark}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
}

}  // namespace

TEST_CASE("without a failure detector nobody hears of a death") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    flushing(job, 2);
    job.spec.components[static_cast<std::size_t>(Family::failure_detection)] = {};
    job.kill(3.5, {1, 2});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("failed_ranks") == 2);
    CHECK(seen.count("told") == 0);
    CHECK(seen.metric("failure_reports") == 0);
  }
}

TEST_CASE("several at once: every survivor hears of each of them, once, and flushes each") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5);
    flushing(job, 3);
    job.kill(2.5, {1, 3, 4});  // two messages of each have left
    const Seen seen = job.run(engine);
    for (const Rank rank : {0U, 2U}) {
      CHECK(seen.values(rank, "told") == Values{1, 3, 4});
      CHECK(close(seen.times_s(rank, "told"), {3.5, 3.5, 3.5}, engine));
      Values flushed = seen.values(rank, "flushed");
      std::sort(flushed.begin(), flushed.end());
      CHECK(flushed == Values{1, 3, 4});
    }
    CHECK(seen.count("told") == 6);
    for (const Rank dead : {1, 3, 4}) {
      const Values got = seen.values(0, "got");
      CHECK(std::count(got.begin(), got.end(), dead) == 2);
    }
  }
}

TEST_CASE("nothing of the dead arrives after the flush that followed the notice") {
  for (const scenario::EngineKind engine : engines())
    for (const scenario::Ordering ordering :
         {scenario::Ordering::fifo, scenario::Ordering::unordered})
      for (std::uint64_t seed = 1; seed <= sample_of(30, engine); ++seed) {
        Job job(6, quick_machine());
        job.spec.platform.ordering = ordering;
        job.spec.platform.unordered_delay_s = 1e-3;
        flushing(job, 40);
        job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
        job.kill(1e-5 + 1e-6 * static_cast<double>(seed), {1, 2, 3});
        job.kill(1.05e-3, {4});
        const Seen seen = job.run(engine, seed);
        CHECK(seen.values(0, "flushed").size() == 4);
        for (const Rank dead : {1, 2, 3, 4}) {
          bool flushed = false;
          std::size_t late = 0;
          for (const Entry& entry : seen.log) {
            if (entry.actor != 0 || entry.value != dead) continue;
            flushed = flushed || entry.what == "flushed";
            if (entry.what == "got" && flushed) ++late;
          }
          CHECK(late == 0);
        }
      }
}

TEST_CASE("a death in the middle of a recovery is heard of and recovered from too") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    flushing(job, 3);
    job.kill(2.5, {1});
    job.kill(6.5, {2});  // ranks 0 and 3 still wait for the flush of rank 1's messages
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "told") == Values{1, 2});
    CHECK(seen.values(0, "flushed").size() == 2);
    CHECK(seen.values(2, "told") == Values{1});
    CHECK(seen.values(3, "told") == Values{1, 2});
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a rank that dies while it waits for a flush gets no answer, and the run ends") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    flushing(job, 3);
    job.kill(2.5, {1});
    job.kill(6.5, {0});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "told") == Values{1});
    CHECK(seen.values(0, "flushed").empty());
    CHECK(seen.values(2, "told") == Values{1, 0});
    CHECK(seen.values(2, "flushed") == Values{1, 0});
    CHECK(seen.metric("end_time_s") == Approx(100).margin(10));
  }
}

TEST_CASE("a death between two actions of the handler that recovers drops the later ones") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string place : {"told", "flushing"}) {
      CAPTURE(engine_word(engine), place);
      Job job(4);
      flushing(job, 0);
      job.kill(2.5, {1});
      job.spec.faults.push_back(at_mark(place, 2, {2}));
      const Seen seen = job.run(engine);
      // Nothing is in flight: a rank that lives to ask for the flush has its answer at once, as the
      // next turn; a rank that dies before that turn has none.
      CHECK(seen.values(2, "told") == Values{1});
      CHECK(seen.values(2, "timer").empty());
      CHECK(seen.values(2, "flushed") == (place == "told" ? Values{} : Values{1}));
      for (const Rank rank : {0U, 3U}) {
        CHECK(seen.values(rank, "told") == Values{1, 2});
        CHECK(seen.values(rank, "flushed") == Values{1, 2});
        CHECK(seen.values(rank, "timer").size() == 2);
      }
    }
}

TEST_CASE(
    "a rank that is told of a death and dies at that moment with the others leaves one survivor") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    flushing(job, 1);
    job.kill(2.5, {1});
    job.spec.faults.push_back(at_mark("told", 0, {2, 3}));
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "told") == Values{1, 2, 3});
    // Rank 0 is told first: the others die before the notice reaches them.
    CHECK(seen.values(2, "told").empty());
    CHECK(seen.values(3, "told").empty());
    CHECK(seen.metric("faults_struck") == 2);
    CHECK(seen.metric("failed_ranks") == 3);
  }
}

}  // namespace faultline::engine
