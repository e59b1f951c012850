// SPDX-License-Identifier: Apache-2.0

// What an observer holds a run against: places on nodes, moments of faults, order and losses, and
// what may follow a false report. The sights are made here, as a wrong engine would show them.

#include <catch2/catch.hpp>
#include <optional>

#include "analysis/search/judged_run.hpp"
#include "analysis/search/run_watch.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

namespace {

scenario::RunSpec spec_of(const std::string& rest) {
  return scenario::parse_scenario(R"({"schema_version": 1, "workload": {"name": "uniform-traffic"},
    "failure_detection": {"name": "oracle"}, )" +
                                      rest + "}",
                                  "watched.json")
      .points.front();
}

const std::string kFour = R"("platform": {"machine": "mira", "processes": 4})";

/// Shows four ranks, each on a node of its own.
void place_four(RunWatch& watch) {
  for (ActorId rank = 0; rank < 4; ++rank)
    watch.see({.kind = audit::Sight::Kind::placed, .actor = rank, .value = rank});
}

Message message_between(ActorId from, ActorId to) {
  Message message;
  message.from = from;
  message.to = to;
  message.channel = Family::workload;
  return message;
}

void show(RunWatch& watch, audit::Sight::Kind kind, const Message& message, double time_s) {
  watch.see({.kind = kind, .time_s = time_s, .message = &message});
}

std::string kind_of(const RunWatch& watch) { return watch.breach() ? watch.breach()->kind : ""; }

}  // namespace

TEST_CASE("a rank that starts where no place is free is seen, and one that takes a place is not") {
  const scenario::RunSpec spec =
      spec_of(kFour + R"(, "faults": {"at": [{"time_s": 1, "ranks": [2]}]})");
  const auto seen = [&](std::uint64_t node) {
    RunWatch watch(spec);
    place_four(watch);
    watch.see({.kind = audit::Sight::Kind::died, .time_s = 1, .actor = 2});
    watch.see(
        {.kind = audit::Sight::Kind::reported, .time_s = 1, .actor = 0, .peer = 2, .value = 0});
    watch.see({.kind = audit::Sight::Kind::restarted, .time_s = 2, .actor = 2, .value = node});
    return kind_of(watch);
  };
  CHECK(seen(2).empty());
  CHECK(seen(4).empty());
  CHECK(seen(1) == "too many ranks on a node");
}

TEST_CASE("a drawn fault that strikes before its time, or whom it spares, is seen") {
  const scenario::RunSpec spec =
      spec_of(kFour + R"(, "faults": {"poisson": {"mtbf_s": 1, "start_s": 5,
      "end_s": 9, "spare_root": true, "victims": "ranks"}})");
  const auto seen = [&](ActorId rank, double time_s) {
    RunWatch watch(spec);
    place_four(watch);
    watch.see({.kind = audit::Sight::Kind::died, .time_s = time_s, .actor = rank});
    return kind_of(watch);
  };
  CHECK(seen(1, 5.0).empty());
  CHECK(seen(1, 9.0).empty());
  CHECK(seen(1, 4.9) == "a fault at another time");
  CHECK(seen(1, 9.1) == "a fault at another time");
  CHECK(seen(0, 6.0) == "a fault of the spared rank");
}

TEST_CASE("the sources judge the death of a rank that no stated fault names, and no other") {
  const scenario::RunSpec spec = spec_of(kFour + R"(, "faults": {"at": [{"event": 7, "ranks": [0]},
      {"event": 8, "nodes": [3]}], "poisson": {"mtbf_s": 1, "start_s": 5, "spare_root": true}})");
  const auto seen = [&](ActorId rank) {
    RunWatch watch(spec);
    place_four(watch);
    watch.see({.kind = audit::Sight::Kind::died, .time_s = 1, .actor = rank});
    return kind_of(watch);
  };
  CHECK(seen(0).empty());
  CHECK(seen(3).empty());
  CHECK(seen(2) == "a fault at another time");
}

TEST_CASE("a process that outlives its stated fault is noticed") {
  const scenario::RunSpec spec =
      spec_of(kFour + R"(, "faults": {"at": [{"time_s": 2, "nodes": [1]}]})");
  const auto seen = [&](double died_s, std::optional<double> restarted_s, double end_s) {
    RunWatch watch(spec);
    place_four(watch);
    watch.see({.kind = audit::Sight::Kind::died, .time_s = died_s, .actor = 1});
    if (restarted_s)
      watch.see(
          {.kind = audit::Sight::Kind::restarted, .time_s = *restarted_s, .actor = 1, .value = 1});
    watch.ended(end_s);
    return kind_of(watch);
  };
  CHECK(seen(2, {}, 9).empty());
  CHECK(seen(1, {}, 9).empty());    // already dead
  CHECK(seen(1, 2, 9).empty());     // back at that moment
  CHECK(seen(2, 2.5, 9).empty());   // back later
  CHECK(seen(3, {}, 1.9).empty());  // the run had ended before
  CHECK(seen(3, {}, 9) == "a fault that does not strike");
  CHECK(seen(1, 1.5, 9) == "a fault that does not strike");
}

TEST_CASE("a death amid the handling of another is told from one that comes later") {
  const scenario::RunSpec spec = spec_of(
      kFour + R"(, "faults": {"at": [{"time_s": 1, "ranks": [3]}, {"time_s": 2, "ranks": [2]}]})");
  const auto amid = [&](bool all_told, bool comes_back, bool goes_on) {
    RunWatch watch(spec);
    place_four(watch);
    watch.see({.kind = audit::Sight::Kind::died, .time_s = 1, .actor = 3});
    for (ActorId rank = 0; rank < (all_told ? 3U : 1U); ++rank)
      watch.see(
          {.kind = audit::Sight::Kind::declared_dead, .time_s = 1.5, .actor = rank, .peer = 3});
    if (comes_back)
      watch.see({.kind = audit::Sight::Kind::restarted, .time_s = 1.6, .actor = 3, .value = 3});
    watch.see({.kind = audit::Sight::Kind::mark, .time_s = 1.6, .actor = 3, .text = "recovery"});
    if (goes_on)
      watch.see({.kind = audit::Sight::Kind::mark, .time_s = 1.7, .actor = 3, .text = "recovered"});
    watch.see({.kind = audit::Sight::Kind::died, .time_s = 2, .actor = 2});
    return watch.struck_amid();
  };
  CHECK_FALSE(amid(true, false, false));
  CHECK(amid(false, false, false));
  CHECK(amid(true, true, false));
  CHECK_FALSE(amid(true, true, true));
}

namespace {

/// Four ranks whose resource manager ends after 1 s who is declared dead.
std::string fenced(const std::string& reach) {
  return R"("platform": {"machine": "mira", "processes": 4,
    "fencing": {"by": "resource-manager", "delay_s": 1, "reach": ")" +
         reach + "\"}}";
}

void accuse(RunWatch& watch, ActorId accuser, ActorId accused, double time_s) {
  watch.see({.kind = audit::Sight::Kind::reported,
             .time_s = time_s,
             .actor = accuser,
             .peer = accused,
             .value = 0});
}

void die(RunWatch& watch, ActorId actor, double time_s) {
  watch.see({.kind = audit::Sight::Kind::died, .time_s = time_s, .actor = actor});
}

}  // namespace

TEST_CASE("a live process that is taken for dead ends by its fence, or when it hears of that") {
  const auto seen = [](const std::string& platform, ActorId dies, double time_s, bool hears) {
    const scenario::RunSpec spec = spec_of(platform);
    RunWatch watch(spec);
    place_four(watch);
    accuse(watch, 0, 3, 1);
    if (hears) accuse(watch, dies, dies, time_s);
    die(watch, dies, time_s);
    return kind_of(watch);
  };
  const std::string without_reason = "a fault at another time";
  CHECK(seen(fenced("all"), 3, 2, false).empty());
  CHECK(seen(fenced("all"), 3, 5, false).empty());
  CHECK(seen(fenced("all"), 3, 1.5, false) == without_reason);
  CHECK(seen(fenced("all"), 2, 2, false) == without_reason);
  CHECK(seen(fenced("all"), 3, 1.5, true).empty());
  CHECK(seen(kFour, 3, 2, false) == without_reason);  // nobody ends it
  CHECK(seen(kFour, 3, 2, true).empty());
}

TEST_CASE("an accused process that gives up ends at once") {
  const scenario::RunSpec spec = spec_of(fenced("all"));
  RunWatch watch(spec);
  place_four(watch);
  accuse(watch, 0, 3, 1);
  watch.see({.kind = audit::Sight::Kind::gave_up, .time_s = 1.5, .actor = 3, .text = "waited"});
  die(watch, 3, 1.5);
  CHECK(kind_of(watch).empty());
}

TEST_CASE("of two that accuse each other one ends, namely whom the manager hears accused first") {
  const auto seen = [](const std::string& reach, ActorId dies, double time_s) {
    const scenario::RunSpec spec = spec_of(fenced(reach) + R"(, "faults": {"partition":
        {"nodes": [[0, 1], [2, 3]], "from_s": 0, "to_s": 10}})");
    RunWatch watch(spec);
    place_four(watch);
    accuse(watch, 3, 0, 1);
    accuse(watch, 1, 3, 2);
    die(watch, dies, time_s);
    return kind_of(watch);
  };
  // What the far side says is heard when the cut heals.
  CHECK(seen("connected", 3, 10).empty());
  CHECK(seen("connected", 0, 11) == "a fault at another time");
  CHECK(seen("all", 0, 2).empty());
  // Rank 1 is not accused itself, so the manager believes it, too.
  CHECK(seen("all", 3, 3).empty());
}

TEST_CASE("the manager does not believe a process that is dead to it") {
  const scenario::RunSpec spec = spec_of(fenced("all"));
  const auto seen = [&](ActorId dies) {
    RunWatch watch(spec);
    place_four(watch);
    accuse(watch, 3, 0, 1);
    accuse(watch, 0, 3, 2);
    die(watch, dies, 4);
    return kind_of(watch);
  };
  CHECK(seen(0).empty());
  CHECK(seen(3) == "a fault at another time");
}

TEST_CASE("what a process sends after a report its accuser refuses, and nobody else") {
  const auto seen = [](const std::string& spec_text, Message message, double entered_s) {
    const scenario::RunSpec spec = spec_of(spec_text);
    RunWatch watch(spec);
    place_four(watch);
    accuse(watch, 1, 0, 1);
    message.inject_s = entered_s;
    watch.see({.kind = audit::Sight::Kind::received,
               .time_s = 3,
               .actor = message.to,
               .message = &message});
    return kind_of(watch);
  };
  Message detects = message_between(0, 1);
  detects.channel = Family::failure_detection;
  Message later_life = message_between(0, 1);
  later_life.from_incarnation = 1;
  const std::string refused = "heard though declared dead";
  CHECK(seen(fenced("all"), message_between(0, 1), 2) == refused);
  CHECK(seen(fenced("all"), detects, 2) == refused);
  CHECK(seen(fenced("all"), message_between(0, 1), 0.5).empty());
  CHECK(seen(fenced("all"), message_between(0, 2), 2).empty());
  CHECK(seen(fenced("all"), later_life, 2).empty());
}

TEST_CASE("an accused process is heard by its detector where it can deny the report") {
  const auto seen = [](const std::string& options, Family channel, bool is_taken_back) {
    const scenario::RunSpec spec = scenario::parse_scenario(
                                       R"({"schema_version": 1, "workload": {"name":
      "uniform-traffic"}, "failure_detection": {"name": "swim")" +
                                           options + "}, " + kFour + "}",
                                       "swim.json")
                                       .points.front();
    RunWatch watch(spec);
    place_four(watch);
    accuse(watch, 1, 0, 1);
    if (is_taken_back)
      watch.see({.kind = audit::Sight::Kind::taken_back, .time_s = 1.5, .actor = 1, .peer = 0});
    Message message = message_between(0, 1);
    message.channel = channel;
    message.inject_s = 2;
    watch.see({.kind = audit::Sight::Kind::received, .time_s = 3, .actor = 1, .message = &message});
    return !kind_of(watch).empty();
  };
  CHECK_FALSE(seen("", Family::failure_detection, false));
  CHECK(seen("", Family::workload, false));
  CHECK_FALSE(seen("", Family::workload, true));
  CHECK(seen(R"(, "rejoin": false)", Family::failure_detection, false));
}

TEST_CASE("what a process had sent before its fence arrives, unless its accuser refuses it") {
  const scenario::RunSpec spec = spec_of(fenced("all"));
  const auto seen = [&](ActorId to, double entered_s) {
    RunWatch watch(spec);
    place_four(watch);
    accuse(watch, 1, 0, 1);
    die(watch, 0, 2);
    Message message = message_between(0, to);
    message.inject_s = entered_s;
    show(watch, audit::Sight::Kind::lost, message, 3);
    watch.see({.kind = audit::Sight::Kind::idle, .time_s = 3, .actor = 2});
    return kind_of(watch);
  };
  CHECK(seen(2, 1.5) == "lost without a cut");
  CHECK(seen(1, 1.5).empty());
  CHECK(seen(2, 2.5).empty());  // it never got that far
}

TEST_CASE("what is said of the first life of a process is not held against the second") {
  const scenario::RunSpec spec = spec_of(fenced("all"));
  RunWatch watch(spec);
  place_four(watch);
  accuse(watch, 1, 0, 1);
  die(watch, 0, 2);
  watch.see({.kind = audit::Sight::Kind::restarted, .time_s = 2, .actor = 0, .value = 0});
  Message message = message_between(0, 1);
  message.from_incarnation = 1;
  message.inject_s = 2.5;
  show(watch, audit::Sight::Kind::lost, message, 3);
  watch.see({.kind = audit::Sight::Kind::idle, .time_s = 3, .actor = 2});
  CHECK(kind_of(watch) == "lost without a cut");
}

TEST_CASE("nobody writes to a life that has not begun") {
  const scenario::RunSpec spec =
      spec_of(kFour + R"(, "faults": {"at": [{"time_s": 1, "ranks": [2]}]})");
  const auto seen = [&](bool is_back) {
    RunWatch watch(spec);
    place_four(watch);
    die(watch, 2, 1);
    if (is_back)
      watch.see({.kind = audit::Sight::Kind::restarted, .time_s = 2, .actor = 2, .value = 2});
    Message message = message_between(0, 2);
    message.to_incarnation = 1;
    show(watch, audit::Sight::Kind::sent, message, 3);
    return kind_of(watch);
  };
  CHECK(seen(true).empty());
  CHECK(seen(false) == "a message to a life to come");
}

TEST_CASE("a message that comes before an earlier one is seen where messages keep their order") {
  const Message first = message_between(0, 1);
  const Message second = message_between(0, 1);
  const Message other = message_between(2, 1);
  const auto seen = [&](const scenario::RunSpec& spec) {
    RunWatch watch(spec);
    place_four(watch);
    for (const Message* message : {&first, &second, &other})
      show(watch, audit::Sight::Kind::sent, *message, 0);
    for (const Message* message : {&other, &second, &first})
      show(watch, audit::Sight::Kind::received, *message, 1);
    return kind_of(watch);
  };
  CHECK(seen(spec_of(kFour)) == "out of order");
  CHECK(seen(spec_of(R"("platform": {"machine": "mira", "processes": 4,
                         "ordering": "unordered"})"))
            .empty());
}

TEST_CASE("a message of the next phase lets those of this one pass, and not the other way round") {
  const scenario::RunSpec spec = spec_of(kFour);
  const auto seen = [&spec](std::uint32_t first_phase, std::uint32_t second_phase) {
    Message first = message_between(0, 1);
    Message second = message_between(0, 1);
    first.put_in_phase(first_phase);
    second.put_in_phase(second_phase);
    RunWatch watch(spec);
    place_four(watch);
    for (const Message* message : {&first, &second})
      show(watch, audit::Sight::Kind::sent, *message, 0);
    for (const Message* message : {&second, &first})
      show(watch, audit::Sight::Kind::received, *message, 1);
    return kind_of(watch);
  };
  CHECK(seen(1, 0).empty());
  CHECK(seen(0, 1) == "out of order");
  CHECK(seen(1, 1) == "out of order");
}

TEST_CASE("a message between those whom nothing parts must not be lost") {
  const scenario::RunSpec spec = spec_of(kFour + R"(, "faults": {"partition":
      {"ranks": [[0], [1]], "from_s": 1, "to_s": 2}})");
  const auto seen = [&](ActorId from, ActorId to, double time_s,
                        audit::Sight::Kind next = audit::Sight::Kind::idle) {
    RunWatch watch(spec);
    place_four(watch);
    const Message message = message_between(from, to);
    show(watch, audit::Sight::Kind::lost, message, time_s);
    watch.see({.kind = next, .time_s = time_s, .actor = from});
    return kind_of(watch);
  };
  CHECK(seen(0, 1, 1.5).empty());
  CHECK(seen(0, 1, 2.5) == "lost without a cut");
  CHECK(seen(0, 2, 1.5) == "lost without a cut");
  CHECK(seen(2, 3, 1.5) == "lost without a cut");
  // A death is shown behind what is lost with it. A death that nothing causes is another finding.
  CHECK(seen(2, 3, 1.5, audit::Sight::Kind::died) == "a fault at another time");
}

TEST_CASE("a router that fails may lose what goes to its nodes and comes from there") {
  const auto seen = [](const std::string& faults, ActorId from, ActorId to, double time_s) {
    const scenario::RunSpec spec = spec_of(kFour + ", \"faults\": " + faults);
    RunWatch watch(spec);
    place_four(watch);
    const Message message = message_between(from, to);
    show(watch, audit::Sight::Kind::lost, message, time_s);
    watch.see({.kind = audit::Sight::Kind::idle, .time_s = time_s, .actor = from});
    return kind_of(watch);
  };
  const std::string stated = R"({"at": [{"time_s": 1, "routers": [1], "repair_s": 1}]})";
  CHECK(seen(stated, 0, 1, 1.5).empty());
  CHECK(seen(stated, 1, 3, 1.5).empty());
  CHECK(seen(stated, 0, 2, 1.5) == "lost without a cut");
  CHECK(seen(stated, 0, 1, 0.5) == "lost without a cut");
  CHECK(seen(stated, 0, 1, 2.5) == "lost without a cut");
  const std::string drawn = R"({"poisson": {"mtbf_s": 1, "component": "router", "start_s": 5}})";
  CHECK(seen(drawn, 0, 1, 6).empty());
  CHECK(seen(drawn, 0, 1, 4) == "lost without a cut");
}

TEST_CASE("a right run under faults, restarts and cuts is as its scenario states") {
  const scenario::RunSpec spec = scenario::parse_scenario(R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 8, "spare_nodes": 2,
                 "delay_noise": {"mean_s": 1e-4}},
    "workload": {"name": "try-blocks", "iterations": 20, "compute_s": 1e-3, "allreduces": 2},
    "transactions": {"name": "ulfm"}, "failure_detection": {"name": "oracle"},
    "faults": {"at": [{"time_s": 0.004, "ranks": [3]}, {"time_s": 0.009, "nodes": [0]}]}})",
                                                          "right.json")
                                     .points.front();
  RunWatch watch(spec);
  const engine::RunResult result =
      engine::run_simulation(spec, scenario::EngineKind::loggp, 1, 0, &watch);
  CHECK(result.outcome == engine::Outcome::finished);
  CHECK(kind_of(watch).empty());
}

TEST_CASE("what a rank sends because it hears of a new life goes before what the message starts") {
  const scenario::RunSpec spec = scenario::parse_scenario(R"({"schema_version": 1,
    "platform": {"machine": "stampede", "processes": 3, "spare_nodes": 2},
    "workload": {"name": "minife"}, "transactions": {"name": "ulfm"},
    "failure_detection": {"name": "connection-loss", "members": "ranks"},
    "faults": {"at": [{"event": 1, "ranks": [0]},
                      {"mark": {"name": "revoke", "value": 0}, "ranks": [1]}]}})",
                                                          "two-new-lives.json")
                                     .points.front();
  RunWatch watch(spec);
  const engine::RunResult result =
      engine::run_simulation(spec, scenario::EngineKind::loggp, 1, 0, &watch);
  CHECK(result.outcome == engine::Outcome::finished);
  CHECK(kind_of(watch).empty());
}

}  // namespace faultline::search
