// SPDX-License-Identifier: Apache-2.0

// swim: a member that is declared dead and lives denies that and comes back, unless reports are
// final. The dead stay dead, and old numbers show nothing, in whatever order messages arrive.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocols/failure_detection/swim.hpp"
#include "tests/protocols/failure_detection/heard_of.hpp"
#include "tests/protocols/failure_detection/wrapped_detectors.hpp"
#include "tests/support/alone.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

constexpr std::uint32_t kRanks = 8;

/// What rank 1 tells rank 2, and when.
struct Told {
  double at_s = 0.0;
  SwimUpdate update;
};

constexpr SwimUpdate news_of(ActorId about, Standing standing, std::uint32_t refutations) {
  return {.about = {about, 0}, .standing = standing, .refutations = refutations, .by = 1};
}

/// Rank 1 tells rank 2 what it is given.
class Tells final : public Wrapped<Tells> {
 public:
  Tells(std::unique_ptr<Component> inner, std::vector<Told> all)
      : Wrapped(std::move(inner)), all_(std::move(all)) {}
  void start(DetectorContext& context) override {
    Wrapped::start(context);
    for (std::size_t i = 0; context.self() == 1 && i < all_.size(); ++i)
      context.set_timer(kFirst + i, all_[i].at_s);
  }
  void on_timer(DetectorContext& context, std::uint64_t key) override {
    if (key < kFirst) return Wrapped::on_timer(context, key);
    context.attach(context.send(2, kSwimGossip, 64), SwimUpdates{all_[key - kFirst].update});
  }

 private:
  static constexpr std::uint64_t kFirst = 100;  ///< key of a timer that swim does not use
  std::vector<Told> all_;
};

/// What the daemon of node 1 tells rank 2, which is on it, of the daemon of node 3: whether it is
/// dead, and how often it had denied that by then.
struct ToldRank {
  bool is_dead = false;
  std::uint32_t denials = 0;
};

constexpr std::uint32_t kPerNode = 2;
constexpr double kBetween_s = 10;  ///< two of these messages

/// The daemon of node 1 tells rank 2 what it is given, in that order.
class TellsRank final : public Wrapped<TellsRank> {
 public:
  TellsRank(std::unique_ptr<Component> inner, std::vector<ToldRank> all)
      : Wrapped(std::move(inner)), all_(std::move(all)) {}
  void start(DetectorContext& context) override {
    Wrapped::start(context);
    for (std::size_t i = 0; context.self() == kRanks + 1 && i < all_.size(); ++i)
      context.set_timer(kFirst + i, kBetween_s * static_cast<double>(i + 1));
  }
  void on_timer(DetectorContext& context, std::uint64_t key) override {
    if (key < kFirst) return Wrapped::on_timer(context, key);
    const ToldRank& told = all_[key - kFirst];
    context.send(2, told.is_dead ? kSwimReport : kSwimReturn, 64)
        .payload.put(NodeNews{{kRanks + 3, 0}, told.denials});
  }

 private:
  static constexpr std::uint64_t kFirst = 100;  ///< key of a timer that swim does not use
  std::vector<ToldRank> all_;
};

/// A swim to which gossip that somebody lives is news, although that one has denied nothing.
class BelievesOldNews final : public Wrapped<BelievesOldNews> {
 public:
  BelievesOldNews(std::unique_ptr<Component> inner, std::vector<Told> all)
      : Wrapped(std::make_unique<Tells>(std::move(inner), std::move(all))) {}
  void on_message(DetectorContext& context, const Message& message) override {
    Message copy = message;
    if (const auto* updates = context.attached<SwimUpdates>(message)) {
      SwimUpdates newer = *updates;
      for (SwimUpdate& update : newer)
        if (message.kind == kSwimGossip && update.standing == Standing::alive &&
            update.refutations == 0)
          ++update.refutations;
      copy.attachments.put(Family::failure_detection, std::move(newer));
    }
    Wrapped::on_message(context, copy);
  }
};

/// A swim whose members soon hear all that others know.
void use_talkative_swim(Job& job, const OptionValues& changes = {}) {
  OptionValues options{{"push_pull_period_s", 5.0}, {"reconnect_period_s", 5.0}};
  for (const auto& [name, value] : changes) options[name] = value;
  job.use(Family::failure_detection, "swim", options);
}

void run_until(Job& job, double time_s) {
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = time_s;
}

/// Each rank sends to all others at that time, and notes from whom it gets something.
void all_talk(Job& job, double at_s) {
  const std::uint32_t ranks = job.spec.platform.processes;
  job.script(Family::workload, [&job, ranks, at_s](ActorId self) {
    return Handlers{
        .start = [at_s](ScriptContext& context) { context.set_timer(1, at_s); },
        .message = [&job](ScriptContext& context,
                          const Message& message) { job.note(context, "got", message.from); },
        .timer =
            [self, ranks](ScriptContext& context, std::uint64_t) {
              for (Rank to = 0; to < ranks; ++to)
                if (to != self) context.send(to, 0, 8);
            },
        .peer_failed = [&job](ScriptContext& context,
                              Incarnation peer) { job.note(context, "failed", peer.actor); }};
  });
}

/// What swim has declared dead and not taken back, summed over its members.
double still_failed(const Seen& seen) {
  return seen.metric("members_failed") - seen.metric("members_returned");
}

/// A run in which member 4 dies at 10 s, and somebody says at 60 s that it lives, which is old
/// news.
template <class Member>
Seen run_with_old_news(double end_s, scenario::EngineKind engine = scenario::EngineKind::loggp,
                       std::uint64_t seed = 1) {
  Job job(kRanks, quick_machine());
  listen(job);
  use_talkative_swim(job);
  run_until(job, end_s);
  job.kill(10, {4});
  Registration changed;
  make_mistaken<Member>(job.spec, Family::failure_detection, changed,
                        std::vector<Told>{{60, news_of(4, Standing::alive, 0)}});
  return job.run(engine, seed);
}

}  // namespace

TEST_CASE("a member that is declared dead and lives denies that, and comes back to all") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(20, engine); ++seed) {
      INFO(engine_word(engine) << ", seed " << seed);
      Job job(kRanks, quick_machine());
      all_talk(job, 90);
      use_talkative_swim(job);
      run_until(job, 100);
      Registration changed;
      make_mistaken<Tells>(job.spec, Family::failure_detection, changed,
                           std::vector<Told>{{10, news_of(4, Standing::dead, 0)}});
      const Seen seen = job.run(engine, seed);
      CHECK(seen.metric("false_reports") == 1);
      CHECK(seen.metric("failed_ranks") == 0);
      CHECK(seen.metric("refutations") >= 1);
      CHECK(seen.metric("members_failed") >= 1);
      CHECK(still_failed(seen) == 0);
      CHECK(seen.metric("flaps") == seen.metric("members_returned"));
      CHECK(static_cast<double>(seen.count("failed")) == seen.metric("members_failed"));
      CHECK(seen.count("got") == std::size_t{kRanks} * (kRanks - 1));
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("a return long after the declaration is no flap") {
  Job job(kRanks, quick_machine());
  all_talk(job, 90);
  use_talkative_swim(job, {{"flap_timeout_s", 1e-6}});
  run_until(job, 100);
  Registration changed;
  make_mistaken<Tells>(job.spec, Family::failure_detection, changed,
                       std::vector<Told>{{10, news_of(4, Standing::dead, 0)}});
  const Seen seen = job.run();
  CHECK(seen.metric("members_returned") >= 1);
  CHECK(seen.metric("flaps") == 0);
}

// Rank 4 denies a suspicion first, and its number is 1 from then on.
TEST_CASE("an accusation that has been denied already is old") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t number : {0U, 1U}) {
      INFO(engine_word(engine) << ", number " << number);
      Job job(kRanks, quick_machine());
      all_talk(job, 90);
      use_talkative_swim(job);
      run_until(job, 100);
      Registration changed;
      make_mistaken<Tells>(job.spec, Family::failure_detection, changed,
                           std::vector<Told>{{10, news_of(4, Standing::suspect, 0)},
                                             {40, news_of(4, Standing::dead, number)}});
      const Seen seen = job.run(engine);
      CHECK(seen.metric("false_reports") == number);
      CHECK(seen.metric("refutations") == 1 + number);
      CHECK(still_failed(seen) == 0);
    }
}

TEST_CASE("only a refutation above the number of the accusation brings a member back") {
  const auto after = [](const std::vector<SwimUpdate>& all, bool are_final, bool rejoin) {
    JobShape job = job_of(kRanks);
    job.reports_are_final = are_final;
    Alone alone(Family::failure_detection, "swim", job, 0, {{"rejoin", rejoin}});
    alone.start();
    alone.at(1);
    for (const SwimUpdate& update : all) {
      Message message = arriving(Family::failure_detection, 3, kSwimGossip, SwimProbeNumber{});
      message.attachments.put(Family::failure_detection, SwimUpdates{update});
      alone.gets(message);
    }
    return alone.digest();
  };
  const SwimUpdate dead = news_of(5, Standing::dead, 2);
  for (const bool are_final : {false, true})
    for (const bool rejoin : {false, true}) {
      const auto then = [&](const SwimUpdate& update) {
        return after({dead, update}, are_final, rejoin) != after({dead}, are_final, rejoin);
      };
      CHECK_FALSE(then(news_of(5, Standing::alive, 1)));
      CHECK_FALSE(then(news_of(5, Standing::alive, 2)));
      CHECK_FALSE(then(news_of(5, Standing::suspect, 3)));
      CHECK(then(news_of(5, Standing::alive, 3)) == (rejoin && !are_final));
    }
  // An accusation below the number that a member is known to have says nothing.
  const SwimUpdate alive = news_of(5, Standing::alive, 3);
  CHECK(after({alive, dead}, false, true) == after({alive}, false, true));
  CHECK(after({alive, dead}, true, true) != after({alive}, true, true));
}

TEST_CASE("a member that has really died stays dead, whatever old news of it comes") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(20, engine); ++seed) {
      INFO(engine_word(engine) << ", seed " << seed);
      const Seen seen = run_with_old_news<Tells>(90, engine, seed);
      CHECK(differences(seen, kRanks, {4}) == "");
      CHECK(seen.metric("members_failed") == kRanks - 1);
      CHECK(seen.metric("members_returned") == 0);
      CHECK(seen.metric("missed_reports") == 0);
      CHECK(seen.metric("false_reports") == 0);
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("a swim that believes old news brings the dead back") {
  CHECK(run_with_old_news<BelievesOldNews>(62).metric("members_returned") > 0);
}

TEST_CASE("a fenced member does not come back, nor does one whose report a protocol acts on") {
  for (const scenario::EngineKind engine : engines())
    for (const bool fences : {true, false}) {
      INFO(engine_word(engine) << (fences ? ", fenced" : ", under a termination detector"));
      Job job(kRanks, quick_machine());
      listen(job);
      use_talkative_swim(job);
      run_until(job, 100);
      if (fences)
        job.spec.platform.fencing = {.by = scenario::FencedBy::resource_manager, .delay_s = 0.0};
      else
        job.detector("indep");
      Registration changed;
      make_mistaken<Tells>(job.spec, Family::failure_detection, changed,
                           std::vector<Told>{{10, news_of(4, Standing::dead, 0)}});
      const Seen seen = job.run(engine);
      CHECK(seen.metric("false_reports") == 1);
      CHECK(seen.metric("failed_ranks") == 1);
      CHECK(seen.metric("members_returned") == 0);
      if (fences) CHECK(seen.metric("fenced_alive") == 1);
      CHECK(differences(seen, kRanks, {4}) == "");
    }
}

// A return is often sent sooner after its report than messages are late in the network without
// order.
TEST_CASE("after a healed cut everybody agrees again, and messages flow") {
  const auto run = [](scenario::EngineKind engine, scenario::Ordering ordering,
                      const std::string& members, std::uint64_t seed) {
    const std::uint32_t per_node = members == "ranks" ? 1 : kPerNode;
    Job job(8 * per_node, quick_machine());
    job.spec.platform.processes_per_node = per_node;
    job.spec.platform.ordering = ordering;
    job.spec.platform.unordered_delay_s = 0.1;
    all_talk(job, 500);
    job.use(Family::failure_detection, "swim", {{"members", members}});
    job.spec.partitions = {{.groups = {{7}, {0, 1, 2, 3, 4, 5, 6}}, .from_s = 5, .to_s = 25}};
    run_until(job, 525);
    const Seen seen = job.run(engine, seed);
    CHECK(seen.metric("false_reports") >= per_node);
    CHECK(seen.metric("failed_ranks") == 0);
    CHECK(still_failed(seen) == 0);
    CHECK(seen.count("got") == std::size_t{8} * per_node * (8 * per_node - 1));
    CHECK(seen.metric("application_messages_lost") == 0);
    CHECK(seen.violations().empty());
  };
  for (const scenario::EngineKind engine : engines())
    for (const auto ordering : {scenario::Ordering::fifo, scenario::Ordering::unordered})
      for (const char* members : {"ranks", "daemons"})
        for (std::uint64_t seed = 1; seed <= sample_of(20, engine); ++seed) {
          INFO(engine_word(engine)
               << (ordering == scenario::Ordering::fifo ? ", fifo" : ", unordered") << ", among "
               << members << ", seed " << seed);
          run(engine, ordering, members, seed);
        }
}

// Rank 2 refuses what comes from the two ranks of the daemon that it takes for dead.
TEST_CASE("a rank believes the later word of its daemon, whichever comes first") {
  struct Case {
    std::vector<ToldRank> told;
    bool refuses = false;
    bool has_reported = true;
  };
  const std::vector<Case> cases{
      {.told = {{true, 0}, {false, 1}}},
      {.told = {{false, 1}, {true, 0}}, .has_reported = false},
      {.told = {{true, 1}, {false, 1}}, .refuses = true},
      {.told = {{false, 1}, {true, 1}}, .refuses = true},
      {.told = {{true, 0}, {true, 1}, {false, 1}}, .refuses = true},
      {.told = {{true, 0}, {true, 1}, {false, 1}, {false, 2}}},
      {.told = {{true, 0}, {false, 2}, {true, 1}, {false, 1}}},
      {.told = {{false, 2}, {true, 1}, {false, 1}, {true, 0}}, .has_reported = false},
  };
  for (const scenario::EngineKind engine : engines())
    for (const Case& one : cases) {
      INFO(engine_word(engine) << ", case " << &one - cases.data());
      Job job(kRanks, quick_machine());
      job.spec.platform.processes_per_node = kPerNode;
      all_talk(job, 90);
      use_talkative_swim(job, {{"members", std::string("daemons")}});
      run_until(job, 100);
      Registration changed;
      make_mistaken<TellsRank>(job.spec, Family::failure_detection, changed, one.told);
      const Seen seen = job.run(engine);
      CHECK(seen.metric("false_reports") == (one.has_reported ? kPerNode : 0));
      CHECK(seen.values(2, "got").size() == kRanks - 1 - (one.refuses ? kPerNode : 0));
      CHECK(seen.count("got") == std::size_t{kRanks} * (kRanks - 1) - (one.refuses ? kPerNode : 0));
      CHECK(seen.violations().empty());
    }
}

// Lifeguard's experiment: what four of 32 members send and what is sent to them is blocked for 16
// periods, while their timers run, and again later. They find that nobody answers.
// HashiCorp reports 50 times fewer with other numbers and times of blocked members.
TEST_CASE(
    "with Lifeguard far fewer members are taken for dead where messages of some are blocked") {
  static constexpr std::uint32_t kMembers = 32;
  static constexpr std::uint32_t kBlocked = 4;
  struct Counts {
    std::size_t about_healthy = 0;
    std::size_t by_healthy = 0;  ///< of these
  };
  const auto counts_of = [](scenario::EngineKind engine, bool lifeguard) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= sample_of(10, engine); ++seed) {
      INFO(engine_word(engine) << ", seed " << seed << ", lifeguard " << lifeguard);
      Job job(kMembers, quick_machine());
      all_talk(job, 290);
      job.use(Family::failure_detection, "swim", {{"lifeguard", lifeguard}});
      std::vector<std::vector<std::uint32_t>> groups(kBlocked + 1);
      for (std::uint32_t node = 0; node < kMembers; ++node)
        groups[std::min(node, kBlocked)].push_back(node);
      for (const double from_s : {10.0, 60.0})
        job.spec.partitions.push_back(
            {.groups = groups, .from_s = from_s, .to_s = from_s + 16, .waits = true});
      run_until(job, 300);
      const Seen seen = job.run(engine, seed);
      for (const Entry& entry : seen.log) {
        if (entry.what != "failed" || entry.value < kBlocked) continue;
        ++counts.about_healthy;
        if (entry.actor >= kBlocked) ++counts.by_healthy;
      }
      CHECK(seen.metric("failed_ranks") == 0);
      CHECK(still_failed(seen) == 0);
      CHECK(seen.violations().empty());
    }
    return counts;
  };
  for (const scenario::EngineKind engine : engines()) {
    const Counts with = counts_of(engine, true);
    const Counts without = counts_of(engine, false);
    INFO(engine_word(engine) << ": " << with.about_healthy << " with, " << without.about_healthy
                             << " without; " << with.by_healthy << " and " << without.by_healthy
                             << " by members that were not blocked");
    CHECK(without.about_healthy > 20 * with.about_healthy);
    CHECK(without.by_healthy > 20 * with.by_healthy);
  }
}

// Some ranks die before a cut into two random groups, of random length, in which messages are lost
// or wait, and some within it or after it. In the end nobody takes the living for dead, and all
// know of the dead.
TEST_CASE("after random deaths and cuts all know the dead, and only the dead") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(200, engine); ++seed) {
      Stream random(seed, 5, Purpose::faults, 0);
      const bool daemons = random.chance(0.3);
      const std::uint32_t per_node = daemons ? 2 : 1;
      const auto nodes = static_cast<std::uint32_t>(4 + random.below(5));
      const std::uint32_t ranks = nodes * per_node;
      Job job(ranks, quick_machine(64));
      job.spec.platform.processes_per_node = per_node;
      const double period_s = 0.01;
      const double end_s = 12;
      all_talk(job, end_s - 0.5);
      job.use(Family::failure_detection, "swim",
              {{"members", std::string(daemons ? "daemons" : "ranks")},
               {"lifeguard", random.chance(0.5)},
               {"heartbeat_period_s", period_s},
               {"gossip_period_s", period_s / 5},
               {"gossip_to_dead_s", 30 * period_s},
               {"push_pull_period_s", 5 * period_s},
               {"reconnect_period_s", 10 * period_s}});
      std::vector<std::vector<std::uint32_t>> groups(2);
      for (NodeId node = 0; node < nodes; ++node) groups[random.below(2)].push_back(node);
      if (!groups[0].empty() && !groups[1].empty())
        job.spec.partitions = {{.groups = groups,
                                .from_s = 0.1,
                                .to_s = 0.1 + 120 * period_s * random.uniform(),
                                .waits = random.chance(0.3)}};
      const auto early = static_cast<std::uint32_t>(random.below(2));
      const auto late = static_cast<std::uint32_t>(random.below(3));
      for (std::uint32_t i = 0; i < early + late; ++i)
        job.kill(i < early ? 0.05 : 0.1 + 2 * random.uniform(), {}, {i + 1});
      run_until(job, end_s);
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << (daemons ? " among daemons" : " among ranks") << ", seed "
                               << seed);
      const std::uint32_t dead = (early + late) * per_node;
      const std::uint32_t live = ranks - dead;
      CHECK(seen.metric("failed_ranks") == dead);
      CHECK(seen.metric("missed_reports") == 0);
      CHECK(seen.violations().empty());
      // All that the living send to the living comes.
      CHECK(seen.count("got") == std::size_t{live} * (live - 1));
      // Who died within the cut may have taken others for dead.
      if (late == 0) CHECK(still_failed(seen) == early * (nodes - early));
    }
}

}  // namespace faultline::failure_detection
