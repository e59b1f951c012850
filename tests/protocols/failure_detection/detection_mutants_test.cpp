// SPDX-License-Identifier: Apache-2.0

// The search for broken promises of failure detectors finds detectors with one mistake each: only
// then does it mean something that it finds nothing in the real ones.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/lemmas/detection_subjects.hpp"
#include "analysis/lemmas/lemma_search.hpp"
#include "protocols/failure_detection/heartbeat_ring.hpp"
#include "sim/engine/engine.hpp"
#include "tests/protocols/failure_detection/ring_mutants.hpp"
#include "tests/protocols/failure_detection/wrapped_detectors.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

template <class Mistake>
lemmas::Mutation with_mistake(Registration& mistaken) {
  return [&mistaken](scenario::RunSpec& spec) {
    make_mistaken<Mistake>(spec, Family::failure_detection, mistaken);
  };
}

lemmas::Mutation with_option(const std::string& name, const OptionValue& value) {
  return [=](scenario::RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::failure_detection)].options.at(name) = value;
  };
}

std::string said(const std::optional<lemmas::BrokenPromise>& broken) {
  return broken ? lemmas::lemma_figure_word(broken->figure) + ": " + broken->text : std::string();
}

/// The mistake shows in that way in one of the schedules, and not in what shrinking leaves of
/// it once the mistake is mended.
void check_found(const std::string& name, const lemmas::Mutation& mutation,
                 lemmas::LemmaFigure figure, std::uint64_t schedules) {
  const lemmas::LemmaSubject& subject = lemmas::detection_subject(name);
  const lemmas::Judge judge =
      [&](const lemmas::FaultSchedule& schedule) -> std::optional<lemmas::BrokenPromise> {
    auto broken =
        lemmas::run_lemma(schedule, subject.stack, scenario::EngineKind::loggp, mutation).broken;
    return broken && broken->figure == figure ? broken : std::nullopt;
  };
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    const lemmas::FaultSchedule schedule = subject.draw(number);
    const auto broken = judge(schedule);
    if (!broken) continue;
    const lemmas::LemmaCounterexample found = lemmas::shrink({schedule, *broken}, judge, 3);
    INFO("schedule " << number << ": "
                     << lemmas::replay_files(found.schedule, subject.stack,
                                             scenario::EngineKind::loggp, found.broken.text,
                                             "m.json")
                            .scenario);
    CHECK(judge(found.schedule) == found.broken);
    CHECK(said(lemmas::run_lemma(found.schedule, subject.stack, scenario::EngineKind::loggp)
                   .broken) == "");
    return;
  }
  FAIL(name << ": not found in " << schedules << " schedules");
}

/// Looks at each heartbeat that reaches a member of a ring, and at whom it observes: the nearest
/// one before it that it has not declared dead.
class HeartbeatWatch final : public audit::RunObserver {
 public:
  HeartbeatWatch(std::uint32_t first, std::uint32_t members) : first_(first), members_(members) {}

  /// Heartbeats of others: of those that the receiver has declared dead, and of the rest.
  [[nodiscard]] std::uint32_t of_the_dead() const { return of_the_dead_; }
  [[nodiscard]] std::uint32_t of_strangers() const { return of_strangers_; }

  void see(const audit::Sight& sight) override {
    if (sight.kind == audit::Sight::Kind::declared_dead) declared_[sight.actor].insert(sight.peer);
    const bool is_heartbeat = sight.kind == audit::Sight::Kind::received &&
                              sight.message->channel == Family::failure_detection &&
                              sight.message->kind == kHeartbeat;
    if (!is_heartbeat || sight.message->from == emitter_of(sight.message->to)) return;
    const auto& dead = declared_[sight.message->to];
    ++(dead.count(sight.message->from) > 0 ? of_the_dead_ : of_strangers_);
  }

 private:
  ActorId emitter_of(ActorId member) {
    const auto before = [this](ActorId m) {
      return first_ + (m - first_ + members_ - 1) % members_;
    };
    ActorId emitter = before(member);
    while (emitter != member && declared_[member].count(emitter) > 0) emitter = before(emitter);
    return emitter;
  }

  std::uint32_t first_;
  std::uint32_t members_;
  std::map<ActorId, std::set<ActorId>> declared_;
  std::uint32_t of_the_dead_ = 0;
  std::uint32_t of_strangers_ = 0;
};

}  // namespace

TEST_CASE("the search finds an rdaemon that asks nobody for heartbeats") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<NoRequest>(mistaken), lemmas::LemmaFigure::false_report,
              1000);
}

TEST_CASE("the search finds an rdaemon that knows duplicates by their sender") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<DuplicatesBySender>(mistaken), lemmas::LemmaFigure::missed,
              1000);
}

TEST_CASE("the search finds an rdaemon without a grace") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<NoGrace>(mistaken), lemmas::LemmaFigure::false_report, 1000);
}

TEST_CASE("the search finds an rdaemon with half of its neighbours") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<HalfOfTheNeighbours>(mistaken), lemmas::LemmaFigure::missed,
              1000);
}

TEST_CASE("the search finds a swim that never refutes") {
  for (const char* name : {"swim", "swim without lifeguard", "swim of daemons"}) {
    Registration mistaken;
    check_found(name, with_mistake<NeverRefutes>(mistaken), lemmas::LemmaFigure::false_report,
                1000);
  }
}

TEST_CASE("the search finds a swim that sends each update once") {
  check_found("swim without lifeguard", with_option("retransmit_multiplier", std::int64_t{1}),
              lemmas::LemmaFigure::false_report, 2000);
}

TEST_CASE("the search finds an ulfm without its late-loop rule") {
  check_found("ulfm", with_option("late_loop_rule", false), lemmas::LemmaFigure::false_report,
              2000);
}

TEST_CASE("the search finds an rdaemon that tells its processes of a death again") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<TellsEachTime>(mistaken), lemmas::LemmaFigure::told_twice,
              1000);
}

TEST_CASE("the search finds an ulfm that tells the application of a death again") {
  Registration mistaken;
  check_found("ulfm", with_mistake<ReportsEachTime>(mistaken), lemmas::LemmaFigure::told_twice,
              1000);
}

// A daemon sends heartbeats to nobody but its observer, and nobody becomes that without observing
// it, or stops to observe it without declaring it dead. So the ring must not rely on that.
TEST_CASE("the search finds an rdaemon that counts anyone's heartbeats, once others send it some") {
  Registration strays;
  const lemmas::Mutation with_strays = with_mistake<StrayHeartbeats>(strays);
  const lemmas::LemmaSubject& subject = lemmas::detection_subject("rdaemon");
  for (std::uint64_t number = 1; number <= 200; ++number) {
    INFO("schedule " << number);
    const lemmas::FaultSchedule schedule = subject.draw(number);
    CHECK(said(lemmas::run_lemma(schedule, subject.stack, scenario::EngineKind::loggp, with_strays)
                   .broken) == "");
  }
  Registration mistaken;
  const lemmas::Mutation with_both = [&](scenario::RunSpec& spec) {
    make_mistaken<AnyonesHeartbeat>(spec, Family::failure_detection, mistaken);
    with_strays(spec);
  };
  check_found("rdaemon", with_both, lemmas::LemmaFigure::missed, 1000);
}

TEST_CASE("heartbeats come from whom a member observes, or from whom it has declared dead") {
  std::uint32_t of_the_dead = 0;
  for (const char* name : {"rdaemon", "rdaemon comparing", "ulfm"})
    for (std::uint64_t number = 1; number <= 1000; ++number) {
      const lemmas::LemmaSubject& subject = lemmas::detection_subject(name);
      const lemmas::FaultSchedule schedule = subject.draw(number);
      const bool of_daemons = subject.stack.detection(schedule).of_daemons;
      HeartbeatWatch watch(of_daemons ? schedule.processes : 0,
                           of_daemons ? lemmas::nodes_of(schedule) : schedule.processes);
      const scenario::RunSpec spec = lemmas::run_spec(schedule, subject.stack);
      engine::run_simulation(spec, scenario::EngineKind::loggp, schedule.seed, 0, &watch);
      INFO(name << ", schedule " << number);
      CHECK(watch.of_strangers() == 0);
      of_the_dead += watch.of_the_dead();
    }
  CHECK(of_the_dead > 0);
}

TEST_CASE(
    "an rdaemon that counts anyone's heartbeats is as good while none come that do not count") {
  const lemmas::LemmaSubject& subject = lemmas::detection_subject("rdaemon");
  std::uint32_t compared = 0;
  for (std::uint64_t number = 1; number <= 400; ++number) {
    const lemmas::FaultSchedule schedule = subject.draw(number);
    HeartbeatWatch watch(schedule.processes, lemmas::nodes_of(schedule));
    const scenario::RunSpec spec = lemmas::run_spec(schedule, subject.stack);
    const engine::RunResult real =
        engine::run_simulation(spec, scenario::EngineKind::loggp, schedule.seed, 0, &watch);
    Registration mistaken;
    const lemmas::LemmaRun other =
        lemmas::run_lemma(schedule, subject.stack, scenario::EngineKind::loggp,
                          with_mistake<AnyonesHeartbeat>(mistaken));
    INFO("schedule " << number);
    CHECK(said(other.broken) == "");
    if (watch.of_the_dead() > 0) continue;
    CHECK(other.result.events == real.events);
    CHECK(other.result.metrics.values() == real.metrics.values());
    ++compared;
  }
  CHECK(compared > 300);
}

}  // namespace faultline::failure_detection
