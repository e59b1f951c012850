// SPDX-License-Identifier: Apache-2.0

// connection-loss: by hand, and after any few deaths at once everybody hears of all of them.

#include <catch2/catch.hpp>
#include <set>
#include <utility>
#include <vector>

#include "protocols/failure_detection/connection_loss.hpp"
#include "tests/protocols/failure_detection/heard_of.hpp"
#include "tests/support/alone.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

constexpr std::int64_t kBinary = 2;

/// Ranks, one a node, in a tree with two children each: 0 is above 1 and 2, 1 above 3 and 4.
void connect(Job& job, const std::string& members = "ranks", std::int64_t radix = kBinary) {
  listen(job);
  job.use(Family::failure_detection, "connection-loss", {{"members", members}, {"radix", radix}});
  job.spec.platform.link_lost_delay_s = 3;
  job.spec.platform.silent_link_lost_delay_s = 30;
  job.spec.stop.when = scenario::StopWhen::all_reported;
}

/// Rank 2 takes rank 5, its child, for dead at 5 s although it lives, and tells it so.
class Errs final : public PassThrough<Errs, Detector> {
 public:
  using PassThrough::PassThrough;
  void start(DetectorContext& context) override {
    Forwarding<Detector>::start(context);
    if (context.self() == 2) context.set_timer(1, 5);
  }
  void on_timer(DetectorContext& context, std::uint64_t) override {
    context.send(5, kLossReport, 16).payload.put(Incarnation{5, 0});
    on_link_lost(context, {5, 0});
  }
};

std::vector<OptionProblem> problems(const OptionValues& changes, std::uint32_t processes) {
  const Registration* found = find_registration(Family::failure_detection, "connection-loss");
  OptionValues values;
  for (const OptionSpec& option : found->options) values[option.name] = option.default_value;
  for (const auto& [name, value] : changes) values.at(name) = value;
  return found->check(values, job_of(processes));
}

/// Asks for a new process of that rank on its old node, at these times.
void ask_for(Job& job, Rank rank, const std::vector<std::pair<Rank, double>>& askers) {
  job.script(Family::workload, [&job, rank, askers](ActorId self) {
    return Handlers{
        .start =
            [self, askers](ScriptContext& context) {
              for (const auto& [asker, at_s] : askers)
                if (self == asker && context.incarnation() == 0) context.set_timer(1, at_s);
            },
        .timer =
            [rank](ScriptContext& context, std::uint64_t) {
              context.restart({rank, 0}, RestartOn::same_node);
            },
        .peer_failed = [&job](ScriptContext& context,
                              Incarnation peer) { job.note(context, "failed", peer.actor); }};
  });
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = 400;
}

}  // namespace

TEST_CASE("the death of a rank breaks the links of its neighbours, which tell the others") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(7);
    connect(job);
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    // The link breaks 3 s after the death. A report has 16 bytes and is handled 12.16 s after its
    // send began, which takes 1 s: rank 2 tells rank 6 after it has told rank 5.
    for (const Rank neighbour : {0U, 3U, 4U})
      CHECK(close(seen.times_s(neighbour, "failed"), {8}, engine));
    CHECK(close(seen.times_s(2, "failed"), {8 + 12.16}, engine));
    CHECK(close(seen.times_s(5, "failed"), {8 + 2 * 12.16}, engine));
    CHECK(close(seen.times_s(6, "failed"), {8 + 2 * 12.16 + 1}, engine));
    CHECK(differences(seen, 7, {1}) == "");
    CHECK(seen.metric("failure_detection_latency_s") == Approx(3));
    CHECK(seen.metric("failure_propagation_latency_s") == Approx(3 + 2 * 12.16 + 1));
    CHECK(seen.metric("false_reports") == 0);
    CHECK(seen.metric("detection_messages.report") == 3);  // from 0 to 2, and from 2 to 5 and 6
    // Ranks 3 and 4, and rank 0 for each of them.
    CHECK(seen.metric("reconnections") == 4);
    CHECK(seen.metric("detection_messages.known-dead") == 4);
    CHECK(seen.metric("detection_degree_max") == 3);
  }
}

TEST_CASE("orphans connect to the nearest ancestor that lives, so that its death reaches them") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(15);
    connect(job);
    job.kill(5, {3}).kill(100, {1});  // 7 and 8 are below 3, and then below 1, and then below 0
    const Seen seen = job.run(engine);
    CHECK(differences(seen, 15, {1, 3}) == "");
    for (const Rank orphan : {7U, 8U})
      CHECK(close(seen.times_s(orphan, "failed"), {8, 103}, engine));
    CHECK(close({seen.times_s(0, "failed").back()}, {103}, engine));
  }
}

TEST_CASE("a member that loses a link while its ancestors are dead, too, finds them one by one") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(15);
    connect(job);
    job.kill(5, {3, 1});
    const Seen seen = job.run(engine);
    CHECK(differences(seen, 15, {1, 3}) == "");
    // Rank 7 hears of 3 at 8 s, connects to 1, and hears that this link is broken 3 s later.
    CHECK(seen.values(7, "failed") == Values{3, 1});
    CHECK(close(seen.times_s(7, "failed"), {8, 11}, engine));
    // Rank 0 takes over what 1 has left, and finds 3 dead.
    CHECK(close(seen.times_s(0, "failed"), {8, 11}, engine));
  }
}

TEST_CASE("without an ancestor that lives, the first member takes the place of the root") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(7);
    connect(job);
    job.kill(5, {0});
    const Seen seen = job.run(engine);
    CHECK(differences(seen, 7, {0}) == "");
    CHECK(seen.metric("reconnections") == 2);  // ranks 1 and 2
  }
}

TEST_CASE("after any deaths at once, everybody hears of all of them") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {3U, 6U, 8U})
      for (std::uint32_t dead_set = 1; dead_set + 1 < 1U << processes; ++dead_set) {
        // On simgrid, each run is a process of its own.
        if (engine == scenario::EngineKind::simgrid && dead_set % 17 != 1) continue;
        std::vector<Rank> dead;
        for (Rank rank = 0; rank < processes; ++rank)
          if ((dead_set >> rank & 1U) != 0) dead.push_back(rank);
        if (processes > 6 && dead.size() > 4) continue;
        for (const std::int64_t radix : {1, 2, 3}) {
          INFO(engine_word(engine)
               << ", " << processes << " ranks, radix " << radix << ", dead: " << dead_set);
          Job job(processes, quick_machine());
          connect(job, "ranks", radix);
          job.kill(5, dead);
          const Seen seen = job.run(engine);
          REQUIRE(seen.result.outcome == engine::Outcome::finished);
          REQUIRE(differences(seen, processes, dead) == "");
          REQUIRE(seen.metric("false_reports") == 0);
        }
      }
}

TEST_CASE("deaths at random times while the tree mends reach everybody") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(200, engine); ++seed) {
      Stream random(seed, 0, Purpose::faults, 0);
      const auto processes = static_cast<std::uint32_t>(4 + random.below(30));
      Job job(processes);
      connect(job, "ranks", static_cast<std::int64_t>(1 + random.below(4)));
      std::set<Rank> dead;
      while (dead.size() < 1 + processes / 4) {
        const auto rank = static_cast<Rank>(random.below(processes));
        if (dead.insert(rank).second) job.kill(100 * random.uniform(), {rank});
      }
      INFO(engine_word(engine) << ", seed " << seed);
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(differences(seen, processes, {dead.begin(), dead.end()}) == "");
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("daemons find the death of a rank, of a daemon, and late that of a node") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(12);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.local_exit_delay_s = 2;
    connect(job, "daemons");
    job.kill(5, {3}).kill(100, {}, {}, {2}).kill(200, {}, {5});
    const Seen seen = job.run(engine);
    CHECK(differences(seen, 12, {3, 4, 5, 10, 11}) == "");
    // Daemon 1 hears at 7 s; within the node a message of 16 bytes takes 4.016 s. It has told the
    // daemons of nodes 0, 3 and 4 before, which takes it 1 s each.
    CHECK(close({seen.times_s(2, "failed").front()}, {7 + 3 + 4.016}, engine));
    // The daemon of node 0 has lost the link 3 s after the death of daemon 2; that of node 2, which
    // was above that of node 5, is dead, so that daemon 0 is above it, too: its node fails
    // silently.
    CHECK(seen.times_s(0, "failed").back() > 230);
    CHECK(seen.times_s(0, "failed").back() < 250);
  }
}

TEST_CASE("a member that is told that it is dead stops, and the others hear of that") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(7);
    connect(job);
    Registration erring;
    make_mistaken<Errs>(job.spec, Family::failure_detection, erring);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 200;
    const Seen seen = job.run(engine);
    CHECK(differences(seen, 7, {5}) == "");
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("failed_ranks") == 1);
  }
}

// Rank 0 is above 1, 2 and 3. Rank 1 has rank 2 started again, and is not its neighbour in the
// tree.
TEST_CASE("the death of a new process that has told nobody that it lives reaches everybody") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    connect(job, "ranks", 3);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 400;
    job.script(Family::workload, [&job](ActorId self) {
      return Handlers{
          .start = [self](ScriptContext& context) { context.set_timer(1, self == 1 ? 50 : 1); },
          .timer =
              [self](ScriptContext& context, std::uint64_t) {
                if (self == 1 && context.now_s() > 49) context.restart({2, 0});
              },
          .peer_failed = [&job](ScriptContext& context,
                                Incarnation peer) { job.note(context, "failed", peer.actor); }};
    });
    job.spec.platform.spare_nodes = 1;
    // It has begun to send, which takes 1 s.
    job.kill(5, {2}).kill(50.5, {2});
    const Seen seen = job.run(engine);
    for (const Rank rank : {0U, 1U, 3U}) CHECK(seen.values(rank, "failed") == Values{2, 2});
    // A message takes 12.16 s to rank 0, which may send one itself before it connects to rank 2,
    // and finds that this connection breaks.
    const double heard_s = seen.times_s(0, "failed").back();
    CHECK(heard_s >= 50 + 12.16 + 3 - 1e-6);
    CHECK(heard_s <= 50 + 12.16 + 3 + 2);
    CHECK(seen.metric("detection_messages.lives") == 2);  // from 1 to 0, and from 0 to 3
    CHECK(seen.metric("missed_reports") == 0);
    CHECK(seen.metric("false_reports") == 0);
  }
}

// The resource manager tells only the asking rank of the daemon that has started with rank 1: a
// rank that tells its own daemon, or one that dies before that; then the next one that asks.
TEST_CASE("the death of a new daemon that has told nobody that it lives reaches everybody") {
  for (const scenario::EngineKind engine : engines())
    for (const bool asker_dies : {false, true}) {
      Job job(4);
      connect(job, "daemons", 3);
      ask_for(job, 1, {{3, 80}, {2, 120}});
      job.kill(5, {}, {}, {1}).kill(80.5, {}, {1});
      if (asker_dies) job.kill(80.5, {3});
      const Seen seen = job.run(engine);
      const Values dead = asker_dies ? Values{1, 1, 3} : Values{1, 1};
      for (const Rank rank : {0U, 2U}) CHECK(heard_by(seen, rank, 4) == dead);
      CHECK(seen.metric("missed_reports") == 0);
      CHECK(seen.metric("false_reports") == 0);
    }
}

// Ranks 0 and 1 die with their daemon. Nobody but that has to tell the new process of rank 0 so.
TEST_CASE("a new daemon tells its processes of the ranks that died with the one before") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    connect(job, "daemons", 3);
    ask_for(job, 0, {{2, 80}});
    job.kill(5, {}, {}, {0});
    const Seen seen = job.run(engine);
    CHECK(heard_by(seen, 0, 4) == Values{1});
    for (const Rank rank : {2U, 3U}) CHECK(heard_by(seen, rank, 4) == Values{0, 1});
    CHECK(seen.metric("missed_reports") == 0);
    CHECK(seen.metric("false_reports") == 0);
  }
}

TEST_CASE("the digest of connection-loss is that of what it knows, whatever came first") {
  const auto after = [](const std::vector<ActorId>& lost) {
    Alone alone(Family::failure_detection, "connection-loss", job_of(15), 0,
                {{"members", std::string("ranks")}, {"radix", kBinary}});
    alone.start();
    for (const ActorId peer : lost)
      alone.turn_as<Detector>([peer](Detector& detector, DetectorContext& context) {
        detector.on_link_lost(context, {peer, 0});
      });
    return alone.digest();
  };
  CHECK(after({1, 2}) == after({2, 1}));
  CHECK(after({1, 3}) == after({3, 1}));
  CHECK(after({1, 1}) == after({1}));
  CHECK(std::set<StateDigest>{after({}), after({1}), after({2}), after({1, 2}), after({1, 3}),
                              after({14})}
            .size() == 6);
}

TEST_CASE("connection-loss refuses a job with one member") {
  CHECK(problems({}, 2).empty());
  REQUIRE(problems({}, 1).size() == 1);
  CHECK(problems({}, 1).front().option == "members");
  CHECK(problems({{"members", std::string("ranks")}}, 1).size() == 1);
}

}  // namespace faultline::failure_detection
