// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/detection_promise.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace faultline::lemmas {

namespace {

/// Four ranks, and the daemons 4 and 5 of two nodes.
class Watched {
 public:
  void died(ActorId actor, double time_s) {
    log_.see({.kind = audit::Sight::Kind::died, .time_s = time_s, .actor = actor});
  }
  void reported(ActorId by, ActorId dead, std::uint64_t incarnation = 0) {
    log_.see(
        {.kind = audit::Sight::Kind::reported, .actor = by, .peer = dead, .value = incarnation});
  }
  void declared_dead(ActorId by, ActorId dead) {
    log_.see({.kind = audit::Sight::Kind::declared_dead, .actor = by, .peer = dead});
  }
  [[nodiscard]] const DetectionLog& log() const { return log_; }
  [[nodiscard]] std::string told_twice() const { return log_.told_twice().value_or(""); }

 private:
  DetectionLog log_{4};
};

engine::RunResult result_of(double end_s, double missed, double false_reports = 0) {
  engine::RunResult result;
  result.outcome = engine::Outcome::finished;
  result.metrics.set("end_time_s", end_s);
  result.metrics.set("missed_reports", missed);
  result.metrics.set("false_reports", false_reports);
  return result;
}

std::string said(const std::optional<BrokenPromise>& broken) {
  return broken ? lemma_figure_word(broken->figure) + ": " + broken->text : "";
}

}  // namespace

TEST_CASE("a rank's detector must not report an incarnation twice") {
  Watched once;
  once.reported(0, 3);
  once.reported(1, 3);
  once.reported(0, 2);
  once.reported(0, 3, 1);  // its next incarnation
  CHECK(once.told_twice().empty());
  once.reported(0, 3);
  CHECK(once.told_twice() == "rank 0's detector reported twice that 3 is dead");
  once.reported(1, 3);
  CHECK(once.told_twice() == "rank 0's detector reported twice that 3 is dead");  // the first
  CHECK(said(against_detection({}, result_of(1, 0), once.log())) ==
        "told twice: rank 0's detector reported twice that 3 is dead");
}

TEST_CASE("a rank must not be told twice of one death, whatever is reported") {
  Watched watched;
  watched.reported(0, 5);
  for (const ActorId dead : {5, 2, 3}) watched.declared_dead(0, dead);  // a node and its ranks
  watched.reported(0, 3);                                               // which is no news
  CHECK(watched.told_twice().empty());
  watched.declared_dead(0, 3);
  CHECK(watched.told_twice() == "rank 0 was told twice that 3 is dead");
}

TEST_CASE("a daemon has no application that it could tell twice") {
  Watched watched;
  for (int time = 0; time < 2; ++time) {
    watched.reported(4, 3);
    watched.declared_dead(4, 3);
  }
  CHECK(watched.told_twice().empty());
}

TEST_CASE("no live process may be reported dead where that is promised") {
  const Watched watched;
  DetectionPromise promise;
  CHECK(said(against_detection(promise, result_of(9, 0, 2), watched.log())).empty());
  promise.accurate = true;
  CHECK(said(against_detection(promise, result_of(9, 0, 2), watched.log())) ==
        "false report: 2 live ranks were reported dead");
}

TEST_CASE(
    "a detector that breaks its own bound has missed a death, and other violations come first") {
  engine::RunResult result = result_of(10, 1);
  result.outcome = engine::Outcome::missed_death;
  result.violations = {{"missed-death", 10, ActorId{0}, "ulfm has missed a death"}};
  Watched job;
  job.died(3, 1);
  CHECK_THAT(
      said(against_detection({}, result, job.log())),
      Catch::Matchers::Contains("missed") && Catch::Matchers::Contains("ulfm has missed a death"));
  result.violations.push_back({"credit", 10, ActorId{0}, "credit is lost"});
  CHECK_THAT(said(against_detection({}, result, job.log())),
             Catch::Matchers::Contains("credit is lost"));
}

TEST_CASE("deaths must be known when all has been calm for long enough, if few enough have died") {
  Watched watched;
  watched.died(3, 2);
  watched.died(5, 4);
  const auto judged = [&](double end_s, double calm_s, std::uint32_t fewer_than) {
    DetectionPromise promise;
    promise.complete_after_s = 10.0;
    promise.fewer_dead_than = fewer_than;
    promise.calm_from_s = calm_s;
    return said(against_detection(promise, result_of(end_s, 1), watched.log()));
  };
  const std::string missed = "missed: 1 dead ranks were not known to all 10 s after the last death";
  CHECK(judged(14, 0, 2) == missed);
  CHECK(judged(13, 0, 2).empty());  // too early
  CHECK(judged(14, 5, 2).empty());
  CHECK(judged(15, 5, 2) == missed);
  CHECK(judged(14, 0, 1).empty());  // one daemon is not fewer than one
  CHECK(said(against_detection({}, result_of(99, 1), watched.log())).empty());  // no promise
}

TEST_CASE(
    "whatever the auditor objects to in a run without a termination detector is something else") {
  const Watched watched;
  engine::RunResult result = result_of(1, 0);
  result.violations.push_back({.kind = "hung", .time_s = 1, .actor = {}, .detail = "for ever"});
  CHECK(said(against_detection({}, result, watched.log())) == "other: hung: for ever");
}

}  // namespace faultline::lemmas
