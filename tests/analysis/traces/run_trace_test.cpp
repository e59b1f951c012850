// SPDX-License-Identifier: Apache-2.0

// What a traced run looks like: by hand on two processes, and what must hold in any run.

#include "analysis/traces/run_trace.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/lemmas/fault_schedule.hpp"
#include "analysis/traces/paje_trace.hpp"
#include "analysis/traces/perfetto_trace.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/job.hpp"

namespace faultline::traces {

using namespace test;

namespace {

const TraceTitle kTitle{.scenario = "a test", .point = "", .engine = "loggp"};

RunTrace traced(const scenario::RunSpec& spec, scenario::EngineKind engine, std::uint64_t seed) {
  TraceRecorder recorder(spec.platform.processes);
  return recorder.finish(engine::run_simulation(spec, engine, seed, 0, &recorder));
}

struct TracedKind {
  std::string name;
  bool control;
  bool operator<(const TracedKind& other) const {
    return std::pair(name, control) < std::pair(other.name, other.control);
  }
};

std::map<TracedKind, double> counted(const RunTrace& trace, const scenario::RunSpec& spec) {
  std::map<TracedKind, double> counts;
  for (const TracedMessage& message : trace.messages)
    counts[{kind_name(spec, message.family, message.kind), message.family != Family::workload}] +=
        1.0;
  return counts;
}

double metric(const RunTrace& trace, const std::string& name) {
  return trace.result.metrics.values().at(name).value();
}

/// "" if the messages are told of as the run counts them.
std::string wrong_counts(const RunTrace& trace, const scenario::RunSpec& spec) {
  std::map<std::string, double> control;
  double application = 0;
  for (const auto& [kind, count] : counted(trace, spec)) {
    if (kind.control)
      control["control_messages." + kind.name] += count;
    else
      application += count;
  }
  for (const auto& [name, value] : trace.result.metrics.values())
    if (name.starts_with("control_messages.") && value.value() != control[name]) return name;
  if (application != metric(trace, "application_messages")) return "application_messages";
  double lost = 0;
  double under_way = 0;
  for (const TracedMessage& message : trace.messages) {
    if (message.family != Family::workload || message.fate == Fate::handled) continue;
    (message.fate == Fate::under_way ? under_way : lost) += 1.0;
  }
  const double counted_lost = metric(trace, "application_messages_lost");
  return lost <= counted_lost && counted_lost <= lost + under_way ? "" : "lost messages";
}

/// "" if no message arrives before it was sent, and each that was handled is so in one place.
std::string wrong_messages(const RunTrace& trace) {
  std::vector<int> taken(trace.messages.size(), 0);
  for (const TracedSpan& span : trace.spans) {
    if (span.received == TracedSpan::kNoMessage) continue;
    ++taken.at(span.received);
    const TracedMessage& message = trace.messages.at(span.received);
    if (message.to != span.actor || message.end_s > span.end_s) return "handled elsewhere";
  }
  for (std::size_t i = 0; i < trace.messages.size(); ++i) {
    const TracedMessage& message = trace.messages[i];
    if (message.end_s < message.begin_s) return "ends before it begins";
    if (message.fate == Fate::handled && message.end_s < message.inject_s) return "too early";
    if (taken[i] != (message.fate == Fate::handled ? 1 : 0)) return "not handled once";
  }
  return "";
}

/// "" if nobody does two things at once on one processor, or anything while it is dead.
std::string wrong_spans(const RunTrace& trace) {
  std::map<std::tuple<ActorId, TracedSpan::Kind, std::uint32_t>, double> free_s;
  std::map<ActorId, double> dead_until_s;
  for (const TracedSpan& span : trace.spans) {
    if (span.end_s < span.begin_s) return "a span ends before it begins";
    double& free = free_s[{span.actor, span.kind, span.core}];
    if (span.begin_s < free) return "two things at once at actor " + std::to_string(span.actor);
    free = span.end_s;
    if (span.kind == TracedSpan::Kind::dead)
      dead_until_s[span.actor] = span.end_s;
    else if (span.begin_s < dead_until_s[span.actor])
      return "the dead are busy";
  }
  return "";
}

std::string wrong(const RunTrace& trace, const scenario::RunSpec& spec) {
  for (const std::string& found :
       {wrong_counts(trace, spec), wrong_messages(trace), wrong_spans(trace)})
    if (!found.empty()) return found;
  return "";
}

/// Compares the events and metrics with those of a run that nobody watches.
bool undisturbed(const RunTrace& trace, const scenario::RunSpec& spec, std::uint64_t seed) {
  const engine::RunResult alone =
      engine::run_simulation(spec, scenario::EngineKind::loggp, seed, 0);
  return alone.events == trace.result.events && alone.outcome == trace.result.outcome &&
         alone.metrics.values() == trace.result.metrics.values();
}

nlohmann::json perfetto(const scenario::RunSpec& spec, scenario::EngineKind engine) {
  const auto text = [&] { return perfetto_text(traced(spec, engine, 1), spec, kTitle); };
  return nlohmann::json::parse(engine == scenario::EngineKind::loggp ? text()
                                                                     : platform::in_child(text));
}

/// The times in seconds of the events of one kind.
Times times_of(const nlohmann::json& trace, const std::string& phase, const std::string& name) {
  Times times;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == phase && event["name"] == name)
      times.push_back(event["ts"].get<double>() / 1e6);
  return times;
}

}  // namespace

TEST_CASE("a ping and its answer, traced by hand") {
  Job job;
  job.workload("ping-pong", {{"repetitions", 1}, {"bytes", 100}});
  const RunTrace trace = traced(job.spec, scenario::EngineKind::loggp, 1);
  REQUIRE(trace.messages.size() == 2);
  const TracedMessage& ping = trace.messages[0];
  CHECK((ping.from == 0 && ping.to == 1 && ping.bytes == 100 && ping.fate == Fate::handled));
  CHECK(Times{ping.begin_s, ping.inject_s, ping.end_s} == Times{0, 1, 13});
  const TracedMessage& pong = trace.messages[1];
  CHECK((pong.from == 1 && pong.to == 0));
  CHECK(Times{pong.begin_s, pong.inject_s, pong.end_s} == Times{13, 14, 26});
  std::vector<TracedSpan> handling;
  for (const TracedSpan& span : trace.spans)
    if (span.kind == TracedSpan::Kind::handling) handling.push_back(span);
  REQUIRE(handling.size() == 3);
  CHECK((handling[0].actor == 0 && handling[0].received == TracedSpan::kNoMessage));
  CHECK(Times{handling[0].begin_s, handling[0].end_s} == Times{0, 1});
  CHECK((handling[1].actor == 1 && handling[1].received == 0 && handling[1].sends == 1));
  CHECK(Times{handling[1].begin_s, handling[1].end_s} == Times{12, 14});
  CHECK((handling[2].actor == 0 && handling[2].received == 1 && handling[2].sends == 0));
  CHECK(Times{handling[2].begin_s, handling[2].end_s} == Times{25, 26});
}

TEST_CASE("the same for Perfetto on both engines, and for Paje") {
  Job job;
  job.workload("ping-pong", {{"repetitions", 1}, {"bytes", 100}});
  for (const scenario::EngineKind engine : engines()) {
    INFO(engine_word(engine));
    const nlohmann::json trace = perfetto(job.spec, engine);
    CHECK(close(times_of(trace, "s", "ball"), {0, 13}, engine));
    CHECK(close(times_of(trace, "f", "ball"), {12, 25}, engine));
    CHECK(close(times_of(trace, "X", "ball"), {12, 25}, engine));
    CHECK(close(times_of(trace, "X", "send"), {0}, engine));
  }
  const RunTrace trace = traced(job.spec, scenario::EngineKind::loggp, 1);
  const std::string paje = paje_text(trace, job.spec, kTitle);
  for (const char* line :
       {"\n9 0 APPLICATION run \"ball\" p0 m0\n", "\n10 13 APPLICATION run \"ball\" p1 m0\n",
        "\n6 12 HANDLING p1 \"ball\"\n", "\n7 14 HANDLING p1\n"})
    CHECK(paje.find(line) != std::string::npos);
}

TEST_CASE("messages of and to the dead are told apart") {
  // 0 sends at 0 and 20, and dies at 30.5 in the middle of sending; 1 died at 15.
  Job job(3);
  job.script(Family::workload, [&](ActorId self) {
    Handlers script;
    if (self != 0) return script;
    script.start = [](ScriptContext& context) {
      context.send(1, 0, 0);
      context.set_timer(1, 20);
      context.set_timer(2, 30);
    };
    script.timer = [](ScriptContext& context, std::uint64_t key) {
      context.send(key == 1 ? 1 : 2, 1, 0);
      if (key == 2) context.send(2, 2, 0);
    };
    return script;
  });
  job.kill(5, {1}).kill(31.5, {0});
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = 35;
  const RunTrace trace = traced(job.spec, scenario::EngineKind::loggp, 1);
  REQUIRE(trace.messages.size() == 4);
  CHECK(trace.messages[0].fate == Fate::receiver_died);
  CHECK(trace.messages[0].end_s == 12);
  CHECK(trace.messages[1].fate == Fate::receiver_died);
  CHECK(trace.messages[2].fate == Fate::under_way);
  CHECK(trace.messages[2].end_s == 35);
  CHECK(trace.messages[3].fate == Fate::sender_died);
  CHECK(trace.messages[3].end_s == 31.5);
  CHECK(wrong(trace, job.spec) == "");
}

TEST_CASE("a message that enters a cut network is lost there") {
  Job job;
  job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 0, .to_s = 10}};
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.send(1, 0, 0);
      if (self == 0) context.set_timer(1, 20);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.send(1, 0, 0); };
    return handlers;
  });
  const RunTrace trace = traced(job.spec, scenario::EngineKind::loggp, 1);
  REQUIRE(trace.messages.size() == 2);
  CHECK(trace.messages[0].fate == Fate::lost_in_network);
  CHECK(trace.messages[1].fate == Fate::handled);
}

TEST_CASE("messages to an earlier life, and of one taken for dead, are told apart") {
  // Rank 0 sends at 0, and so does rank 1 if it will die; else it sends after rank 0 has declared
  // it dead. A message takes 12 s.
  for (const bool restarts : {true, false}) {
    Job job;
    job.script(Family::workload, [&](ActorId self) {
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        if (context.now_s() == 0 && (self == 0 || restarts)) context.send(1 - self, 0, 0);
        if (context.now_s() == 0) context.set_timer(1, self == 0 ? 7 : 8);
      };
      handlers.timer = [=](ScriptContext& context, std::uint64_t) {
        if (self == 1)
          context.send(0, 0, 0);
        else if (restarts)
          context.restart(context.known(1), RestartOn::same_node);
        else
          context.report_failed(1);
      };
      return handlers;
    });
    if (restarts) job.kill(5, {1});
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 30;
    const RunTrace trace = traced(job.spec, scenario::EngineKind::loggp, 1);
    REQUIRE(trace.messages.size() == 2);
    const TracedMessage& to_1 = trace.messages[0];
    const TracedMessage& to_0 = trace.messages[1];
    CHECK(to_1.fate == (restarts ? Fate::receiver_restarted : Fate::handled));
    CHECK(to_0.fate == (restarts ? Fate::handled : Fate::refused));
    CHECK((to_1.end_s == 12 && to_0.end_s == (restarts ? 12 : 20)));
    CHECK(wrong(trace, job.spec) == "");
    std::vector<std::string> words;
    for (const TracedMoment& moment : trace.moments) words.push_back(words_of(trace, moment).what);
    const Words expected =
        restarts ? Words{"dies", "restarts on node 1"} : Words{"hears that process 1 is dead"};
    CHECK(words == expected);
  }
}

TEST_CASE("random runs with deaths are traced as they are counted") {
  std::size_t deaths = 0;
  for (std::uint64_t number = 1; number <= 300; ++number)
    for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
      const lemmas::FaultSchedule schedule = lemmas::draw_schedule(number);
      const scenario::RunSpec spec = lemmas::run_spec(schedule, lemmas::under_oracle(detector));
      const RunTrace trace = traced(spec, scenario::EngineKind::loggp, schedule.seed);
      INFO(detector << ", schedule " << number);
      CHECK(wrong(trace, spec) == "");
      CHECK(undisturbed(trace, spec, schedule.seed));
      for (const TracedMoment& moment : trace.moments)
        deaths += moment.kind == audit::Sight::Kind::died ? 1 : 0;
    }
  CHECK(deaths > 900);
}

TEST_CASE("random runs with deaths are traced as they are counted on simgrid too") {
  if (!kSimGridEngine) return;
  for (std::uint64_t number = 1; number <= 12; ++number) {
    const lemmas::FaultSchedule schedule = lemmas::draw_schedule(number);
    const scenario::RunSpec spec = lemmas::run_spec(schedule, lemmas::under_oracle("indep"));
    INFO("schedule " << number);
    CHECK(platform::in_child([&] {
            return wrong(traced(spec, scenario::EngineKind::simgrid, schedule.seed), spec);
          }) == "");
  }
}

TEST_CASE("random runs without deaths, under every detector") {
  for (std::uint64_t number = 1; number <= 40; ++number)
    for (const std::string& detector : detectors()) {
      lemmas::FaultSchedule schedule = lemmas::draw_schedule(number);
      schedule.faults.clear();
      if (needed_ordering(detector) == scenario::Ordering::fifo) schedule.reordering_s = 0;
      const scenario::RunSpec spec = lemmas::run_spec(schedule, lemmas::under_oracle(detector));
      const RunTrace trace = traced(spec, scenario::EngineKind::loggp, schedule.seed);
      INFO(detector << ", schedule " << number);
      CHECK(wrong(trace, spec) == "");
      CHECK(undisturbed(trace, spec, schedule.seed));
    }
}

TEST_CASE("phases, daemons and shared processors are traced too") {
  Job job(12, quick_machine());
  job.spec.platform.processes_per_node = 3;
  job.spec.platform.worker_cores = 2;
  job.spec.platform.progress = scenario::Progress::shared;
  job.workload("work-stealing", {{"preset", std::string("n-queens")}, {"board", 8}});
  job.detector("lai-wu").use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.kill(6e-5, {5}).kill(9e-5, {}, {3});
  const RunTrace trace = traced(job.spec, scenario::EngineKind::loggp, 7);
  CHECK(wrong(trace, job.spec) == "");
  CHECK(undisturbed(trace, job.spec, 7));
  std::set<std::uint32_t> phases;
  for (const TracedMessage& message : trace.messages) phases.insert(message.phase);
  CAPTURE(trace.end_s);
  CHECK(phases.size() > 1);
  std::set<std::uint32_t> cores;
  for (const TracedSpan& span : trace.spans)
    if (span.kind == TracedSpan::Kind::computing) cores.insert(span.core);
  CHECK(cores == std::set<std::uint32_t>{0, 1});
  const std::string text = perfetto_text(trace, job.spec, kTitle);
  CHECK(text == perfetto_text(traced(job.spec, scenario::EngineKind::loggp, 7), job.spec, kTitle));
}

}  // namespace faultline::traces
