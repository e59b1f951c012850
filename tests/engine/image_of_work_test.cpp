// SPDX-License-Identifier: Apache-2.0

// Images that a layer takes at any moment: the timers and computations in them, and what is left of
// those when they go on.

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tests/engine/images.hpp"
#include "tests/support/digest_of.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Sets a timer of 70 s, and begins computations of 40 s; notes what comes, and how often.
class Worker final : public Workload {
 public:
  Worker(Job& job, int computations) : job_(job), computations_(computations) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Worker>(*this);
  }
  void start(WorkloadContext& context) override {
    context.set_timer(5, 70);
    for (int i = 0; i < computations_; ++i) context.compute(40, static_cast<std::uint64_t>(i));
  }
  void on_timer(WorkloadContext& context, std::uint64_t key) override {
    job_.note(context, "timer", static_cast<std::int64_t>(key));
  }
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override {
    job_.note(context, "computed", static_cast<std::int64_t>(10 * tag) + ++done_);
  }

 private:
  void digest_state(Digest& into) const override { into.add(done_); }
  Job& job_;
  int computations_;
  std::int64_t done_ = 0;
};

/// A layer that takes an image at one moment and puts it back at another.
Scripts image_between(Job& job, double taken_s, double put_back_s) {
  return [=, &job](ActorId) {
    Handlers handlers;
    const auto image = std::make_shared<Image>();
    handlers.start = [=](ScriptContext& context) {
      context.set_timer(1, taken_s);
      context.set_timer(2, put_back_s);
    };
    handlers.timer = [=, &job](ScriptContext& context, std::uint64_t key) {
      if (key == 2) return context.restore(*image);
      job.note(context, "strict", context.capture() ? 1 : 0);
      const std::optional<Image> taken = context.capture(Moment::any);
      job.note(context, "image", taken ? 1 : 0);
      if (taken) *image = *taken;
    };
    return handlers;
  };
}

Seen seen_with(scenario::EngineKind engine, std::uint32_t cores, int computations, double taken_s,
               double put_back_s) {
  Job job(1);
  job.spec.platform.worker_cores = cores;
  use_own<Worker>(job, Family::workload, computations);
  job.script(Family::message_logging, image_between(job, taken_s, put_back_s));
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = 1000;
  return job.run(engine);
}

}  // namespace

TEST_CASE("what was left of a timer and of a computation is left when an image is put back") {
  for (const scenario::EngineKind engine : engines()) {
    // At 30 s, 10 s are left of the computation and 40 s of the timer.
    const Seen seen = seen_with(engine, 1, 1, 30, 100);
    CHECK(seen.values(0, "strict") == Values{0});
    CHECK(seen.values(0, "image") == Values{1});
    CHECK(close(seen.times_s(0, "computed"), {40, 110}, engine));
    CHECK(seen.values(0, "computed") == Values{1, 1});  // the image had counted none
    CHECK(close(seen.times_s(0, "timer"), {70, 140}, engine));
    CHECK(seen.values(0, "timer") == Values{5, 5});
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a computation that runs when an image is put back ends for nobody") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = seen_with(engine, 1, 1, 10, 20);
    CHECK(close(seen.times_s(0, "computed"), {50}, engine));
    CHECK(close(seen.times_s(0, "timer"), {80}, engine));
  }
}

TEST_CASE("computations that wait for a core go on behind those that run") {
  for (const scenario::EngineKind engine : engines()) {
    // One core: 0 has ended at 40, 1 runs until 80, 2 waits. Restored at 200 with 20 s left of 1.
    const Seen one = seen_with(engine, 1, 3, 60, 200);
    CHECK(close(one.times_s(0, "computed"), {40, 80, 120, 220, 260}, engine));
    CHECK(one.values(0, "computed") == Values{1, 12, 23, 12, 23});
    // Two cores: 0 and 1 run until 40, then 2 until 80.
    const Seen two = seen_with(engine, 2, 3, 30, 200);
    CHECK(close(two.times_s(0, "computed"), {40, 40, 80, 210, 210, 250}, engine));
  }
}

TEST_CASE("an image of a rank without work is the same at any moment") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    use_own<Walker>(job, Family::workload, 3);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      handlers.idle = [&job](ScriptContext& context) {
        const auto strict = context.capture();
        const auto any = context.capture(Moment::any);
        REQUIRE(strict.has_value());
        REQUIRE(any.has_value());
        job.note(context, "equal", digest_of(*strict) == digest_of(*any) ? 1 : 0);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "equal") == Values{1, 1, 1, 1});
  }
}

// Interruptions of 2 s come every 10 s, so a computation of 40 s takes about 50. What is left of it
// is work, and takes as long again as the interruptions of its new time say.
TEST_CASE("what is left of a computation is work, whatever interrupts it") {
  for (const scenario::EngineKind engine : engines())
    for (const double taken_s : {5.0, 11.0, 23.0, 38.0}) {
      Job job(1);
      use_own<Worker>(job, Family::workload, 1);
      job.script(Family::message_logging, image_between(job, taken_s, 1000));
      job.spec.platform.os_noise = scenario::OsNoise{.interval_s = 10, .length_s = 2, .nodes = {}};
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 2000;
      const Seen seen = job.run(engine);
      const Times times_s = seen.times_s(0, "computed");
      REQUIRE(times_s.size() == 2);
      // 1000 s are 100 intervals: had it not been put back, it would have gone on 1000 s later.
      CAPTURE(engine_word(engine), taken_s);
      CHECK(times_s[1] - 1000 <= times_s[0] - taken_s + 2 + 1e-9);
      CHECK(times_s[1] - 1000 >= times_s[0] - taken_s - 2 - 1e-9);
    }
}

}  // namespace faultline::engine
