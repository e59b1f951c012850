// SPDX-License-Identifier: Apache-2.0

// A layer puts images of what is above it back: what goes on from there, and what is undone.

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/engine/images.hpp"
#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::engine {

using namespace test;

namespace {

Values first(const Values& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

Times first_of(const Times& times_s, std::size_t count) {
  return {times_s.begin(), times_s.begin() + static_cast<std::ptrdiff_t>(count)};
}

Values joined(Values values, const Values& others, std::size_t from = 0) {
  values.insert(values.end(), others.begin() + static_cast<std::ptrdiff_t>(from), others.end());
  return values;
}

/// Takes an image before the third message, which it keeps. In place of the sixth it goes back to
/// that image and sends the third again.
Handlers from_sixth_to_third(Job& job) {
  Handlers handlers;
  const auto keeping = std::make_shared<Keeping>();
  handlers.receive = [=, &job](ScriptContext& context, Message& message) {
    const int received = ++keeping->received;
    if (received == 3) {
      capture(job, context, keeping->image);
      keeping->log.push_back(message);
    }
    if (received != 6) return Passage::deliver;
    context.discard(message);
    context.restore(keeping->image);
    return Passage::hold;
  };
  handlers.restored = [keeping](ScriptContext& context) { context.resend(keeping->log.front()); };
  return handlers;
}

/// Checks that the one rank of a job, a walker of 10 steps, goes on from an image as it did from
/// the state that was captured.
void check_goes_on(Job& job, scenario::EngineKind engine) {
  const Values straight = job.run(engine).values(0, "step");
  REQUIRE(straight.size() == 10);
  job.script(Family::message_logging, [&job](ActorId) { return from_sixth_to_third(job); });
  const Seen seen = job.run(engine);
  CHECK(seen.values(0, "image") == Values{1});
  CHECK(seen.values(0, "step") == joined(first(straight, 5), straight, 2));
  CHECK(seen.values(0, "restored") == Values{8});
  CHECK(seen.metric("application_messages_resent") == 1);
  CHECK(seen.metric("application_messages_discarded") == 1);
  CHECK(seen.metric("application_messages") == 13);
  CHECK(seen.violations().empty());
  CHECK(seen.result.outcome == Outcome::finished);
}

/// Takes messages of the epoch that the layer is in, and discards those of earlier ones.
std::function<Passage(ScriptContext&, Message&)> of_this_epoch(
    const std::shared_ptr<Keeping>& keeping) {
  return [keeping](ScriptContext& context, Message& message) {
    if (message.logging.get<std::uint64_t>() == keeping->epoch) return Passage::deliver;
    context.discard(message);
    return Passage::hold;
  };
}

class Wrapped final : public PassThrough<Wrapped, Workload> {
 public:
  using PassThrough::PassThrough;
};

}  // namespace

TEST_CASE("from an image, a rank goes on exactly as it did from the state that was captured") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    use_own<Walker>(job, Family::workload, 10);
    check_goes_on(job, engine);
  }
}

TEST_CASE("a component that is wrapped is captured, and told that it is restored") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.own(
        Family::workload,
        [&job](ActorId) { return std::make_unique<Wrapped>(std::make_unique<Walker>(job, 10)); },
        {.traits = WorkloadTraits{.has_images = true}});
    check_goes_on(job, engine);
  }
}

TEST_CASE("all ranks roll back, and old messages in flight are discarded by their epoch") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    use_own<Walker>(job, Family::workload, 20);
    bool rolls_back = false;
    job.script(Family::message_logging, [&](ActorId) {
      Handlers handlers;
      const auto keeping = std::make_shared<Keeping>();
      handlers.start = [&rolls_back](ScriptContext& context) {
        if (rolls_back) context.set_timer(1, 50);
      };
      handlers.sends = [keeping](ScriptContext& context, std::span<Message* const> batch, bool) {
        for (Message* message : batch) {
          message->logging.put(keeping->epoch);
          if (keeping->image.empty()) keeping->log.push_back(*message);
          context.forward(*message);
        }
      };
      handlers.idle = [keeping, &job](ScriptContext& context) {
        if (keeping->image.empty()) capture(job, context, keeping->image);
      };
      handlers.timer = [keeping](ScriptContext& context, std::uint64_t) {
        ++keeping->epoch;
        context.restore(keeping->image);
      };
      handlers.restored = [keeping](ScriptContext& context) {
        for (const Message& logged : keeping->log)
          context.resend(logged).logging.put(keeping->epoch);
      };
      handlers.receive = of_this_epoch(keeping);
      return handlers;
    });
    const Seen straight = job.run(engine);
    rolls_back = true;
    const Seen seen = job.run(engine);
    for (Rank rank = 0; rank < 4; ++rank) {
      CHECK(seen.values(rank, "image") == Values{1});
      const Values steps = straight.values(rank, "step");
      REQUIRE(steps.size() == 20);
      // Tokens arrive every 12 s from 12 to 48. Those that would come at 60 are of the old epoch.
      CHECK(seen.values(rank, "step") == joined(first(steps, 4), steps));
      CHECK(close(seen.times_s(rank, "restored"), {50}, engine));
    }
    CHECK(seen.metric("application_messages_resent") == 4);
    CHECK(seen.metric("application_messages_discarded") == 4);
    CHECK(seen.metric("application_messages") == 4 * (5 + 19));
    CHECK(seen.metric("termination_time_s") == Approx(50 + 20 * 12));
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("a layer lets ranks that live start again, as if they had done nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    use_own<Walker>(job, Family::workload, 20);
    bool begins_again = false;
    job.script(Family::message_logging, [&begins_again](ActorId) {
      Handlers handlers;
      const auto keeping = std::make_shared<Keeping>();
      handlers.start = [&begins_again](ScriptContext& context) {
        if (begins_again) context.set_timer(1, 50);
      };
      handlers.sends = [keeping](ScriptContext& context, std::span<Message* const> batch, bool) {
        for (Message* message : batch) {
          message->logging.put(keeping->epoch);
          context.forward(*message);
        }
      };
      handlers.timer = [keeping](ScriptContext& context, std::uint64_t) {
        ++keeping->epoch;
        context.start_above();
      };
      handlers.receive = of_this_epoch(keeping);
      return handlers;
    });
    const Seen straight = job.run(engine);
    begins_again = true;
    const Seen seen = job.run(engine);
    for (Rank rank = 0; rank < 4; ++rank) {
      const Values steps = straight.values(rank, "step");
      REQUIRE(steps.size() == 20);
      // Tokens arrive every 12 s from 12 to 48, then again from 62, of the same random numbers.
      CHECK(seen.values(rank, "step") == joined(first(steps, 4), steps));
      CHECK(close(first_of(seen.times_s(rank, "step"), 5), {12, 24, 36, 48, 62}, engine));
      CHECK(seen.values(rank, "restored").empty());
    }
    CHECK(seen.metric("application_messages") == 4 * (5 + 20));
    CHECK(seen.metric("application_messages_discarded") == 4);
    CHECK(seen.metric("application_messages_resent") == 0);
    CHECK(seen.metric("termination_time_s") == Approx(50 + 20 * 12));
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("what a rank was waiting for before it starts again does not come") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(
        Family::workload,
        [&job](ActorId) {
          Handlers handlers;
          handlers.start = [&job](ScriptContext& context) {
            job.note(context, "start");
            context.set_timer(1, 30);
            context.compute(40);
          };
          handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
            job.note(context, "timer");
          };
          handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
            job.note(context, "computed");
          };
          return handlers;
        },
        WorkloadTraits{.has_images = true});
    job.script(Family::message_logging, [](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.set_timer(1, 20); };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.start_above(); };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "start"), {0, 20}, engine));
    CHECK(close(seen.times_s(0, "timer"), {50}, engine));
    CHECK(close(seen.times_s(0, "computed"), {60}, engine));
    CHECK(seen.violations().empty());
  }
}

// ---- what a rollback undoes ---------------------------------------------------------------------

namespace {

/// When its first message comes, begins everything that takes time.
class Beginning final : public Workload {
 public:
  explicit Beginning(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Beginning>(*this);
  }
  void start(WorkloadContext& context) override { context.send(0, 0, 0); }
  void on_message(WorkloadContext& context, const Message&) override {
    context.set_timer(1, 50);
    context.compute(40);
    context.compute(40);
    context.declare_work(1);
    context.send(0, 1, 5000).flags |= kNotifySent;
    ScriptContext(context).flush(0);
  }
  void on_timer(WorkloadContext& context, std::uint64_t) override {
    job_.note(context, "late timer");
  }
  void on_compute_done(WorkloadContext& context, std::uint64_t) override {
    job_.note(context, "late computation");
  }
  void on_sent(WorkloadContext& context, ActorId, std::uint16_t) override {
    job_.note(context, "late on_sent");
  }
  void on_flushed(WorkloadContext& context, Incarnation) override {
    job_.note(context, "late on_flushed");
  }
  void on_restored(WorkloadContext& context) override { job_.note(context, "restored"); }

 private:
  void digest_state(Digest&) const override {}
  Job& job_;
};

/// Rank 0 finishes with its first message, rank 1 at 30.
class Finishing final : public Workload {
 public:
  explicit Finishing(Job&) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Finishing>(*this);
  }
  void start(WorkloadContext& context) override {
    if (context.self() == 0)
      context.send(0, 0, 0);
    else
      context.set_timer(1, 30);
  }
  void on_message(WorkloadContext& context, const Message&) override { context.finish(); }
  void on_timer(WorkloadContext& context, std::uint64_t) override { context.finish(); }

 private:
  void digest_state(Digest&) const override {}
};

/// Captures before the first message, which is logged, and restores at 6.
Handlers rolling_back(Job& job) {
  Handlers handlers;
  const auto keeping = std::make_shared<Keeping>();
  handlers.start = [](ScriptContext& context) { context.set_timer(1, 6); };
  handlers.receive = [=, &job](ScriptContext& context, Message& message) {
    if (message.kind == 1) {
      context.discard(message);
      return Passage::hold;
    }
    if (keeping->log.empty()) {
      capture(job, context, keeping->image);
      keeping->log.push_back(message);
    }
    return Passage::deliver;
  };
  handlers.timer = [=](ScriptContext& context, std::uint64_t key) {
    if (key == 1) {
      context.restore(keeping->image);
      context.set_timer(2, 44);
    } else {
      context.resend(keeping->log.front());
    }
  };
  return handlers;
}

}  // namespace

TEST_CASE("a rollback voids what was asked for since, and the rank is as active as it was") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    use_own<Beginning>(job, Family::workload);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers = rolling_back(job);
      handlers.timer = [restore = handlers.timer](ScriptContext& context, std::uint64_t key) {
        if (key == 1) restore(context, key);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "image") == Values{1});
    CHECK(close(seen.times_s(0, "restored"), {6}, engine));
    CHECK(seen.log.size() == 2);                             // nothing came late
    CHECK(seen.metric("termination_time_s") == Approx(13));  // the second message is discarded
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("a rollback undoes that a rank has finished") {
  for (const scenario::EngineKind engine : engines())
    for (const bool rolls_back : {false, true}) {
      Job job(2);
      job.spec.stop.when = scenario::StopWhen::finished;
      use_own<Finishing>(job, Family::workload);
      job.script(Family::message_logging, [&job, rolls_back](ActorId self) {
        return rolls_back && self == 0 ? rolling_back(job) : Handlers{};
      });
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::finished);
      CHECK(seen.metric("end_time_s") == Approx(rolls_back ? 54 : 30));
      CHECK(seen.violations().empty());
    }
}

namespace {

struct ReleaseAll {
  static constexpr std::uint16_t kRequest = 1004;
  std::int64_t unused = 0;
};

/// A layer that holds what is sent until it is asked.
class Holding final : public TerminationDetector {
 public:
  explicit Holding(Job&) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Holding>(*this);
  }
  void on_sends(TerminationContext&, std::span<Message* const> batch, bool) override {
    for (const Message* message : batch) held_.push_back(*message);
  }
  void on_request(TerminationContext& context, const StackRequest&) override {
    for (const Message& message : std::exchange(held_, {})) context.release(message);
  }

 private:
  void digest_state(Digest& into) const override { into.add(held_); }
  std::vector<Message> held_;
};

}  // namespace

TEST_CASE("messages that were held when an image was taken are held again, others are void") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(
        Family::workload,
        [&job](ActorId) {
          return Handlers{.start = [](ScriptContext& context) { context.send(0, 0, 0); },
                          .message = [&job](ScriptContext& context,
                                            const Message&) { job.note(context, "got"); }};
        },
        WorkloadTraits{.has_images = true});
    use_own<Holding>(job, Family::termination);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      const auto image = std::make_shared<Image>();
      handlers.start = [](ScriptContext& context) {
        for (std::uint64_t at = 10; at <= 70; at += 10)
          context.set_timer(at, static_cast<double>(at));
      };
      handlers.timer = [=, &job](ScriptContext& context, std::uint64_t at) {
        if (at == 10)
          capture(job, context, *image);
        else if (at == 20 || at == 40 || at == 70)
          context.ask(Family::termination, ReleaseAll{});
        else
          context.restore(*image);
      };
      return handlers;
    });
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 100;
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "image") == Values{1});
    CHECK(close(seen.times_s(0, "got"), {24, 44, 74}, engine));
    CHECK(seen.metric("application_messages") == 1);
    CHECK(seen.metric("application_messages_resent") == 3);
    CHECK(seen.metric("application_messages_rolled_back") == 1);  // at 60
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a rank that goes back to an earlier phase begins the next one again") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(
        Family::workload,
        [&job](ActorId self) {
          Handlers handlers;
          handlers.start = [self](ScriptContext& context) {
            if (self == 1)
              for (const int kind : {0, 1, 0, 2})
                context.send(0, static_cast<std::uint16_t>(kind), 0);
            if (self > 0) context.set_timer(1, 100.0 * self);
            if (self == 1) context.start_phase();
          };
          handlers.timer = [self](ScriptContext& context, std::uint64_t) {
            context.send(0, self == 1 ? 0 : 1, 0);
          };
          handlers.message = [&job](ScriptContext& context, const Message& message) {
            job.note(context, "phase", context.phase());
            if (message.kind == 1) context.start_phase();
          };
          return handlers;
        },
        WorkloadTraits{.has_images = true});
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      const auto keeping = std::make_shared<Keeping>();
      handlers.receive = [=, &job](ScriptContext& context, Message& message) {
        if (++keeping->received == 1) capture(job, context, keeping->image);
        if (message.kind != 2) return Passage::deliver;
        context.discard(message);
        context.restore(keeping->image);
        return Passage::hold;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    // The image is of phase 0. What rank 1 sends in phase 1, at 100, waits until rank 2's message
    // of 200 has begun that phase at rank 0 once more.
    CHECK(seen.values(0, "phase") == Values{0, 0, 1, 0, 1});
    CHECK(close({seen.times_s(0, "phase")[3]}, {212}, engine));
    CHECK(seen.violations().empty());
  }
}

}  // namespace faultline::engine
