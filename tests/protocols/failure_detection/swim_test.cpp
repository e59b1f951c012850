// SPDX-License-Identifier: Apache-2.0

// swim: dead members are found and all hear of them, late members deny that they are dead, others
// help to probe, and updates and suspicions last as long as memberlist's formulas give.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>

#include "protocols/failure_detection/swim.hpp"
#include "tests/protocols/failure_detection/heard_of.hpp"
#include "tests/protocols/failure_detection/wrapped_detectors.hpp"
#include "tests/support/alone.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

constexpr std::uint32_t kRanks = 8;
const OptionValue kNone = std::monostate{};
/// A multiplier of updates: with memberlist's 4, some of eight members may well miss one.
constexpr std::int64_t kSurely = 16;

void use_swim(Job& job, const OptionValues& changes = {}) {
  job.use(Family::failure_detection, "swim", changes);
  job.spec.stop.when = scenario::StopWhen::all_reported;
}

/// Runs on until this time, whichever members have heard of what.
void run_until(Job& job, double time_s) {
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = time_s;
}

/// Ranks of which one computes from 10 s on for so long, and handles no messages meanwhile.
void one_is_late(Job& job, Rank late, double duration_s) {
  job.spec.platform.progress = scenario::Progress::between;
  job.script(Family::workload, [&job, late, duration_s](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (self == late) context.set_timer(1, 10);
    };
    handlers.timer = [=](ScriptContext& context, std::uint64_t) { context.compute(duration_s); };
    handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "failed", peer.actor);
    };
    return handlers;
  });
}

/// Rank 3 does not get what rank 0 sends it itself.
class OneIsDeafToOne final : public Wrapped<OneIsDeafToOne> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    if (context.self() != 3 || message.from != 0) Wrapped::on_message(context, message);
  }
};

/// The member that sent each update, and how often.
using Sent = std::tuple<ActorId, ActorId, Standing, std::uint32_t>;
std::map<Sent, std::uint32_t> sent_updates;

/// Rank 1 tells rank 2 at the start what it is given. What arrives is counted.
class Gossips final : public Wrapped<Gossips> {
 public:
  Gossips(std::unique_ptr<Component> inner, const SwimUpdate& told)
      : Wrapped(std::move(inner)), told_(told) {}
  void start(DetectorContext& context) override {
    Wrapped::start(context);
    if (context.self() == 1) context.attach(context.send(2, kSwimGossip, 64), SwimUpdates{told_});
  }
  void on_message(DetectorContext& context, const Message& message) override {
    if (const auto* updates = context.attached<SwimUpdates>(message))
      for (const SwimUpdate& update : *updates)
        ++sent_updates[{message.from, update.about.actor, update.standing, update.refutations}];
    Wrapped::on_message(context, message);
  }

 private:
  SwimUpdate told_;
};

constexpr SwimUpdate suspicion_of(ActorId suspect, ActorId by = 1, std::uint32_t refutations = 0) {
  return {
      .about = {suspect, 0}, .standing = Standing::suspect, .refutations = refutations, .by = by};
}

std::vector<OptionProblem> problems(const OptionValues& changes, const JobShape& job) {
  const Registration* found = find_registration(Family::failure_detection, "swim");
  OptionValues values;
  for (const OptionSpec& option : found->options) values[option.name] = option.default_value;
  for (const auto& [name, value] : changes) values.at(name) = value;
  return found->check(values, job);
}

std::string problem_option(const OptionValues& changes, std::uint32_t processes = kRanks) {
  const auto found = problems(changes, job_of(processes));
  return found.size() == 1 ? found.front().option : std::to_string(found.size()) + " problems";
}

}  // namespace

TEST_CASE("swim finds a dead rank, and everybody hears of it once") {
  for (const scenario::EngineKind engine : engines())
    for (const bool lifeguard : {true, false})
      for (std::uint64_t seed = 1; seed <= sample_of(20, engine); ++seed) {
        INFO(engine_word(engine) << ", seed " << seed << ", lifeguard " << lifeguard);
        Job job(kRanks, quick_machine());
        listen(job);
        use_swim(job, {{"lifeguard", lifeguard}});
        job.kill(10, {3});
        const Seen seen = job.run(engine, seed);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(differences(seen, kRanks, {3}) == "");
        CHECK(seen.metric("false_reports") == 0);
        CHECK(seen.metric("remembered_members_max") == 1);
        // The others are probed in an order of eight, twice at most until the dead one comes. That
        // takes a period. A suspicion lasts 4 s, or 24 s as long as nobody confirms it.
        const double latency_s = seen.metric("failure_propagation_latency_s");
        CHECK(latency_s > 4);
        CHECK(latency_s < 2 * kRanks + 1 + (lifeguard ? 24 : 4) + 5);
      }
}

TEST_CASE(
    "swim among daemons tells the ranks of a dead rank, of a dead daemon and of a dead node") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2 * kRanks, quick_machine());
    job.spec.platform.processes_per_node = 2;
    listen(job);
    use_swim(job, {{"members", std::string("daemons")}});
    job.kill(10, {3}).kill(60, {}, {}, {2}).kill(120, {}, {5});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(differences(seen, 2 * kRanks, {3, 4, 5, 10, 11}) == "");
    CHECK(seen.metric("false_reports") == 0);
    // The daemon of rank 3 is told by its operating system, and gossips: nobody is suspected.
    for (const Rank rank : {0U, 2U, 15U}) CHECK(seen.times_s(rank, "failed").front() < 12);
    // Only daemons probe.
    CHECK(seen.metric("suspicions") < 2 * kRanks + 1);
  }
}

TEST_CASE("swim hears of many deaths at once, also without any gossip of its own") {
  for (const scenario::EngineKind engine : engines())
    for (const bool gossips : {true, false}) {
      Job job(24, quick_machine());
      listen(job);
      use_swim(job, {{"gossip_members", std::int64_t{gossips ? 3 : 0}},
                     {"reconnect_period_s", kNone}});  // its messages count as gossip, too
      std::vector<Rank> dead{0, 1, 2, 3, 7, 11, 13, 22, 23};
      job.kill(10, dead);
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(differences(seen, 24, dead) == "");
      CHECK(seen.metric("false_reports") == 0);
      CHECK((seen.metric("detection_messages.gossip") > 0) == gossips);
    }
}

// Each of the 7 others probes it in one of 7 periods. That none does so while it computes, which
// takes two and a half periods, is possible, but not usual.
TEST_CASE("a live member whose answers are late is suspected, denies it and stays alive") {
  for (const scenario::EngineKind engine : engines())
    for (const bool lifeguard : {true, false}) {
      std::uint64_t suspected = 0;
      for (std::uint64_t seed = 1; seed <= sample_of(10, engine); ++seed) {
        INFO(engine_word(engine) << ", seed " << seed << ", lifeguard " << lifeguard);
        Job job(kRanks, quick_machine());
        one_is_late(job, 5, 2.5);
        use_swim(job, {{"lifeguard", lifeguard}, {"retransmit_multiplier", kSurely}});
        run_until(job, 60);
        const Seen seen = job.run(engine, seed);
        const bool was_suspected = seen.metric("suspicions") > 0;
        suspected += was_suspected ? 1 : 0;
        CHECK((seen.metric("refutations") > 0) == was_suspected);
        CHECK(seen.metric("false_reports") == 0);
        CHECK(seen.count("failed") == 0);
      }
      CHECK(suspected > sample_of(10, engine) / 2);
    }
}

TEST_CASE("a swim that never denies a suspicion is found by the same run") {
  for (const scenario::EngineKind engine : engines()) {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= sample_of(10, engine); ++seed) {
      Job job(kRanks, quick_machine());
      one_is_late(job, 5, 2.5);
      use_swim(job, {{"retransmit_multiplier", kSurely}});
      run_until(job, 60);
      Registration mistaken;
      make_mistaken<NeverRefutes>(job.spec, Family::failure_detection, mistaken);
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK(seen.metric("refutations") == 0);
      found += seen.metric("false_reports") > 0 ? 1 : 0;
    }
    CHECK(found > sample_of(10, engine) / 2);
  }
}

TEST_CASE("others probe for a member whose own probe does not arrive") {
  for (const scenario::EngineKind engine : engines())
    for (const std::int64_t helpers : {0, 1, 3}) {
      Job job(kRanks, quick_machine());
      listen(job);
      // Without exchanges of all that is known, which the deaf one would not get either.
      use_swim(job, {{"indirect_probes", helpers}, {"push_pull_period_s", kNone}});
      run_until(job, 60);
      Registration changed;
      make_mistaken<OneIsDeafToOne>(job.spec, Family::failure_detection, changed);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", " << helpers << " helpers");
      // In 60 s, rank 0 probes rank 3 about eight times. That one probes rank 0 as often, and does
      // not get its answers; with helpers it does.
      CHECK((seen.metric("rescued_probes") > 10) == (helpers > 0));
      CHECK((seen.metric("suspicions") == 0) == (helpers > 0));
      CHECK(seen.metric("detection_messages.ping-request") ==
            static_cast<double>(helpers) * seen.metric("rescued_probes"));
    }
}

TEST_CASE("a member that probes for another one reports when it has had no answer") {
  for (const scenario::EngineKind engine : engines())
    for (const bool lifeguard : {true, false}) {
      Job job(kRanks, quick_machine());
      listen(job);
      use_swim(job, {{"lifeguard", lifeguard}, {"indirect_probes", std::int64_t{2}}});
      job.kill(10, {3});
      const Seen seen = job.run(engine);
      CHECK((seen.metric("detection_messages.nack") > 0) == lifeguard);
      CHECK(seen.metric("detection_messages.nack") <=
            seen.metric("detection_messages.ping-request"));
      CHECK(seen.metric("detection_messages.fallback-ping") > 0);
    }
}

TEST_CASE("each member sends an update lambda log10(N + 1) times, rounded up") {
  for (const scenario::EngineKind engine : engines())
    for (const auto& [members, lambda, times] :
         {std::tuple{8U, 4, 4U}, std::tuple{9U, 4, 4U}, std::tuple{10U, 4, 8U},
          std::tuple{12U, 3, 6U}, std::tuple{12U, 4, 8U}}) {
      Job job(members, quick_machine());
      listen(job);
      use_swim(job,
               {{"retransmit_multiplier", std::int64_t{lambda}}, {"push_pull_period_s", kNone}});
      run_until(job, 40);
      Registration changed;
      make_mistaken<Gossips>(job.spec, Family::failure_detection, changed, suspicion_of(4));
      // The counts are those of this process.
      if (engine == scenario::EngineKind::simgrid) continue;
      sent_updates.clear();
      const Seen seen = job.run(engine);
      INFO(members << " members, lambda " << lambda);
      CHECK(seen.metric("refutations") == 1);
      // Rank 4 denies the suspicion once, and everybody passes that on.
      std::uint32_t senders = 0;
      for (const auto& [sent, count] : sent_updates) {
        const auto& [from, about, standing, refutations] = sent;
        CHECK(about == 4);
        if (standing != Standing::alive) continue;
        ++senders;
        CHECK(refutations == 1);
        CHECK(count == times);
      }
      CHECK(senders == members);
      // It is not declared dead, and members that still have to report the suspicion no longer do.
      CHECK(seen.metric("false_reports") == 0);
      CHECK(sent_updates.count({4, 4, Standing::suspect, 0}) == 0);
    }
}

TEST_CASE("a message has room for as many updates as fit its packet") {
  UpdateQueue queue;
  for (ActorId actor = 0; actor < 5; ++actor) queue.add(suspicion_of(actor));
  const auto abouts = [&queue](std::size_t count, std::uint32_t limit) {
    Values found;
    for (const SwimUpdate& update : queue.take(count, limit)) found.push_back(update.about.actor);
    return found;
  };
  // The newest first, then those that were sent least often, and none more than three times.
  CHECK(abouts(2, 3) == Values{4, 3});
  CHECK(abouts(2, 3) == Values{2, 1});
  CHECK(abouts(2, 3) == Values{0, 4});
  queue.add({.about = {2, 0}, .standing = Standing::dead, .by = 1});  // in the place of the other
  CHECK(abouts(9, 3) == Values{2, 3, 1, 0, 4});
  CHECK(abouts(9, 3) == Values{2, 3, 1, 0});
  CHECK(abouts(9, 3) == Values{2});
  CHECK(queue.empty());
  CHECK(abouts(9, 3).empty());
}

TEST_CASE("suspicions last as long as memberlist's formulas say") {
  SwimOptions options;
  // In periods, from memberlist's 4 max(1, log10 N).
  CHECK(options.least_suspicion_s(2) == Approx(4));
  CHECK(options.least_suspicion_s(10) == Approx(4));
  CHECK(options.least_suspicion_s(64) == Approx(7.2).epsilon(0.005));
  CHECK(options.least_suspicion_s(256) == Approx(9.6).epsilon(0.005));
  CHECK(options.least_suspicion_s(1024) == Approx(12).epsilon(0.005));
  options.heartbeat_period_s = 0.5;
  CHECK(options.least_suspicion_s(100) == Approx(4));
  // Six times as long without a confirmation, shorter by log 2 / log 3 of the rest after the first.
  CHECK(options.suspicion_s(10, 0, 2) == Approx(60));
  CHECK(options.suspicion_s(10, 1, 2) == Approx(60 - 50 * std::log(2) / std::log(3)));
  CHECK(options.suspicion_s(10, 2, 2) == Approx(10));
  CHECK(options.suspicion_s(10, 0, 0) == Approx(10));
  options.lifeguard = false;
  CHECK(options.suspicion_s(10, 0, 2) == Approx(10));
  // Full exchanges every 30 s up to 32 members, every 60 s up to 64, every 90 s up to 128.
  for (const auto& [members, expected_s] :
       {std::pair{2U, 30.0}, std::pair{32U, 30.0}, std::pair{33U, 60.0}, std::pair{64U, 60.0},
        std::pair{65U, 90.0}, std::pair{49152U, 360.0}})
    CHECK(options.push_pull_s(members) == Approx(expected_s));
}

// A suspicion that comes right after the death: rank 2 suspects rank 4 from then on.
TEST_CASE("a suspect is declared dead when its time is over") {
  for (const scenario::EngineKind engine : engines())
    for (const bool lifeguard : {true, false}) {
      Job job(kRanks, quick_machine());
      listen(job);
      // Nobody probes before 400 s, so nobody can confirm it; 4 periods are the least time.
      use_swim(job, {{"heartbeat_period_s", 1e4},
                     {"gossip_members", std::int64_t{0}},
                     {"push_pull_period_s", kNone},
                     {"lifeguard", lifeguard}});
      job.kill(1e-9, {4});
      Registration changed;
      make_mistaken<Gossips>(job.spec, Family::failure_detection, changed, suspicion_of(4));
      job.spec.stop.time_s = 1e9;
      // Ranks 0 to 7 but for 1, 2 and 4 are gone, too, so that probes change nothing.
      job.kill(1e-9, {0, 3, 5, 6, 7});
      const Seen seen = job.run(engine);
      const auto times_s = seen.times_s(2, "failed");
      const auto heard = seen.values(2, "failed");
      REQUIRE(std::count(heard.begin(), heard.end(), 4) == 1);
      const auto at = std::find(heard.begin(), heard.end(), 4) - heard.begin();
      // With Lifeguard, one confirmation can come from rank 1: that leaves 24 periods, or
      // 24 - 20 log 2 / log 3 = 11.4.
      const double least_s = lifeguard ? 11.38e4 : 4e4;
      CHECK(times_s[static_cast<std::size_t>(at)] >= least_s);
      CHECK(times_s[static_cast<std::size_t>(at)] <= (lifeguard ? 24.1e4 : 4e4 + 1));
    }
}

TEST_CASE("a member that is declared dead while it lives stops, and everybody hears of it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(kRanks, quick_machine());
    listen(job);
    use_swim(job, {{"rejoin", false}});
    run_until(job, 60);
    Registration changed;
    make_mistaken<Gossips>(
        job.spec, Family::failure_detection, changed,
        SwimUpdate{.about = {4, 0}, .standing = Standing::dead, .refutations = 0, .by = 1});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("failed_ranks") == 1);
    CHECK(differences(seen, kRanks, {4}) == "");
  }
}

// Rank 7 is cut off for 20 periods, and declared dead meanwhile; it has suspected the others for
// too short a time to declare them dead. Gossip of its death is over when the network is whole
// again.
TEST_CASE("a member that was cut off hears of its death from those that take it for dead") {
  for (const scenario::EngineKind engine : engines())
    for (const bool reconnects : {true, false})
      for (std::uint64_t seed = 1; seed <= sample_of(20, engine); ++seed) {
        Job job(8, quick_machine());
        listen(job);
        const OptionValue period = reconnects ? OptionValue(2.0) : OptionValue();
        job.use(Family::failure_detection, "swim",
                {{"rejoin", false}, {"reconnect_period_s", period}});
        job.spec.partitions = {{.groups = {{7}, {0, 1, 2, 3, 4, 5, 6}}, .from_s = 5, .to_s = 25}};
        run_until(job, 200);
        const Seen seen = job.run(engine, seed);
        INFO(engine_word(engine) << ", seed " << seed);
        CHECK(seen.metric("false_reports") == (reconnects ? 1 : 8));
        CHECK(seen.metric("failed_ranks") == (reconnects ? 1 : 0));
        if (reconnects) CHECK(differences(seen, 8, {7}) == "");
      }
}

TEST_CASE("without deaths swim sends probes and answers, and remembers nobody") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(kRanks, quick_machine());
    listen(job);
    use_swim(job, {{"push_pull_period_s", kNone}});
    run_until(job, 100.5);
    const Seen seen = job.run(engine);
    // One probe a second and member; the first comes within the first second.
    CHECK(seen.metric("detection_messages.ping") >= 100 * kRanks);
    CHECK(seen.metric("detection_messages.ping") <= 101 * kRanks);
    CHECK(seen.metric("detection_messages") == 2 * seen.metric("detection_messages.ping"));
    CHECK(seen.metric("detection_bytes") == 64 * seen.metric("detection_messages"));
    CHECK(seen.metric("remembered_members_max") == 0);
    CHECK(seen.metric("false_reports") == 0);
  }
}

TEST_CASE("a member probes all others once before it probes one again") {
  static std::map<ActorId, std::vector<ActorId>> probed;
  class Notes final : public Wrapped<Notes> {
   public:
    using Wrapped::Wrapped;
    void on_message(DetectorContext& context, const Message& message) override {
      if (message.kind == kSwimPing) probed[message.from].push_back(context.self());
      Wrapped::on_message(context, message);
    }
  };
  probed.clear();
  Job job(kRanks, quick_machine());
  listen(job);
  use_swim(job);
  run_until(job, 71);
  Registration changed;
  make_mistaken<Notes>(job.spec, Family::failure_detection, changed);
  job.run();
  std::set<std::vector<ActorId>> orders;
  REQUIRE(probed.size() == kRanks);
  for (const auto& [prober, all] : probed) {
    REQUIRE(all.size() >= 70);
    for (std::size_t begin = 0; begin + 7 <= 70; begin += 7) {
      const std::vector<ActorId> round(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                       all.begin() + static_cast<std::ptrdiff_t>(begin + 7));
      CHECK(std::set<ActorId>(round.begin(), round.end()).size() == 7);
      orders.insert(round);
    }
  }
  CHECK(orders.size() > 70);  // of 80
}

TEST_CASE("the digest of swim changes with all that it will act on") {
  const auto after = [](const std::vector<SwimUpdates>& messages, double apart_s = 0.0) {
    Alone alone(Family::failure_detection, "swim", job_of(kRanks), 0);
    alone.start();
    double now_s = 1;
    for (const SwimUpdates& updates : messages) {
      Message message = arriving(Family::failure_detection, 3, kSwimGossip, SwimProbeNumber{});
      message.attachments.put(Family::failure_detection, updates);
      alone.at(now_s).gets(message);
      now_s += apart_s;
    }
    return alone.digest();
  };
  const SwimUpdate alive{.about = {5, 0}, .refutations = 1, .by = 5};
  const SwimUpdate dead{.about = {5, 0}, .standing = Standing::dead, .by = 1};
  const std::vector<std::vector<SwimUpdates>> all{
      {},
      {{suspicion_of(5)}},
      {{suspicion_of(6)}},
      {{suspicion_of(5)}, {suspicion_of(5, 2)}},  // is confirmed
      {{suspicion_of(5)}, {suspicion_of(5, 2)}, {suspicion_of(5, 3)}},
      {{suspicion_of(5)}, {alive}},
      {{alive}},
      {{dead}},
      {{suspicion_of(0)}},                           // of this member: it denies that
      {{suspicion_of(0)}, {suspicion_of(0, 1, 1)}},  // and again
      {{{.about = {0, 0}, .standing = Standing::dead, .by = 1}}}};
  std::set<StateDigest> digests;
  for (const auto& messages : all) digests.insert(after(messages));
  CHECK(digests.size() == all.size());
  // Nothing new: an old suspicion, one by the same, one of a dead member, and that nobody has died.
  CHECK(after({{alive}, {suspicion_of(5)}}) == after({{alive}}));
  CHECK(after({{suspicion_of(5)}, {suspicion_of(5)}}) == after({{suspicion_of(5)}}));
  CHECK(after({{dead}, {suspicion_of(5, 2, 7)}, {alive}}) == after({{dead}}));
  CHECK(after({{{.about = {6, 0}, .by = 6}}}) == after({}));
  // A suspicion that begins later ends later.
  CHECK(after({{}, {suspicion_of(5)}}, 1.0) != after({{}, {suspicion_of(5)}}));
}

TEST_CASE("swim refuses what cannot work") {
  CHECK(problem_option({}) == "0 problems");
  CHECK(problem_option({}, 1) == "members");
  CHECK(problem_option({{"members", std::string("daemons")}}, 1) == "members");
  CHECK(problem_option({{"indirect_probes", std::int64_t{9}}}) == "indirect_probes");
  CHECK(problem_option({{"indirect_probes", std::int64_t{8}}}) == "0 problems");
  CHECK(problem_option({{"answer_timeout_s", 1.0}}) == "answer_timeout_s");
  CHECK(problem_option({{"answer_timeout_s", 0.9}}) == "0 problems");
  CHECK(problem_option({{"packet_bytes", std::int64_t{100}}}) == "packet_bytes");
  const Registration* found = find_registration(Family::failure_detection, "swim");
  for (const OptionSpec& option : found->options)
    if (option.unit == "s" && option.name != "gossip_to_dead_s") {
      INFO(option.name);
      CHECK(option.minimum == 0.0);
      CHECK(option.above_minimum);
    }
}

}  // namespace faultline::failure_detection
