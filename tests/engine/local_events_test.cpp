// SPDX-License-Identifier: Apache-2.0

// Computations that end and timers that run out above a layer that decides when they are handled.

#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/local_events.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Lets everything wait until its own timer runs out, and then lets one thing happen with each
/// further one.
class LetsWait final : public RecoveryLayer, public OrdersLocalEvents {
 public:
  explicit LetsWait(double until) : until_(until) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<LetsWait>(*this);
  }
  void start(RecoveryContext& context) override { context.set_timer(0, until_); }
  void on_timer(RecoveryContext& context, std::uint64_t) override {
    may_pass_ = true;
    context.set_timer(0, 10);
  }
  Passage on_local_event(RecoveryContext&, const LocalEvent&) override {
    return std::exchange(may_pass_, false) ? Passage::deliver : Passage::hold;
  }

 protected:
  void digest_state(Digest& into) const override { into.add(may_pass_); }

 private:
  double until_;
  bool may_pass_ = false;
};

/// Lets what happens at a rank happen in a stated order, one thing at each time of its own.
class InOrder final : public RecoveryLayer, public OrdersLocalEvents {
 public:
  InOrder(Job& job, std::vector<LocalEvent> order) : job_(job), order_(std::move(order)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<InOrder>(*this);
  }
  void start(RecoveryContext& context) override { context.set_timer(0, 100); }
  void on_timer(RecoveryContext& context, std::uint64_t) override {
    if (next_ < order_.size()) context.set_timer(0, 10);
  }
  Passage on_local_event(RecoveryContext&, const LocalEvent& event) override {
    if (next_ == order_.size() || !is_same(event, order_[next_])) return Passage::hold;
    ++next_;
    return Passage::deliver;
  }
  [[nodiscard]] std::optional<LocalEvent> next_event() const override {
    return next_ < order_.size() ? std::optional(order_[next_]) : std::nullopt;
  }
  void leave_out_next(RecoveryContext& context) override {
    job_.note(context, "left out", static_cast<std::int64_t>(order_[next_++].tag));
  }

 protected:
  void digest_state(Digest& into) const override { into.add(next_); }

 private:
  static bool is_same(const LocalEvent& a, const LocalEvent& b) {
    return a.kind == b.kind && a.family == b.family && a.tag == b.tag;
  }
  Job& job_;
  std::vector<LocalEvent> order_;
  std::size_t next_ = 0;
};

/// One rank computes twice and sets a timer, with a termination detector above such a layer.
Seen run_job(scenario::EngineKind engine, bool with_detector, bool cancels = false,
             bool driven_by_messages = true) {
  Job job(1);
  job.spec.platform.worker_cores = 2;
  job.spec.stop.time_s = 200;
  const auto script = [&job, cancels](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) {
      context.compute(20, 1);
      context.compute(30, 2);
      context.set_timer(3, 40);
    };
    handlers.compute_done = [&job, cancels](ScriptContext& context, std::uint64_t tag) {
      job.note(context, "computed", static_cast<std::int64_t>(tag));
      if (cancels) context.cancel_computations();
    };
    handlers.timer = [&job, cancels](ScriptContext& context, std::uint64_t key) {
      job.note(context, "timer", static_cast<std::int64_t>(key));
      if (cancels) context.cancel_computations();
    };
    return handlers;
  };
  job.script(Family::workload, script,
             WorkloadTraits{.has_images = true, .driven_by_messages = driven_by_messages});
  if (with_detector)
    job.script(Family::termination, [&job](ActorId) {
      Handlers handlers;
      handlers.idle = [&job](ScriptContext& context) { job.note(context, "idle"); };
      return handlers;
    });
  job.own(Family::message_logging, [](ActorId) { return std::make_unique<LetsWait>(100); });
  return job.run(engine);
}

}  // namespace

TEST_CASE("what happens at a rank waits until message logging lets it happen") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run_job(engine, true);
    CHECK(close(seen.times_s(0, "timer"), {100}, engine));
    CHECK(close(seen.times_s(0, "computed"), {110, 120}, engine));
    CHECK(seen.values(0, "computed") == Values{1, 2});
    CHECK(close(seen.times_s(0, "idle"), {120}, engine));
  }
}

TEST_CASE("a run ends in which message logging lets a timer wait for good") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.spec.stop.time_s = 1e6;
    job.script(Family::workload, [](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.set_timer(3, 40); };
      return handlers;
    });
    job.script(Family::termination, [](ActorId) { return Handlers{}; });
    job.own(Family::message_logging,
            [&job](ActorId) { return std::make_unique<InOrder>(job, std::vector<LocalEvent>()); });
    const Seen seen = job.run(engine);
    CAPTURE(engine_word(engine));
    CHECK(seen.result.outcome == Outcome::hung);
    CHECK(seen.metric("end_time_s") == 100);
  }
}

TEST_CASE("what waits can be cancelled") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run_job(engine, true, true);
    CHECK(seen.times_s(0, "timer").size() == 1);
    CHECK(seen.times_s(0, "computed").empty());
  }
}

// The timer 3 is set again before its turn comes, and is waited for. The timer 4, and the second of
// two computations, are cancelled by what comes before them.
TEST_CASE("what is cancelled before its turn comes is left out") {
  using Kind = LocalEvent::Kind;
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.spec.platform.worker_cores = 2;
    job.spec.stop.time_s = 1000;
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        context.compute(20, 1);
        context.compute(30, 2);
        context.set_timer(3, 40);
        context.set_timer(4, 40);
        context.set_timer(5, 40);
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t tag) {
        job.note(context, "computed", static_cast<std::int64_t>(tag));
        context.cancel_timer(4);
        context.set_timer(3, 200);
        context.declare_work(1);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
        job.note(context, "timer", static_cast<std::int64_t>(key));
        context.cancel_computations();
      };
      return handlers;
    });
    job.script(Family::termination, [](ActorId) { return Handlers{}; });
    const auto event = [](Kind kind, std::uint64_t tag) {
      return LocalEvent{kind, Family::workload, tag};
    };
    const std::vector<LocalEvent> order{event(Kind::computed, 1), event(Kind::timer, 4),
                                        event(Kind::timer, 5), event(Kind::computed, 2),
                                        event(Kind::timer, 3)};
    job.own(Family::message_logging,
            [&](ActorId) { return std::make_unique<InOrder>(job, order); });
    const Seen seen = job.run(engine);
    CAPTURE(engine_word(engine));
    CHECK(seen.values(0, "computed") == Values{1});
    CHECK(close(seen.times_s(0, "computed"), {20}, engine));
    CHECK(seen.values(0, "left out") == Values{4, 2});
    CHECK(close(seen.times_s(0, "left out"), {100, 110}, engine));
    CHECK(seen.values(0, "timer") == Values{5, 3});
    CHECK(close(seen.times_s(0, "timer"), {100, 220}, engine));
  }
}

TEST_CASE("message logging is not asked where messages alone drive all that is above") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run_job(engine, false);
    CHECK(close(seen.times_s(0, "computed"), {20, 30}, engine));
    CHECK(close(seen.times_s(0, "timer"), {40}, engine));
  }
}

TEST_CASE("message logging is asked where a program does not say that messages alone drive it") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run_job(engine, false, false, false);
    CHECK(close(seen.times_s(0, "timer"), {100}, engine));
    CHECK(close(seen.times_s(0, "computed"), {110, 120}, engine));
  }
}

}  // namespace faultline::engine
