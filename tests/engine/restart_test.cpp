// An actor may restart on a stated node under a new incarnation; what was its own before is void.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/job.hpp"
#include "workloads/random_task_tree.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// Rank 0 restarts rank 1 on that node at that time. Rank 1 notes its starts and what reaches it.
Handlers restarter(Job& job, ActorId self, double time_s, NodeId node) {
  Handlers handlers;
  handlers.start = [=, &job](Context& context) {
    job.note(context, "start");
    if (self == 0) context.set_timer(1000, time_s);
  };
  handlers.timer = [=, &job](Context& context, std::uint64_t key) {
    if (key == 1000)
      context.restart(1, node);
    else
      job.note(context, "timer", static_cast<std::int64_t>(key));
  };
  handlers.message = [&job](Context& context, const Message& message) {
    job.note(context, "got", message.kind);
  };
  handlers.compute_done = [&job](Context& context, std::uint64_t) {
    job.note(context, "computed");
  };
  return handlers;
}

/// Notes the first number that it draws.
class Drawing final : public Component {
 public:
  explicit Drawing(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Drawing>(*this);
  }
  void start(Context& context) override { job_.note(context, "draw", first_of(random)); }
  static std::int64_t first_of(Stream stream) {
    return static_cast<std::int64_t>(stream.next() >> 1U);
  }

 private:
  Job& job_;
};

}  // namespace

TEST_CASE("a restarted actor starts afresh, without its earlier timers and computations") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20, 1);
      const auto start = handlers.start;
      handlers.start = [=](Context& context) {
        start(context);
        if (self == 1 && context.now_s() == 0) {
          context.set_timer(1, 30);
          context.compute(40);
        }
        if (self == 1 && context.now_s() > 0) context.set_timer(2, 100);
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "start"), {0, 20}, engine));
    CHECK(close(seen.times_s(1, "timer"), {120}, engine));
    CHECK(seen.values(1, "timer") == Values{2});
    CHECK(seen.times_s(1, "computed").empty());
    CHECK(seen.metric("failed_ranks") == 0);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("messages to the old incarnation are void, those to the new one arrive") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20, 1);
      const auto start = handlers.start;
      const auto timer = handlers.timer;
      handlers.start = [=](Context& context) {
        start(context);
        for (const int time_s : {3, 9, 18, 21})
          if (self == 2) context.set_timer(static_cast<std::uint64_t>(time_s), time_s);
      };
      handlers.timer = [=](Context& context, std::uint64_t key) {
        if (self == 2)
          context.send(1, static_cast<std::uint16_t>(key), 0);
        else
          timer(context, key);
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    // Sent at 3: on its way when the receiver dies. At 9: to the dead. At 18: would arrive after
    // the restart at 20, but was sent to the dead.
    CHECK(seen.values(1, "got") == Values{21});
    CHECK(close(seen.times_s(1, "got"), {33}, engine));
    CHECK(seen.metric("application_messages_lost") == 3);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("messages that the old incarnation injected arrive after its restart") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 4, 1);
      const auto start = handlers.start;
      handlers.start = [=](Context& context) {
        start(context);
        if (self != 1) return;
        const bool first = context.now_s() == 0;
        for (int i = 0; i < (first ? 3 : 1); ++i)
          context.send(2, static_cast<std::uint16_t>(first ? i : 10), 0);
      };
      return handlers;
    });
    job.kill(2.5, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "got") == Values{0, 1, 10});
    CHECK(close(seen.times_s(2, "got"), {12, 13, 16}, engine));
  }
}

TEST_CASE("a restart on another node changes the way of its messages") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.spec.platform.spare_nodes = 1;
    struct Place {
      NodeId node;
      double cost_s;
    };
    for (const Place place : {Place{0, 4}, Place{1, 12}, Place{2, 12}}) {
      job.script(Family::workload, [&job, place](ActorId self) {
        Handlers handlers = restarter(job, self, 20, place.node);
        const auto start = handlers.start;
        handlers.start = [=](Context& context) {
          start(context);
          if (self == 1 && context.now_s() > 0) context.send(0, 0, 0);
        };
        return handlers;
      });
      job.spec.faults.clear();
      job.kill(5, {1});
      INFO(engine_word(engine) << ", node " << place.node);
      CHECK(close(job.run(engine).times_s(0, "got"), {20 + place.cost_s}, engine));
    }
  }
}

TEST_CASE("a live actor is not restarted") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) { return restarter(job, self, 20, 1); });
    CHECK(close(job.run(engine).times_s(1, "start"), {0}, engine));
  }
}

TEST_CASE("an actor can die and restart again and again") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 10, 1);
      handlers.timer = [](Context& context, std::uint64_t key) {
        context.restart(1, 1);
        if (context.now_s() < 45) context.set_timer(key, 10);
      };
      return handlers;
    });
    for (const double time_s : {5.0, 15.0, 25.0, 42.0}) job.kill(time_s, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "start"), {0, 10, 20, 30, 50}, engine));
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("a new incarnation draws other numbers than the old one, and than the task trees") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    Registration drawing{
        .family = Family::workload, .name = "drawing", .summary = "", .source = "", .traits = {}};
    drawing.make = [&job](const OptionValues&, const JobShape&) -> ComponentFactory {
      return [&job](ActorId) { return std::make_unique<Drawing>(job); };
    };
    job.spec.components[static_cast<std::size_t>(Family::workload)] = {&drawing, {}};
    job.script(Family::failure_detection, [](ActorId) {
      return Handlers{
          .exit_notice = [](Context& context, ActorId dead) { context.restart(dead, dead); },
          .exit_notice_delay_s = 0.5};
    });
    job.spec.stop.when = StopWhen::time;
    job.spec.stop.time_s = 30;
    job.kill(5, {0}).kill(10, {1}).kill(15, {0});
    const Seen seen = job.run(engine);
    const Values at_rank_0 = seen.values(0, "draw");
    const Values at_rank_1 = seen.values(1, "draw");
    REQUIRE(at_rank_0.size() == 3);
    REQUIRE(at_rank_1.size() == 2);
    CHECK(at_rank_0[0] == Drawing::first_of({1, 0, Purpose::workload, 0}));
    CHECK(std::set(at_rank_0.begin(), at_rank_0.end()).size() == 3);
    const std::int64_t tree = Drawing::first_of(task_tree_stream(1, 0));
    const std::int64_t mapping = Drawing::first_of(task_mapping_stream(1, 0));
    CHECK(std::count(at_rank_0.begin(), at_rank_0.end(), tree) == 0);
    CHECK(std::count(at_rank_1.begin(), at_rank_1.end(), mapping) == 0);
  }
}
