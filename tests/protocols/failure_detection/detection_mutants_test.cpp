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
#include "protocols/failure_detection/reported_deaths.hpp"
#include "protocols/failure_detection/swim.hpp"
#include "sim/engine/engine.hpp"
#include "tests/protocols/failure_detection/wrapped_detectors.hpp"
#include "tests/support/pass_through.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

constexpr std::uint16_t kReport = kAfterRing;   ///< of rdaemon and of ulfm
constexpr std::uint16_t kNotice = kReport + 1;  ///< of rdaemon
enum RingTimer : std::uint64_t { kBeat, kDeadline };

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

/// Takes anybody's heartbeat for one of whom it observes.
class AnyonesHeartbeat final : public Wrapped<AnyonesHeartbeat> {
 public:
  using Wrapped::Wrapped;
  void on_message(Context& context, const Message& message) override {
    if (!is_daemon(context) || message.kind != kHeartbeat)
      return Wrapped::on_message(context, message);
    Message claimed = message;
    for (NodeId node = 0; node < context.job().nodes; ++node) {  // the emitter is one of them
      claimed.from = context.placement().daemon_of(node);
      Wrapped::on_message(context, claimed);
    }
  }
};

/// No mistake: its heartbeats go to one daemon more, who has not asked for them.
class StrayHeartbeats final : public Wrapped<StrayHeartbeats> {
 public:
  using Wrapped::Wrapped;
  void on_timer(Context& context, std::uint64_t key) override {
    Wrapped::on_timer(context, key);
    if (!is_daemon(context) || key != kBeat) return;
    const std::uint32_t first = context.job().processes;
    const ActorId stranger = first + (context.self() - first + 2) % context.job().nodes;
    Message& stray = context.send(stranger, kHeartbeat, 16);
    stray.payload.put(std::uint64_t{0});
    Context::background(stray);
  }
};

/// Tells its processes of a death whenever it gets a report of it, and not the first time only.
class TellsEachTime final : public Wrapped<TellsEachTime> {
 public:
  using Wrapped::Wrapped;
  void on_message(Context& context, const Message& message) override {
    Wrapped::on_message(context, message);
    if (!is_daemon(context) || message.kind != kReport) return;
    const Incarnation dead = message.payload.get<DeathReport>().dead;
    if (heard_.insert(dead).second) return;
    for (const Rank rank : context.placement().ranks_on(context.self() - context.job().processes))
      context.send(rank, kNotice, message.bytes).payload.put(dead);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(heard_);
  }
  std::set<Incarnation> heard_;
};

/// A process that passes each report that it gets on to the application, also one that it knows.
class ReportsEachTime final : public Wrapped<ReportsEachTime> {
 public:
  using Wrapped::Wrapped;
  void on_message(Context& context, const Message& message) override {
    Wrapped::on_message(context, message);
    if (message.kind != kReport) return;
    const auto dead = message.payload.get<Incarnation>();
    if (!heard_.insert(dead).second) context.report_failed(dead);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(heard_);
  }
  std::set<Incarnation> heard_;
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

/// Looks at each heartbeat that reaches a member of a ring, and at whom it observes: the nearest
/// one before it that it has not declared dead.
class HeartbeatWatch final : public RunObserver {
 public:
  HeartbeatWatch(std::uint32_t first, std::uint32_t members) : first_(first), members_(members) {}

  /// Heartbeats of others: of those that the receiver has declared dead, and of the rest.
  [[nodiscard]] std::uint32_t of_the_dead() const { return of_the_dead_; }
  [[nodiscard]] std::uint32_t of_strangers() const { return of_strangers_; }

  void see(const Sight& sight) override {
    if (sight.kind == Sight::Kind::declared_dead) declared_[sight.actor].insert(sight.peer);
    const bool is_heartbeat = sight.kind == Sight::Kind::received &&
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

TEST_CASE("the search finds an rdaemon that tells its processes of a death again") {
  Registration mistaken;
  check_found("rdaemon", with_mistake<TellsEachTime>(mistaken), LemmaFigure::told_twice, 1000);
}

TEST_CASE("the search finds an ulfm that tells the application of a death again") {
  Registration mistaken;
  check_found("ulfm", with_mistake<ReportsEachTime>(mistaken), LemmaFigure::told_twice, 1000);
}

// A daemon sends heartbeats to nobody but its observer, and nobody becomes that without observing
// it, or stops to observe it without declaring it dead. So the ring must not rely on that.
TEST_CASE("the search finds an rdaemon that counts anyone's heartbeats, once others send it some") {
  Registration strays;
  const Mutation with_strays = with_mistake<StrayHeartbeats>(strays);
  const LemmaSubject& subject = detection_subject("rdaemon");
  for (std::uint64_t number = 1; number <= 200; ++number) {
    INFO("schedule " << number);
    const FaultSchedule schedule = subject.draw(number);
    CHECK(said(run_lemma(schedule, subject.stack, EngineKind::loggp, with_strays).broken) == "");
  }
  Registration mistaken;
  const Mutation with_both = [&](RunSpec& spec) {
    make_mistaken<AnyonesHeartbeat>(spec, Family::failure_detection, mistaken);
    with_strays(spec);
  };
  check_found("rdaemon", with_both, LemmaFigure::missed, 1000);
}

TEST_CASE("heartbeats come from whom a member observes, or from whom it has declared dead") {
  std::uint32_t of_the_dead = 0;
  for (const char* name : {"rdaemon", "rdaemon comparing", "ulfm"})
    for (std::uint64_t number = 1; number <= 1000; ++number) {
      const LemmaSubject& subject = detection_subject(name);
      const FaultSchedule schedule = subject.draw(number);
      const bool of_daemons = subject.stack.detection(schedule).of_daemons;
      HeartbeatWatch watch(of_daemons ? schedule.processes : 0,
                           of_daemons ? nodes_of(schedule) : schedule.processes);
      const RunSpec spec = run_spec(schedule, subject.stack);
      run_simulation(spec, EngineKind::loggp, schedule.seed, 0, &watch);
      INFO(name << ", schedule " << number);
      CHECK(watch.of_strangers() == 0);
      of_the_dead += watch.of_the_dead();
    }
  CHECK(of_the_dead > 0);
}

TEST_CASE(
    "an rdaemon that counts anyone's heartbeats is as good while none come that do not count") {
  const LemmaSubject& subject = detection_subject("rdaemon");
  std::uint32_t compared = 0;
  for (std::uint64_t number = 1; number <= 400; ++number) {
    const FaultSchedule schedule = subject.draw(number);
    HeartbeatWatch watch(schedule.processes, nodes_of(schedule));
    const RunSpec spec = run_spec(schedule, subject.stack);
    const RunResult real = run_simulation(spec, EngineKind::loggp, schedule.seed, 0, &watch);
    Registration mistaken;
    const LemmaRun other = run_lemma(schedule, subject.stack, EngineKind::loggp,
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
