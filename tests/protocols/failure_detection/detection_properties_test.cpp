// The failure detectors under random schedules of deaths and disturbances: they find every death,
// report nobody who lives where nothing is wrong with the network, and tell everybody once. And
// with one mistake each, which the search must find: only then does it mean something that it finds
// nothing in the real ones.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/lemmas/detection_subjects.hpp"
#include "analysis/lemmas/lemma_search.hpp"
#include "protocols/failure_detection/heartbeat_ring.hpp"
#include "protocols/failure_detection/swim.hpp"
#include "tests/protocols/failure_detection/wrapped_detectors.hpp"
#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

constexpr std::uint16_t kReport = kAfterRing;  ///< of rdaemon and of ulfm
constexpr std::uint64_t kDeadline = 1;         ///< the timer of the ring

bool is_daemon(const Context& context) { return context.self() >= context.job().processes; }

/// Nobody hears that it has a new observer.
class NoRequest final : public Wrapped<NoRequest> {
 public:
  using Wrapped::Wrapped;
  void on_message(Context& context, const Message& message) override {
    if (!is_daemon(context) || message.kind != kHeartbeatRequest)
      Wrapped::on_message(context, message);
  }
};

/// Takes a second report of the same daemon for a duplicate, whoever it is about.
class DuplicatesBySender final : public Wrapped<DuplicatesBySender> {
 public:
  using Wrapped::Wrapped;
  void on_message(Context& context, const Message& message) override {
    const bool is_report = is_daemon(context) && message.kind == kReport;
    if (!is_report || senders_.insert(message.from).second) Wrapped::on_message(context, message);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(senders_);
  }
  std::set<ActorId> senders_;
};

/// Does not give the next daemon before its emitter the time to hear that it is to send.
class NoGrace final : public Wrapped<NoGrace> {
 public:
  using Wrapped::Wrapped;
  void on_timer(Context& context, std::uint64_t key) override {
    Wrapped::on_timer(context, key);
    if (!is_daemon(context) || key != kDeadline) return;
    hurries_ = !hurries_;  // once, since the last daemon of all has nobody to wait for
    if (hurries_) context.set_timer(kDeadline, 0.0, true);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(hurries_);
  }
  bool hurries_ = false;
};

/// Of its neighbours it hears only those at +2^k, and those at -2^k in vain tell it of deaths.
class HalfOfTheNeighbours final : public Wrapped<HalfOfTheNeighbours> {
 public:
  using Wrapped::Wrapped;
  void on_message(Context& context, const Message& message) override {
    const std::uint32_t nodes = context.job().nodes;
    const std::uint32_t distance = (context.self() + nodes - message.from) % nodes;
    const bool is_power = (distance & (distance - 1)) == 0;
    if (!is_daemon(context) || message.kind != kReport || is_power)
      Wrapped::on_message(context, message);
  }
};

template <class Mistake>
Mutation with_mistake(Registration& mistaken) {
  return [&mistaken](RunSpec& spec) {
    make_mistaken<Mistake>(spec, Family::failure_detection, mistaken);
  };
}

Mutation with_option(const std::string& name, const OptionValue& value) {
  return [=](RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::failure_detection)].options.at(name) = value;
  };
}

std::string said(const std::optional<BrokenPromise>& broken) {
  return broken ? lemma_figure_word(broken->figure) + ": " + broken->text : std::string();
}

/// The mistake shows in that way in one of so many schedules, and not in what shrinking leaves of
/// it once the mistake is mended.
void check_found(const std::string& name, const Mutation& mutation, LemmaFigure figure,
                 std::uint64_t schedules) {
  const LemmaSubject& subject = detection_subject(name);
  const Judge judge = [&](const FaultSchedule& schedule) -> std::optional<BrokenPromise> {
    auto broken = run_lemma(schedule, subject.stack, EngineKind::loggp, mutation).broken;
    return broken && broken->figure == figure ? broken : std::nullopt;
  };
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    const FaultSchedule schedule = subject.draw(number);
    const auto broken = judge(schedule);
    if (!broken) continue;
    const LemmaCounterexample found = shrink({schedule, *broken}, judge, 3);
    INFO("schedule " << number << ": "
                     << replay_files(found.schedule, subject.stack, EngineKind::loggp,
                                     found.broken.text, "m.json")
                            .scenario);
    CHECK(judge(found.schedule) == found.broken);
    CHECK(said(run_lemma(found.schedule, subject.stack, EngineKind::loggp).broken) == "");
    return;
  }
  FAIL(name << ": not found in " << schedules << " schedules");
}

}  // namespace

TEST_CASE("failure detectors find all deaths, err nowhere on a quiet network, and tell once") {
  for (const LemmaSubject& subject : detection_subjects())
    for (const EngineKind engine : engines())
      for (std::uint64_t number = 1; number <= (engine == EngineKind::loggp ? 400 : 5); ++number) {
        const FaultSchedule schedule = subject.draw(number);
        const auto judged = [&] { return said(run_lemma(schedule, subject.stack, engine).broken); };
        INFO(engine_word(engine) << " " << subject.name << ", schedule " << number);
        REQUIRE((engine == EngineKind::loggp ? judged() : in_child(judged)) == "");
      }
}

TEST_CASE("the search finds an rdaemon that asks nobody for heartbeats") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<NoRequest>(mistaken), LemmaFigure::false_report, 1000);
}

TEST_CASE("the search finds an rdaemon that knows duplicates by their sender") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<DuplicatesBySender>(mistaken), LemmaFigure::missed, 1000);
}

TEST_CASE("the search finds an rdaemon without a grace") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<NoGrace>(mistaken), LemmaFigure::false_report, 1000);
}

TEST_CASE("the search finds an rdaemon with half of its neighbours") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<HalfOfTheNeighbours>(mistaken), LemmaFigure::missed, 1000);
}

TEST_CASE("the search finds a swim that never refutes") {
  for (const char* name : {"swim", "swim without lifeguard", "swim of daemons"}) {
    Registration mistaken;
    check_found(name, with_mistake<NeverRefutes>(mistaken), LemmaFigure::false_report, 1000);
  }
}

TEST_CASE("the search finds a swim that sends each update once") {
  check_found("swim without lifeguard", with_option("retransmit_multiplier", std::int64_t{1}),
              LemmaFigure::false_report, 2000);
}

TEST_CASE("the search finds an ulfm without its late-loop rule") {
  check_found("ulfm", with_option("late_loop_rule", false), LemmaFigure::false_report, 2000);
}

TEST_CASE("schedules for failure detectors differ in everything that they may differ in") {
  std::set<std::string> seen;
  for (std::uint64_t number = 1; number <= 1000; ++number) {
    const FaultSchedule schedule = draw_detection_schedule(number, {});
    CHECK((nodes_of(schedule) >= 3 && nodes_of(schedule) <= 16));
    seen.insert(schedule.workload);
    if (schedule.processes_per_node > 1) seen.insert("full nodes");
    if (schedule.loss_probability > 0) seen.insert("loss");
    if (schedule.delay_noise_s > 0) seen.insert("delay");
    if (schedule.start_delay_s > 0) seen.insert("late start");
    if (schedule.os_noise) seen.insert("interruptions");
    if (!schedule.partitions.empty()) seen.insert("partition");
    if (!schedule.slow.empty()) seen.insert("slow");
    if (schedule.until_reported) seen.insert("until all is reported");
    for (const FaultSpec& fault : schedule.faults) {
      if (fault.time_s == 0.0) seen.insert("at the start");
      if (fault.event) seen.insert("at an event");
      if (fault.mark) seen.insert("at a mark");
      if (!fault.ranks.empty()) seen.insert("of a rank");
      if (!fault.nodes.empty()) seen.insert("of a node");
      if (!fault.daemons.empty()) seen.insert("of a daemon");
    }
  }
  CHECK(seen.size() == 4 + 8 + 6);
}

TEST_CASE("a schedule for a failure detector is replayed from its files") {
  for (const LemmaSubject& subject : detection_subjects())
    for (std::uint64_t number = 1; number <= 40; ++number) {
      const TemporaryDirectory directory;
      const FaultSchedule schedule = subject.draw(number);
      const ReplayFiles files =
          replay_files(schedule, subject.stack, EngineKind::loggp, "replay", "./machine.json");
      static_cast<void>(directory.write("machine.json", files.machine));
      const Scenario scenario =
          load_scenario(directory.write("scenario.json", files.scenario).string());
      const RunResult again =
          run_simulation(scenario.points.front(), scenario.engine, scenario.seed, 0);
      const RunResult first = run_lemma(schedule, subject.stack, EngineKind::loggp).result;
      INFO(subject.name << ", schedule " << number);
      CHECK(again.outcome == first.outcome);
      CHECK(again.events == first.events);
      CHECK(again.metrics.values() == first.metrics.values());
    }
}

// What the search has found: a rank dies, and its node before its daemon has told anybody.
TEST_CASE("who hears of a node's death hears of the ranks that have died there before") {
  for (const EngineKind engine : engines())
    for (const char* name : {"rdaemon", "swim of daemons", "connection-loss"}) {
      FaultSchedule schedule;
      schedule.processes = 8;
      schedule.processes_per_node = 2;
      schedule.silent_loss_s = 0.05;
      schedule.faults.resize(2);
      schedule.faults[0].time_s = 0.1;
      schedule.faults[0].ranks = {5};
      schedule.faults[1].time_s = 0.1 + schedule.exit_delay_s / 2;
      schedule.faults[1].nodes = {2};
      const auto judged = [&] {
        return said(run_lemma(schedule, detection_subject(name).stack, engine).broken);
      };
      INFO(engine_word(engine) << " " << name);
      CHECK((engine == EngineKind::loggp ? judged() : in_child(judged)) == "");
    }
}
