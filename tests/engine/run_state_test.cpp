// SPDX-License-Identifier: Apache-2.0

// A copy of a run's state goes on as the original does.

#include "sim/engine/state/run_state.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "sim/engine/runtime/runtime.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// An engine that goes on from a copy of its state now and then.
class Copying final : private Transport {
 public:
  Copying(std::shared_ptr<const RunJob> job, std::uint64_t every)
      : run_(std::move(job), *this), every_(every) {}

  RunResult run() {
    return run_.run([this] { simulate(); });
  }

 private:
  void simulate() {
    for (std::uint64_t events = 1; !run_.stopped() && !run_.quiescent(); ++events) {
      const Event event = run_.schedule().take_next();
      if (!run_.goes_on(event.time_s)) return;
      run_.set_now_s(event.time_s);
      run_.carry_out(event);
      if (every_ > 0 && events % every_ == 0) run_.state() = run_.state().copy();
    }
  }
  void transmit(Message& message, const platform::Transit& transit) override {
    run_.schedule().add(message.inject_s + transit.transfer_s + transit.latency_s +
                            run_.network().unordered_delay_s(message.from) +
                            run_.machine().receive_overhead_s,
                        EventKind::arrive, &message);
  }

  Runtime run_;
  std::uint64_t every_;
};

std::string outcome_of(const Job& job, std::uint64_t seed, std::uint64_t copied_every) {
  Seen seen;
  seen.result = Copying(run_job(job.spec, seed, 0), copied_every).run();
  return to_text(seen);
}

void check_copies(const Job& job) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::string uncopied = outcome_of(job, seed, 0);
    CHECK(outcome_of(job, seed, 1) == uncopied);
    CHECK(outcome_of(job, seed, 17) == uncopied);
  }
}

}  // namespace

TEST_CASE("a run that goes on from copies of its state gives the same result") {
  for (const std::string& detector : detectors()) {
    CAPTURE(detector);
    Job job(12, quick_machine());
    job.spec.platform.processes_per_node = 3;  // messages queue before NICs
    job.workload("token-ring", {{"walk_length", 30}, {"branch_probability", 0.5}});
    job.detector(detector);
    check_copies(job);
    if (detector == "edod") continue;  // needs fifo
    job.spec.platform.ordering = scenario::Ordering::unordered;
    check_copies(job);
  }
}

TEST_CASE("copies keep inboxes, computations, fences, deaths and notices that are under way") {
  for (const std::string detector : {"indep", "rel-lazy", "rel-eager"}) {
    CAPTURE(detector);
    Job job(16, quick_machine());
    job.workload("random-tree");
    job.detector(detector);
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}, {"spread_s", 1e-4}});
    job.spec.platform.progress = scenario::Progress::between;
    job.kill(2e-5, {5}).kill(6e-5, {9}).kill(2e-4, {3});
    check_copies(job);
  }
}

TEST_CASE("copies keep what layers hold, and drawn faults") {
  Job job(8, quick_machine());
  job.workload("uniform-traffic");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto scripted = [&](std::uint64_t copied_every) {
      // The holding layer keeps its state behind a pointer, so it is made anew for each run.
      job.script(Family::message_logging,
                 [seed](ActorId self) { return holding_at_random(seed, self); });
      return outcome_of(job, seed, copied_every);
    };
    const std::string uncopied = scripted(0);
    CHECK(scripted(1) == uncopied);
  }
}

TEST_CASE("the original of a copy does not notice what becomes of the copy") {
  Job job(4, quick_machine());
  job.workload("work-stealing", {{"tasks", 40}});
  const auto prepared = run_job(job.spec, 1, 0);
  RunState original{*prepared};
  Message* message = original.pool.take();
  message->flags = kInFlight;
  message->bytes = 1;
  original.schedule.add(1.0, EventKind::arrive, message);
  RunState copy = original.copy();
  const Message* copied = copy.schedule.next().message;
  CHECK(copied != message);
  CHECK(copied->bytes == 1);
  copy.schedule.take_next().message->bytes = 2;
  copy.pool.take()->bytes = 3;
  CHECK(original.schedule.next().message->bytes == 1);
  CHECK(original.schedule.queue().size() == 1);
}

TEST_CASE("a message that waits and is refused makes another state than one that is not") {
  Job job(3, quick_machine());
  job.workload("token-ring");
  const auto prepared = run_job(job.spec, 1, 0);
  const auto digest_of = [&](double declared_s, bool is_early) {
    RunState state{*prepared};
    ActorState& actor = state.actors[1];
    actor.rare().refused.add({.peer = {2, 0}, .time_s = declared_s});
    Message* message = state.pool.take();
    message->from = 2;
    message->to = 1;
    message->inject_s = 1.0;
    if (is_early)
      actor.rare().early.push_back(message);
    else
      actor.put_in(message);
    return state.digest(*prepared);
  };
  for (const bool is_early : {false, true}) {
    CHECK(digest_of(0.5, is_early) != digest_of(1.5, is_early));
    CHECK(digest_of(0.25, is_early) == digest_of(0.5, is_early));
  }
}

}  // namespace faultline::engine
