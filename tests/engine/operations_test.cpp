// SPDX-License-Identifier: Apache-2.0

// Sends and receives as values, in runs: what time they take, and what ends them.

#include "sim/core/operations.hpp"

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr OperationKeys kKeys{.message_kind = 1, .timer_key = 1000};

class Program;

/// Something that a rank does.
using Act = std::function<void(WorkloadContext&, Program&)>;

/// What a rank does at a time.
struct Step {
  double time_s;
  std::vector<Act> acts;
};

/// What a rank does in a run.
using Plan = std::vector<Step>;

/// What a rank looks at after each event.
using Look = std::function<void(WorkloadContext&, const Operations&)>;

/// A rank with operations. It notes the number of each operation that ends, and the values that it
/// receives.
class Program final : public Workload {
 public:
  Program(Job& job, Plan plan, Look after)
      : job_(job), plan_(std::move(plan)), after_(std::move(after)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Program>(*this);
  }

  Operations operations{kKeys};

  void send(WorkloadContext& context, ActorId peer, std::uint32_t tag, std::uint32_t bytes,
            std::int64_t value = 0, double timeout_s = kNever) {
    OperationData data;
    data.put(value);
    operations.send(context, peer, tag, bytes, timeout_s, data);
    watched_.push_back({false});
  }
  void receive(WorkloadContext& context, ActorId peer, std::uint32_t tag,
               double timeout_s = kNever) {
    operations.receive(context, peer, tag, timeout_s);
    watched_.push_back({true});
  }
  /// What a copy of this rank has takes the place of its operations.
  void become_a_copy() {
    const std::unique_ptr<Component> copy = clone();
    operations = Operations(kKeys);
    operations = dynamic_cast<const Program&>(*copy).operations;
  }

  void start(WorkloadContext& context) override {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (plan_[i].time_s > 0)
        context.set_timer(i, plan_[i].time_s);
      else
        take(context, plan_[i]);
    }
    look(context);
  }
  void on_timer(WorkloadContext& context, std::uint64_t key) override {
    if (!operations.on_timer(context, key)) take(context, plan_[key]);
    look(context);
  }
  void on_message(WorkloadContext& context, const Message& message) override {
    if (!operations.on_message(context, message)) job_.note(context, "foreign");
    look(context);
  }
  void on_sent(WorkloadContext& context, ActorId to, std::uint16_t kind) override {
    if (!operations.on_sent(context, to, kind)) job_.note(context, "foreign");
    look(context);
  }
  void on_peer_failed(WorkloadContext& context, Incarnation peer) override {
    operations.on_peer_failed(context, peer);
    look(context);
  }
  void on_peer_restarted(WorkloadContext& context, Incarnation peer) override {
    operations.on_peer_restarted(context, peer);
    look(context);
  }

 private:
  void digest_state(Digest& into) const override { into.add(operations); }

  struct Watched {
    bool is_receive;
    OperationState noted = OperationState::pending;
  };

  void take(WorkloadContext& context, const Step& step) {
    for (const Act& act : step.acts) act(context, *this);
  }

  void look(WorkloadContext& context) {
    constexpr std::array kWords{"pending", "done", "failed", "timed out", "cancelled"};
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      const Operation operation = i + 1;
      const OperationState state = operations.state(operation);
      if (state == watched_[i].noted) continue;
      watched_[i].noted = state;
      job_.note(context, kWords[static_cast<std::size_t>(state)],
                static_cast<std::int64_t>(operation));
      if (watched_[i].is_receive && state == OperationState::done)
        job_.note(context, "value", operations.data(operation).get<std::int64_t>());
    }
    if (after_) after_(context, operations);
  }

  Job& job_;
  Plan plan_;
  Look after_;
  std::vector<Watched> watched_;
};

// ---- what programs do ---------------------------------------------------------------------------

Act sends(ActorId peer, std::uint32_t tag, std::uint32_t bytes, std::int64_t value = 0,
          double timeout_s = kNever) {
  return [=](WorkloadContext& context, Program& rank) {
    rank.send(context, peer, tag, bytes, value, timeout_s);
  };
}

Act receives(ActorId peer, std::uint32_t tag, double timeout_s = kNever) {
  return
      [=](WorkloadContext& context, Program& rank) { rank.receive(context, peer, tag, timeout_s); };
}

Act enters_epoch(std::uint32_t epoch) {
  return
      [=](WorkloadContext& context, Program& rank) { rank.operations.enter_epoch(context, epoch); };
}

Act cancels(Operation operation) {
  return
      [=](WorkloadContext& context, Program& rank) { rank.operations.cancel(context, operation); };
}

Act becomes_a_copy() {
  return [](WorkloadContext&, Program& rank) { rank.become_a_copy(); };
}

/// At that time, a rank does these one by one.
template <class... Acts>
Step at(double time_s, Acts... acts) {
  return {time_s, {std::move(acts)...}};
}

/// Runs the job with a program on each rank: rank 0 has the first plan, and so on.
Seen run(Job& job, scenario::EngineKind engine, const std::vector<Plan>& plans,
         const Look& after = {}) {
  job.own(Family::workload, [&job, plans, after](ActorId self) {
    return std::make_unique<Program>(job, self < plans.size() ? plans[self] : Plan{}, after);
  });
  Seen seen = job.run(engine);
  CHECK(seen.count("foreign") == 0);
  CHECK(seen.violations() == Words{});
  return seen;
}

/// Rank 0 sends in epoch 0 and again in epoch 1; both messages have the same tag. Rank 1 receives,
/// gives up at 5, when nothing has come, and receives again.
Seen given_up(scenario::EngineKind engine, const Act& gives_up) {
  Job job(2);
  return run(job, engine,
             {{at(0, sends(1, 5, 0, 100)), at(40, enters_epoch(1), sends(1, 5, 0, 101))},
              {at(0, receives(0, 5)), at(5, gives_up), at(20, receives(0, 5))}});
}

/// Ranks 0 and 1 send to rank 2 at 0 and 20. It waits for both, and for a third that never sends.
Seen waiting_for_two(scenario::EngineKind engine, bool second_dies) {
  Job job(4);
  if (second_dies) job.kill(5, {1}).use(Family::failure_detection, "oracle", {{"delay_s", 4.0}});
  const auto look = [&job](WorkloadContext& context, const Operations& operations) {
    if (context.self() != 2) return;
    const std::vector<Operation> pair{1, 2};
    if (operations.all_done(pair)) job.note(context, "all done");
    if (operations.any_failed(pair)) job.note(context, "any failed");
    if (operations.none_pending(pair)) job.note(context, "none pending");
    if (operations.none_pending()) job.note(context, "not even the third");
  };
  return run(job, engine,
             {{at(0, sends(2, 5, 0))},
              {at(20, sends(2, 5, 0))},
              {at(0, receives(0, 5), receives(1, 5), receives(3, 5))}},
             look);
}

/// The incarnation of rank 1 that is started at 20 sends to rank 2, which has waited for rank 1
/// since 0 and receives again at 40.
Seen restarted_peer(scenario::EngineKind engine, bool recovered) {
  Job job(3);
  job.kill(5, {1});
  if (recovered) job.script(Family::message_logging, [](ActorId) { return starting_afresh(); });
  const Act restarts = [](WorkloadContext& context, Program&) {
    ScriptContext(context).restart(context.known(1), RestartOn::same_node);
  };
  const Act sends_in_its_second_life = [](WorkloadContext& context, Program& rank) {
    if (context.incarnation() == 1) rank.send(context, 2, 5, 0, 100);
  };
  return run(job, engine,
             {{at(20, restarts)},
              {at(0, sends_in_its_second_life)},
              {at(0, receives(1, 5)), at(40, receives(1, 5))}});
}

}  // namespace

TEST_CASE("a send is done when its message has left, a receive when it has come") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    const Seen seen = run(job, engine,
                          {{at(0, sends(1, 5, 200, 42))},  // enters the network at 1
                           {at(0, receives(0, 5))}});
    CHECK(close(seen.times_s(0, "done"), {3}, engine));
    CHECK(close(seen.times_s(1, "done"), {14}, engine));
    CHECK(seen.values(1, "value") == Values{42});
  }
}

TEST_CASE("messages that come before their receives are posted wait for them") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    const Seen seen =
        run(job, engine,
            {{at(0, sends(1, 5, 0, 100), sends(1, 6, 0, 101), sends(1, 5, 0, 102))},
             {at(50, receives(0, 5), receives(0, 5), receives(0, 6), receives(0, 7))}});
    CHECK(seen.values(1, "done") == Values{1, 2, 3});
    CHECK(seen.values(1, "value") == Values{100, 102, 101});
    CHECK(close(seen.times_s(1, "done"), {50, 50, 50}, engine));
  }
}

TEST_CASE("several sends to one peer are done one after the other, in their order") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    const Seen seen =
        run(job, engine, {{at(0, sends(1, 5, 200), sends(2, 5, 300), sends(1, 6, 200))}});
    CHECK(seen.values(0, "done") == Values{1, 2, 3});
    CHECK(close(seen.times_s(0, "done"), {3, 6, 8}, engine));
  }
}

TEST_CASE("a peer that is reported dead fails what is pending with it, and what is begun later") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.kill(5, {0}).use(Family::failure_detection, "oracle", {{"delay_s", 4.0}});
    const Seen seen = run(
        job, engine,
        {{},
         {at(0, receives(0, 5), receives(2, 6)), at(7, sends(0, 5, 5000)),  // leaves from 8 to 58
          at(20, receives(0, 5), sends(0, 5, 0))},
         {at(0, sends(1, 6, 0))}});
    CHECK(seen.values(1, "failed") == Values{1, 3, 4, 5});
    CHECK(close(seen.times_s(1, "failed"), {9, 9, 20, 20}, engine));
    CHECK(seen.values(1, "done") == Values{2});
    CHECK(close(seen.times_s(1, "done"), {12}, engine));
    CHECK(seen.metric("application_messages") == 2);
  }
}

TEST_CASE("a receive times out, and its late message waits for the next receive") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    const Seen seen = run(job, engine,
                          {{at(20, sends(1, 5, 0, 100))},
                           {at(0, receives(0, 5, 30), receives(0, 6, 10), receives(0, 7, 20)),
                            at(50, receives(0, 5, 5), receives(0, 6, 5))}});
    CHECK(seen.values(1, "timed out") == Values{2, 3, 1, 5});
    CHECK(close(seen.times_s(1, "timed out"), {10, 20, 30, 55}, engine));
    CHECK(seen.values(1, "done") == Values{4});
    CHECK(close(seen.times_s(1, "done"), {50}, engine));
    CHECK(seen.values(1, "value") == Values{100});
  }
}

TEST_CASE("a send that has timed out does not end a later one when its message leaves") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    const Seen seen = run(job, engine,
                          {{at(0, sends(1, 5, 5000, 0, 10),  // leaves from 1 to 51
                               sends(1, 6, 200))},           // leaves from 51 to 53
                           {at(0, receives(0, 5), receives(0, 6))}});
    CHECK(seen.values(0, "timed out") == Values{1});
    CHECK(close(seen.times_s(0, "timed out"), {10}, engine));
    CHECK(seen.values(0, "done") == Values{2});
    CHECK(close(seen.times_s(0, "done"), {53}, engine));
    CHECK(close(seen.times_s(1, "done"), {62, 64}, engine));
  }
}

TEST_CASE("a timeout that is not needed does not keep a run alive") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    const Seen seen =
        run(job, engine, {{at(0, sends(1, 5, 0, 0, 1e6))}, {at(0, receives(0, 5, 1e6))}});
    CHECK(seen.count("done") == 2);
    CHECK(seen.metric("end_time_s") == Approx(12));
  }
}

TEST_CASE("the message of a cancelled receive completes the next one, but not in another epoch") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen same = given_up(engine, cancels(1));
    CHECK(close(same.times_s(1, "cancelled"), {5}, engine));
    CHECK(same.values(1, "done") == Values{2});
    CHECK(close(same.times_s(1, "done"), {20}, engine));
    CHECK(same.values(1, "value") == Values{100});

    const Seen next = given_up(engine, enters_epoch(1));
    CHECK(close(next.times_s(1, "cancelled"), {5}, engine));
    CHECK(next.values(1, "done") == Values{2});
    CHECK(close(next.times_s(1, "done"), {52}, engine));
    CHECK(next.values(1, "value") == Values{101});
  }
}

TEST_CASE("a message of a later epoch waits until its receiver enters it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    const Seen seen = run(job, engine,
                          {{at(0, enters_epoch(1), sends(1, 5, 0, 100))},
                           {at(0, receives(0, 5)), at(30, enters_epoch(1), receives(0, 5))}});
    CHECK(seen.values(1, "cancelled") == Values{1});
    CHECK(seen.values(1, "done") == Values{2});
    CHECK(close(seen.times_s(1, "done"), {30}, engine));
  }
}

TEST_CASE("several operations are waited for together, whatever becomes of the others") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen both = waiting_for_two(engine, false);
    CHECK(close(both.times_s(2, "all done"), {32}, engine));
    CHECK(close(both.times_s(2, "none pending"), {32}, engine));
    CHECK(both.count("any failed") == 0);
    CHECK(both.count("not even the third") == 0);

    const Seen one = waiting_for_two(engine, true);
    CHECK(one.count("all done") == 0);
    CHECK(close(one.times_s(2, "any failed"), {9, 12}, engine));
    CHECK(close(one.times_s(2, "none pending"), {12}, engine));
    CHECK(one.count("not even the third") == 0);
  }
}

TEST_CASE("a copy of a component has its pending operations and early messages") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.kill(20, {2}).use(Family::failure_detection, "oracle", {{"delay_s", 4.0}});
    const Seen seen =
        run(job, engine,
            {{at(0, sends(1, 5, 0, 100), sends(1, 9, 0, 101))},
             {at(0, receives(0, 5), receives(0, 6, 30), sends(0, 5, 5000),  // leaves from 1 to 51
                 receives(2, 5)),
              at(7, becomes_a_copy()), at(22, becomes_a_copy()), at(40, receives(0, 9))}});
    CHECK(seen.values(1, "done") == Values{1, 5, 3});
    CHECK(close(seen.times_s(1, "done"), {12, 40, 51}, engine));
    CHECK(seen.values(1, "value") == Values{100, 101});
    CHECK(seen.values(1, "failed") == Values{4});
    CHECK(close(seen.times_s(1, "failed"), {24}, engine));
    CHECK(seen.values(1, "timed out") == Values{2});
    CHECK(close(seen.times_s(1, "timed out"), {30}, engine));
  }
}

TEST_CASE("a restart of the peer fails a receive, unless a layer below recovers the peer") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen told = restarted_peer(engine, false);
    CHECK(told.values(2, "failed") == Values{1});
    CHECK(close(told.times_s(2, "failed"), {32}, engine));
    CHECK(told.values(2, "done") == Values{2});
    CHECK(close(told.times_s(2, "done"), {40}, engine));
    CHECK(told.values(2, "value") == Values{100});

    const Seen recovered = restarted_peer(engine, true);
    CHECK(recovered.count("failed") == 0);
    CHECK(recovered.values(2, "done") == Values{1});
    CHECK(close(recovered.times_s(2, "done"), {32}, engine));
    CHECK(recovered.values(2, "value") == Values{100});
  }
}

}  // namespace faultline::engine
