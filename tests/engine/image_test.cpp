// A layer takes images of what is above it, and puts them back: in a rollback, or after a restart.

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

constexpr MetricSpec kHandled{"handled", Merge::sum, ""};

/// A component of this test. Unlike a script it is a value.
Registration own(Family family, ComponentFactory make, bool has_images = true) {
  Registration registration{.family = family,
                            .name = "own",
                            .summary = "",
                            .source = "",
                            .traits = {.has_images = has_images},
                            .message_kinds = {"a", "b"},
                            .metrics = {&kHandled}};
  registration.make = [make = std::move(make)](const OptionValues&, const JobShape&) {
    return make;
  };
  return registration;
}

void use(Job& job, const Registration& registration) {
  job.spec.components[index_of(registration.family)] = {&registration, {}};
}

/// A new component of that type for each actor.
template <class Made, class... Arguments>
ComponentFactory each(Job& job, Arguments... arguments) {
  return [&job, arguments...](ActorId) { return std::make_unique<Made>(job, arguments...); };
}

/// Tokens go round all ranks. Each rank notes what it makes of a token, from its random numbers and
/// from all that it has seen, and sends that on.
class Walker final : public Workload {
 public:
  Walker(Job& job, int steps) : job_(job), steps_(steps) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Walker>(*this);
  }
  void start(Context& context) override { send(context); }
  void on_message(Context& context, const Message& message) override {
    seen_ = 31 * seen_ + message.payload.get<std::uint64_t>() + random.below(1000);
    seen_ %= 1000003;
    job_.note(context, "step", static_cast<std::int64_t>(seen_));
    if (--steps_ > 0) send(context);
  }
  void on_restored(Context& context) override { job_.note(context, "restored", steps_); }

 private:
  void send(Context& context) const {
    context.send((context.self() + 1) % context.job().processes, 0, 0).payload.put(seen_);
  }
  void digest_state(Digest& into) const override { into.add(steps_, seen_); }

  Job& job_;
  int steps_;
  std::uint64_t seen_ = 0;
};

/// What a layer of these tests keeps.
struct Keeping {
  Image image;
  std::vector<Message> log;
  int received = 0;
  std::uint64_t epoch = 0;
};

/// Captures into `image`, and notes whether there was one.
bool capture(Job& job, Context& context, Image& image, const char* what = "image") {
  const std::optional<Image> captured = context.capture();
  job.note(context, what, captured ? 1 : 0);
  if (captured) image = *captured;
  return captured.has_value();
}

StateDigest digest_of(const Image& image) {
  Digest digest;
  digest.add(image);
  return digest.value();
}

Values first(const Values& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

Values joined(Values values, const Values& others, std::size_t from = 0) {
  values.insert(values.end(), others.begin() + static_cast<std::ptrdiff_t>(from), others.end());
  return values;
}

}  // namespace

TEST_CASE("from an image, a rank goes on exactly as it did from the state that was captured") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    const Registration walker = own(Family::workload, each<Walker>(job, 10));
    use(job, walker);
    bool rolls_back = false;
    job.script(Family::message_logging, [&](ActorId) {
      Handlers handlers;
      const auto keeping = std::make_shared<Keeping>();
      handlers.receive = [=, &job, &rolls_back](Context& context, Message& message) {
        const int received = ++keeping->received;
        if (received == 3) {
          capture(job, context, keeping->image);
          keeping->log.push_back(message);
        }
        if (received != 6 || !rolls_back) return Passage::deliver;
        context.discard(message);
        context.restore(keeping->image);
        return Passage::hold;
      };
      handlers.restored = [keeping](Context& context) { context.resend(keeping->log.front()); };
      return handlers;
    });
    const Values straight = job.run(engine).values(0, "step");
    REQUIRE(straight.size() == 10);
    rolls_back = true;
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
}

TEST_CASE("all ranks roll back, and old messages in flight are discarded by their epoch") {
  for (const EngineKind engine : engines()) {
    Job job(4);
    const Registration walker = own(Family::workload, each<Walker>(job, 20));
    use(job, walker);
    bool rolls_back = false;
    job.script(Family::message_logging, [&](ActorId) {
      Handlers handlers;
      const auto keeping = std::make_shared<Keeping>();
      handlers.start = [&rolls_back](Context& context) {
        if (rolls_back) context.set_timer(1, 50);
      };
      handlers.sends = [keeping](Context& context, std::span<Message* const> batch, bool) {
        for (Message* message : batch) {
          message->logging.put(keeping->epoch);
          if (keeping->image.empty()) keeping->log.push_back(*message);
          context.forward(*message);
        }
      };
      handlers.idle = [keeping, &job](Context& context) {
        if (keeping->image.empty()) capture(job, context, keeping->image);
      };
      handlers.timer = [keeping](Context& context, std::uint64_t) {
        ++keeping->epoch;
        context.restore(keeping->image);
      };
      handlers.restored = [keeping](Context& context) {
        for (const Message& logged : keeping->log)
          context.resend(logged).logging.put(keeping->epoch);
      };
      handlers.receive = [keeping](Context& context, Message& message) {
        if (message.logging.get<std::uint64_t>() == keeping->epoch) return Passage::deliver;
        context.discard(message);
        return Passage::hold;
      };
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

// ---- what cannot be captured --------------------------------------------------------------------

namespace {

struct TakeImage {
  static constexpr std::uint16_t kRequest = 1003;
  std::int64_t unused = 0;
};

/// What a program has under way when it asks for an image.
enum class UnderWay : std::uint8_t {
  nothing,
  mark,
  work,
  message,
  noticed_message,
  timer,
  computation,
  flush,
  end,
  request
};

/// Asks for an image of itself at the start.
class Asking final : public Workload {
 public:
  Asking(Job&, UnderWay under_way) : under_way_(under_way) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Asking>(*this);
  }
  void start(Context& context) override {
    switch (under_way_) {
      case UnderWay::nothing:
        break;
      case UnderWay::mark:
        context.mark("here", 1);
        break;
      case UnderWay::work:
        context.declare_work(1);
        break;
      case UnderWay::message:
        context.send(0, 0, 0);
        break;
      case UnderWay::noticed_message:
        context.send(0, 0, 0).flags |= kNotifySent;
        break;
      case UnderWay::timer:
        context.set_timer(1, 500);
        break;
      case UnderWay::computation:
        context.compute(500);
        break;
      case UnderWay::flush:
        context.flush(0);
        break;
      case UnderWay::end:
        context.finish();
        break;
      case UnderWay::request:
        context.ask(Family::message_logging, TakeImage{});
        break;
    }
    context.ask(Family::message_logging, TakeImage{});
  }

 private:
  void digest_state(Digest& into) const override { into.add(under_way_); }
  UnderWay under_way_;
};

/// Runs a program that asks for an image at the start. One is tried again at 100.
Seen asked(UnderWay under_way, EngineKind engine, bool has_images = true) {
  Job job(1);
  const Registration asking = own(Family::workload, each<Asking>(job, under_way), has_images);
  use(job, asking);
  job.script(Family::message_logging, [&job](ActorId) {
    Handlers handlers;
    const auto image = std::make_shared<Image>();
    handlers.start = [=, &job](Context& context) {
      capture(job, context, *image, "before the start");
      context.set_timer(1, 100);
    };
    handlers.request = [=, &job](Context& context, const StackRequest&) {
      capture(job, context, *image, "asked");
    };
    handlers.timer = [=, &job](Context& context, std::uint64_t) {
      capture(job, context, *image, "later");
    };
    handlers.sends = [=, &job](Context& context, std::span<Message* const> batch, bool) {
      capture(job, context, *image, "offered");
      context.forward(*batch.front());
    };
    return handlers;
  });
  return job.run(engine);
}

}  // namespace

TEST_CASE("nothing is captured while a part of the state is not in the components") {
  struct Case {
    UnderWay under_way;
    Values asked;
    Values later;
  };
  const std::vector<Case> cases{{UnderWay::nothing, {1}, {1}},
                                {UnderWay::mark, {1}, {1}},
                                {UnderWay::work, {1}, {1}},
                                {UnderWay::message, {1}, {1}},
                                {UnderWay::noticed_message, {0}, {1}},
                                {UnderWay::timer, {0}, {0}},
                                {UnderWay::computation, {0}, {0}},
                                {UnderWay::flush, {0}, {1}},
                                {UnderWay::end, {0}, {1}},
                                {UnderWay::request, {0, 1}, {1}}};
  for (const EngineKind engine : engines())
    for (const Case& expected : cases) {
      CAPTURE(engine_word(engine), static_cast<int>(expected.under_way));
      const Seen seen = asked(expected.under_way, engine);
      CHECK(seen.values(0, "before the start") == Values{0});
      CHECK(seen.values(0, "asked") == expected.asked);
      CHECK(seen.values(0, "later") == expected.later);
      const bool sends = expected.under_way == UnderWay::message ||
                         expected.under_way == UnderWay::noticed_message;
      CHECK(seen.values(0, "offered") == (sends ? Values{0} : Values{}));
    }
}

TEST_CASE("a stack with a component that has no images cannot be captured") {
  for (const EngineKind engine : engines()) {
    const Seen seen = asked(UnderWay::nothing, engine, false);
    CHECK(seen.values(0, "asked") == Values{0});
    CHECK(seen.values(0, "later") == Values{0});
  }
}

TEST_CASE("images of equal states have equal digests, whenever they were taken") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    const Registration walker = own(Family::workload, each<Walker>(job, 3));
    use(job, walker);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      const auto images = std::make_shared<std::vector<Image>>();
      handlers.receive = [=, &job](Context& context, Message&) {
        for (int i = 0; i < 2; ++i) capture(job, context, images->emplace_back());
        const Image copy = images->back();
        const bool equal = digest_of(copy) == digest_of(*(images->end() - 2));
        const bool moved = digest_of(copy) != digest_of(images->front());
        job.note(context, "equal", equal ? 1 : 0);
        job.note(context, "moved", moved ? 1 : 0);
        return Passage::deliver;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "image") == Values{1, 1, 1, 1, 1, 1});
    CHECK(seen.values(0, "equal") == Values{1, 1, 1});
    CHECK(seen.values(0, "moved") == Values{0, 1, 1});
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
  void start(Context& context) override { context.send(0, 0, 0); }
  void on_message(Context& context, const Message&) override {
    context.set_timer(1, 50);
    context.compute(40);
    context.compute(40);
    context.declare_work(1);
    context.send(0, 1, 5000).flags |= kNotifySent;
    context.flush(0);
  }
  void on_timer(Context& context, std::uint64_t) override { job_.note(context, "late timer"); }
  void on_compute_done(Context& context, std::uint64_t) override {
    job_.note(context, "late computation");
  }
  void on_sent(Context& context, ActorId, std::uint16_t) override {
    job_.note(context, "late on_sent");
  }
  void on_flushed(Context& context, Incarnation) override { job_.note(context, "late on_flushed"); }
  void on_restored(Context& context) override { job_.note(context, "restored"); }

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
  void start(Context& context) override {
    if (context.self() == 0)
      context.send(0, 0, 0);
    else
      context.set_timer(1, 30);
  }
  void on_message(Context& context, const Message&) override { context.finish(); }
  void on_timer(Context& context, std::uint64_t) override { context.finish(); }

 private:
  void digest_state(Digest&) const override {}
};

/// Captures before the first message, which is logged, and restores at 6.
Handlers rolling_back(Job& job) {
  Handlers handlers;
  const auto keeping = std::make_shared<Keeping>();
  handlers.start = [](Context& context) { context.set_timer(1, 6); };
  handlers.receive = [=, &job](Context& context, Message& message) {
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
  handlers.timer = [=](Context& context, std::uint64_t key) {
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
  for (const EngineKind engine : engines()) {
    Job job(1);
    const Registration beginning = own(Family::workload, each<Beginning>(job));
    use(job, beginning);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers = rolling_back(job);
      handlers.timer = [restore = handlers.timer](Context& context, std::uint64_t key) {
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
  for (const EngineKind engine : engines())
    for (const bool rolls_back : {false, true}) {
      Job job(2);
      job.spec.stop.when = StopWhen::finished;
      const Registration finishing = own(Family::workload, each<Finishing>(job));
      use(job, finishing);
      job.script(Family::message_logging, [&job, rolls_back](ActorId self) {
        return rolls_back && self == 0 ? rolling_back(job) : Handlers{};
      });
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::finished);
      CHECK(seen.metric("end_time_s") == Approx(rolls_back ? 54 : 30));
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("the end waits for a dead rank that is being recovered") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.spec.stop.when = StopWhen::finished;
    job.spec.platform.restart_delay_s = 20;
    const Registration finishing = own(Family::workload, each<Finishing>(job));
    use(job, finishing);
    job.script(Family::message_logging, [](ActorId) {
      return Handlers{
          .start =
              [](Context& context) {
                if (context.incarnation() > 0) context.start_above();
              },
          .peer_failed = [](Context& context,
                            Incarnation dead) { context.restart(dead, RestartOn::same_node); },
          .recovers = [](ActorId) { return true; }};
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
    job.kill(10, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("end_time_s") == Approx(10 + 1 + 20 + 30));
    CHECK(seen.violations().empty());
  }
}

namespace {

struct ReleaseAll {
  static constexpr std::uint16_t kRequest = 1004;
  std::int64_t unused = 0;
};

/// A layer that holds what is sent until it is asked.
class Holding final : public Layer {
 public:
  explicit Holding(Job&) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Holding>(*this);
  }
  void on_sends(Context&, std::span<Message* const> batch, bool) override {
    for (const Message* message : batch) held_.push_back(*message);
  }
  void on_request(Context& context, const StackRequest&) override {
    for (const Message& message : std::exchange(held_, {})) context.release(message);
  }

 private:
  void digest_state(Digest& into) const override { into.add(held_); }
  std::vector<Message> held_;
};

}  // namespace

TEST_CASE("messages that were held when an image was taken are held again, others are void") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    job.script(
        Family::workload,
        [&job](ActorId) {
          return Handlers{
              .start = [](Context& context) { context.send(0, 0, 0); },
              .message = [&job](Context& context, const Message&) { job.note(context, "got"); }};
        },
        Traits{.has_images = true});
    const Registration holding = own(Family::termination, each<Holding>(job));
    use(job, holding);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      const auto image = std::make_shared<Image>();
      handlers.start = [](Context& context) {
        for (std::uint64_t at = 10; at <= 70; at += 10)
          context.set_timer(at, static_cast<double>(at));
      };
      handlers.timer = [=, &job](Context& context, std::uint64_t at) {
        if (at == 10)
          capture(job, context, *image);
        else if (at == 20 || at == 40 || at == 70)
          context.ask(Family::termination, ReleaseAll{});
        else
          context.restore(*image);
      };
      return handlers;
    });
    job.spec.stop.when = StopWhen::time;
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

// ---- after a restart ----------------------------------------------------------------------------

namespace {

/// Rank 0 sends to rank 1 at 0, 15 and 100; rank 1 counts.
class Counting final : public Workload {
 public:
  explicit Counting(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Counting>(*this);
  }
  void start(Context& context) override {
    job_.note(context, "started");
    if (context.self() != 0) return;
    for (const double at_s : {0.0, 15.0, 100.0})
      context.set_timer(static_cast<std::uint64_t>(at_s), at_s);
  }
  void on_timer(Context& context, std::uint64_t) override { context.send(1, 0, 0); }
  void on_message(Context& context, const Message&) override {
    job_.note(context, "count", ++count_);
  }
  void on_restored(Context& context) override {
    job_.note(context, "restored", count_);
    job_.note(context, "on", context.placement().node_of(context.self()));
  }
  void report(MetricTotals& totals) const override { totals.put(kHandled, count_); }

 private:
  void digest_state(Digest& into) const override { into.add(count_); }
  Job& job_;
  int count_ = 0;
};

enum Kind : std::uint16_t { kImage, kNone };

/// Rank 1 sends its image to rank 0 at 20. When rank 1 has died, rank 0 has it restarted on a spare
/// node and sends it the image, or says that there is none.
Handlers recovering(Job& job) {
  Handlers handlers;
  const auto keeping = std::make_shared<Keeping>();
  handlers.start = [](Context& context) {
    if (context.self() == 1 && context.incarnation() == 0) context.set_timer(1, 20);
  };
  handlers.timer = [=, &job](Context& context, std::uint64_t) {
    Image image;
    if (capture(job, context, image)) context.attach(context.send(0, kImage, 1000), image);
  };
  handlers.message = [=, &job](Context& context, const Message& message) {
    const auto* image = context.attached<Image>(message);
    if (image == nullptr) return context.start_above();
    if (context.self() == 1) return context.restore(*image);
    keeping->image = *image;
    job.note(context, "kept");
  };
  handlers.peer_failed = [](Context& context, Incarnation dead) { context.restart(dead); };
  handlers.peer_restarted = [=](Context& context, Incarnation peer) {
    const bool has_image = !keeping->image.empty();
    Message& message = context.send(peer.actor, has_image ? kImage : kNone, has_image ? 1000 : 0);
    if (has_image) context.attach(message, keeping->image);
  };
  handlers.recovers = [](ActorId) { return true; };
  return handlers;
}

Seen recovered(double death_s, EngineKind engine) {
  Job job(2);
  job.spec.platform.spare_nodes = 1;
  const Registration counting = own(Family::workload, each<Counting>(job));
  use(job, counting);
  job.script(Family::message_logging, [&job](ActorId) { return recovering(job); });
  job.use(Family::failure_detection, "oracle", {{"delay_s", 10}});
  job.kill(death_s, {1});
  return job.run(engine);
}

}  // namespace

TEST_CASE("a dead rank goes on from its image on a spare node") {
  for (const EngineKind engine : engines()) {
    const Seen seen = recovered(40, engine);
    CHECK(close(seen.times_s(0, "kept"), {42}, engine));
    CHECK(close(seen.times_s(1, "restored"), {72}, engine));
    CHECK(seen.values(1, "restored") == Values{1});
    CHECK(seen.values(1, "on") == Values{2});
    CHECK(seen.times_s(1, "started").size() == 1);
    CHECK(seen.values(1, "count") == Values{1, 2, 2});
    CHECK(close(seen.times_s(1, "count"), {12, 27, 112}, engine));
    // What the dead incarnation has counted is undone: its image has counted it.
    CHECK(seen.metric("handled") == 2);
    CHECK(seen.metric("failed_ranks") == 0);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("an image that has not entered the network when its rank dies is lost") {
  for (const EngineKind engine : engines()) {
    const Seen seen = recovered(20.5, engine);
    CHECK(seen.values(1, "image") == Values{1});
    CHECK(seen.count("kept") == 0);
    CHECK(seen.count("restored") == 0);
    CHECK(close(seen.times_s(1, "started"), {0, 42.5}, engine));
    CHECK(seen.values(1, "count") == Values{1, 1});
    CHECK(seen.metric("handled") == 2);  // in both of its lives
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

// ---- decorators ---------------------------------------------------------------------------------

namespace {

class Wrapped final : public PassThrough<Wrapped, Workload> {
 public:
  using PassThrough::PassThrough;
};

}  // namespace

TEST_CASE("a component that is wrapped is captured, and told that it is restored") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    const Registration wrapped = own(Family::workload, [&job](ActorId) {
      return std::make_unique<Wrapped>(std::make_unique<Walker>(job, 10));
    });
    use(job, wrapped);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      const auto keeping = std::make_shared<Keeping>();
      handlers.receive = [=, &job](Context& context, Message& message) {
        const int received = ++keeping->received;
        if (received == 3) capture(job, context, keeping->image);
        if (received != 5) return Passage::deliver;
        context.discard(message);
        context.restore(keeping->image);
        return Passage::hold;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "image") == Values{1});
    CHECK(seen.values(0, "restored") == Values{8});
    CHECK(seen.violations().empty());
  }
}
