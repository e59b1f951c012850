// Whoever hears of a death hears it alone, at a time of its own.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// Ranks that note which deaths they hear of, under an oracle.
void listening(Job& job, double delay_s, double spread_s) {
  job.script(Family::workload, [&job](ActorId) {
    Handlers handlers;
    handlers.peer_failed = [&job](Context& context, Incarnation peer) {
      job.note(context, "failed", peer.actor);
      context.mark("heard", context.self());
    };
    return handlers;
  });
  job.use(Family::failure_detection, "oracle", {{"delay_s", delay_s}, {"spread_s", spread_s}});
}

std::vector<double> first_times(const Seen& seen, Rank ranks) {
  std::vector<double> times;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (!seen.times_s(rank, "failed").empty()) times.push_back(seen.times_s(rank, "failed")[0]);
  return times;
}

}  // namespace

TEST_CASE("notices come apart by spread_s, uniformly") {
  for (const EngineKind engine : engines()) {
    const Rank ranks = engine == EngineKind::loggp ? 2000 : 200;
    Job job(ranks, quick_machine());
    listening(job, 4, 6);
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    std::vector<double> times = first_times(seen, ranks);
    REQUIRE(times.size() == ranks - 1);
    std::sort(times.begin(), times.end());
    CHECK(times.front() >= 9);
    CHECK(times.back() <= 15);
    double worst = 0;  // Kolmogorov's distance from the uniform distribution
    for (std::size_t i = 0; i < times.size(); ++i)
      worst = std::max(worst, std::abs((times[i] - 9) / 6 - (static_cast<double>(i) + 0.5) /
                                                                static_cast<double>(ranks)));
    CHECK(worst < 1.63 / std::sqrt(ranks));  // 1 %
    CHECK(seen.metric("failure_reports") == ranks - 1);
  }
}

TEST_CASE("without a spread all hear at once, and the draws of one death change no other") {
  for (const EngineKind engine : engines()) {
    Job together(6);
    listening(together, 4, 0);
    together.kill(5, {1});
    CHECK(close(first_times(together.run(engine), 6), {9, 9, 9, 9, 9}, engine));

    Job one(6);
    listening(one, 4, 6);
    one.kill(5, {1});
    Job two(6);
    listening(two, 4, 6);
    two.kill(5, {1}).kill(30, {2});
    CHECK(close(first_times(one.run(engine), 6), first_times(two.run(engine), 6), engine));
  }
}

TEST_CASE("between two notices of one death, a listener can act and another can die") {
  for (const EngineKind engine : engines()) {
    Job job(4);
    listening(job, 4, 0);
    job.kill(5, {1});
    job.spec.faults.push_back(at_mark("heard", 2, {3}));
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "failed") == Values{1, 3});
    CHECK(seen.values(2, "failed") == Values{1, 3});
    CHECK(seen.values(3, "failed").empty());
  }
}

TEST_CASE("the grace of a run begins when the last notice has come") {
  for (const EngineKind engine : engines()) {
    Job job(8);
    listening(job, 2, 500);
    job.workload("flood", {{"fanout", 3}});
    job.detector("indep");
    job.spec.stop.grace_s = 100;
    job.kill(0.5, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.violations() == Words{});
  }
}
