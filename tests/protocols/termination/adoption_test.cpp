// SPDX-License-Identifier: Apache-2.0

// INDEP, RELLAZY and RELEAGER on small cases that were worked out on paper, and on one job in which
// each process dies at each moment.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>

#include "protocols/termination/adoption.hpp"
#include "tests/protocols/termination/by_hand.hpp"

namespace faultline::termination {

using namespace test;

namespace {

const std::vector<std::string> kAdopting{"indep", "rel-lazy", "rel-eager"};

/// Rank 0 engages 1, that one 2, and that one 3, which computes for 1000 s from 38 s on (under
/// REL*, where rank 2 first tells rank 0 that it is interior, from 39 s on). Notices take 5 s.
void chain(Job& job, const std::string& detector, const OptionValues& options = {}) {
  follow(job,
         {{.rank = 0, .sends = {{1, 1}}},
          {.rank = 1, .on = 1, .sends = {{2, 2}}},
          {.rank = 2, .on = 2, .sends = {{3, 3}}},
          {.rank = 3, .on = 3, .compute_s = 1000}},
         true);
  OptionValues chosen = options;
  chosen["control_bytes"] = std::int64_t{0};
  job.detector(detector, chosen);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 5}});
}

struct StatedDeaths {
  double time_s;
  std::vector<Rank> ranks;
};

Seen chain_with(const std::string& detector, const std::vector<StatedDeaths>& deaths,
                scenario::EngineKind engine, const OptionValues& options = {}) {
  Job job(4);
  chain(job, detector, options);
  for (const StatedDeaths& death : deaths) job.kill(death.time_s, death.ranks);
  return job.run(engine);
}

engine::Outcome outcome_of(const std::string& detector, const std::vector<StatedDeaths>& deaths,
                           scenario::EngineKind engine, const OptionValues& options = {}) {
  return chain_with(detector, deaths, engine, options).result.outcome;
}

}  // namespace

TEST_CASE("adoption by hand: what a chain costs without faults") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : kAdopting) {
      const Seen seen = chain_with(detector, {}, engine);
      INFO(engine_word(engine) << ' ' << detector);
      CHECK(control(seen, "acknowledge") == 3);
      // Rank 1 tells of 2 and rank 2 of 3; the root has nobody to tell.
      CHECK(control(seen, "potential-grandchild") == 2);
      CHECK(control(seen, "announce") == 3);
      const bool related = detector != "indep";
      if (related) {
        // Only rank 2, of the ranks that have sent, has a grandparent.
        CHECK(control(seen, "inform-interior") == 1);
        CHECK(control(seen, "inform-exterior") == 1);
      }
      CHECK(seen.metric("control_messages") == (related ? 10 : 8));
      CHECK(seen.metric("fanout_sum") == 3);
      CHECK(seen.metric("fanout_max") == 1);
      CHECK(seen.metric("adoptions") == 0);
      // Disengaged at 1038 or 1039; 1050, 1062 and, with rank 2's exterior first, a second more for
      // each signal that rank 2 sends: 1074 at the root, and 24 more to rank 3.
      CHECK(announced_s(seen) == by_hand(related ? 1100 : 1098, engine));
    }
}

TEST_CASE("adoption by hand: the parent of the dead adopts its child") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : kAdopting) {
      const Seen seen = chain_with(detector, {{100, {2}}}, engine);
      INFO(engine_word(engine) << ' ' << detector);
      // Notice at 105; rank 1 tells the root of its new grandchild, queries it at 107, is answered
      // at 130. Rank 3 disengages at 1038 or 1039: 1050, 1062 at the root, 24 more to rank 3.
      CHECK(seen.metric("adoptions") == 1);
      CHECK(seen.metric("recovery_time_max_s") == by_hand(25, engine));
      CHECK(seen.metric("recovery_messages") == (detector == "rel-eager" ? 3 : 2));
      CHECK(announced_s(seen) == by_hand(detector == "indep" ? 1086 : 1087, engine));
    }
}

TEST_CASE("adoption by hand: which protocol survives which failures") {
  const OptionValues fallback{{"adopted_child_fails", std::string("fallback")}};
  const engine::Outcome survives = engine::Outcome::terminated;
  const engine::Outcome gives_up = engine::Outcome::fatal_reported;
  for (const scenario::EngineKind engine : engines()) {
    INFO(engine_word(engine));
    for (const std::string& detector : kAdopting) {
      INFO(detector);
      CHECK(outcome_of(detector, {{100, {1}}}, engine) == survives);
      CHECK(outcome_of(detector, {{100, {3}}}, engine) == survives);
      CHECK(outcome_of(detector, {{100, {1, 3}}}, engine) == survives);
      CHECK(outcome_of(detector, {{100, {0}}}, engine) == gives_up);
      // A process and its interior child.
      CHECK(outcome_of(detector, {{100, {1, 2}}}, engine) == gives_up);
    }
    // A process and its exterior child.
    CHECK(outcome_of("indep", {{100, {2, 3}}}, engine) == gives_up);
    CHECK(outcome_of("rel-lazy", {{100, {2, 3}}}, engine) == survives);
    CHECK(outcome_of("rel-eager", {{100, {2, 3}}}, engine) == survives);
    // A process, and later the child that was adopted in its place.
    CHECK(outcome_of("indep", {{100, {2}}, {300, {3}}}, engine) == survives);
    CHECK(outcome_of("rel-lazy", {{100, {2}}, {300, {3}}}, engine) == gives_up);
    CHECK(outcome_of("rel-lazy", {{100, {2}}, {300, {3}}}, engine, fallback) == survives);
    CHECK(outcome_of("rel-eager", {{100, {2}}, {300, {3}}}, engine) == survives);
    // A process, and later the one that has adopted its child.
    CHECK(outcome_of("indep", {{100, {2}}, {300, {1}}}, engine) == gives_up);
    CHECK(outcome_of("rel-lazy", {{100, {2}}, {300, {1}}}, engine) == gives_up);
    CHECK(outcome_of("rel-eager", {{100, {2}}, {300, {1}}}, engine) == survives);
  }
}

TEST_CASE("a process adopted with a message to itself on its way is not its own child") {
  const OptionValues fallback{{"adopted_child_fails", std::string("fallback")}};
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : kAdopting) {
      Job job(3);
      chain(job, detector, detector == "rel-lazy" ? fallback : OptionValues{});
      std::vector<Doing> doings{{.rank = 0, .sends = {{1, 1}}},
                                {.rank = 1, .on = 1, .sends = {{2, 2}}}};
      for (std::uint16_t number = 2; number < 200; ++number)
        doings.push_back(
            {.rank = 2, .on = number, .sends = {{2, static_cast<std::uint16_t>(number + 1)}}});
      follow(job, doings, true);
      job.kill(50, {1});
      job.kill(200, {2});
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ' ' << detector << ": " << seen.result.fatal_reason);
      CHECK(seen.metric("failed_ranks") == 2);
      CHECK(seen.result.outcome == engine::Outcome::terminated);
    }
}

namespace {

/// Five ranks in a chain as above. Rank 2 dies and rank 1 adopts rank 3, which is interior; then
/// both die together.
Seen lost_grandchild(const ChosenWords& as_printed, scenario::EngineKind engine) {
  Job job(5);
  chain(job, "rel-eager", {{"as_printed", as_printed}});
  follow(job,
         {{.rank = 0, .sends = {{1, 1}}},
          {.rank = 1, .on = 1, .sends = {{2, 2}}},
          {.rank = 2, .on = 2, .sends = {{3, 3}}},
          {.rank = 3, .on = 3, .sends = {{4, 4}}},
          {.rank = 4, .on = 4, .compute_s = 1000}},
         true);
  job.kill(200, {2});
  job.kill(400, {1, 3});
  return job.run(engine);
}

}  // namespace

TEST_CASE("an adopted process must tell its new grandparent that it is interior") {
  for (const scenario::EngineKind engine : engines()) {
    CHECK(lost_grandchild({}, engine).result.outcome == engine::Outcome::fatal_reported);
    CHECK(lost_grandchild({"silent-adoption"}, engine).result.outcome ==
          engine::Outcome::premature);
  }
}

namespace {

/// Rank 1 tells rank 2 of its potential grandchild 3, but the note is on its way for 120 s. By then
/// all three have disengaged and are engaged again, in another order: 4, 1, 3, 2. Then rank 1 dies,
/// with a message of rank 2 on its way.
Seen late_note(const std::string& detector, const ChosenWords& as_printed,
               scenario::EngineKind engine) {
  Job job(5);
  job.spec.platform.processes_per_node = 2;
  job.script(
      Family::workload,
      [](ActorId self) {
        Handlers handlers;
        handlers.start = [self](ScriptContext& context) {
          if (self != 0) return;
          context.send(2, 1, 0);
          context.compute(1000);
          context.set_timer(1, 100);
        };
        handlers.timer = [](ScriptContext& context, std::uint64_t) { context.send(4, 4, 0); };
        handlers.message = [](ScriptContext& context, const Message& message) {
          const std::map<std::uint16_t, Rank> next{{1, 1}, {2, 3}, {4, 1}, {5, 3}, {6, 2}, {7, 1}};
          const auto to = next.find(message.kind);
          if (to == next.end()) return;
          context.send(to->second, static_cast<std::uint16_t>(message.kind + 1), 0);
          if (message.kind == 6) context.compute(1000);
        };
        return handlers;
      },
      {.traits = WorkloadTraits{.starts_at_root = true}});
  job.script(Family::message_logging, [](ActorId self) {
    const auto late = std::make_shared<std::optional<Message>>();
    Handlers handlers;
    handlers.sends = [=](ScriptContext& context, std::span<Message* const> batch, bool) {
      for (Message* message : batch) {
        const bool note =
            message->channel == Family::termination && message->kind == kPotentialGrandchild;
        if (note && self == 1 && !*late) {
          *late = *message;
          context.set_timer(1, 120);
        } else {
          context.forward(*message);
        }
      }
    };
    handlers.timer = [=](ScriptContext& context, std::uint64_t) { context.release(**late); };
    return handlers;
  });
  job.detector(detector, {{"control_bytes", 0}, {"as_printed", as_printed}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
  job.kill(150, {1});
  return job.run(engine);
}

}  // namespace

TEST_CASE("only the parent of that very engagement adopts, though an old note comes late") {
  for (const scenario::EngineKind engine : engines()) {
    for (const std::string& detector : kAdopting) {
      INFO(engine_word(engine) << ' ' << detector);
      CHECK(late_note(detector, {}, engine).result.outcome == engine::Outcome::terminated);
      CHECK(late_note(detector, {"old-notes"}, engine).result.outcome ==
            engine::Outcome::premature);
    }
  }
}

namespace {

/// In each of two phases rank 0 sends a message round some ranks, of which each sends on to two.
void rounds(Job& job) {
  job.spec.platform.processes_per_node = 2;
  job.script(Family::workload,
             [&job](ActorId self) {
               Handlers handlers;
               handlers.start = [self](ScriptContext& context) {
                 if (self == 0) context.compute(1);
               };
               handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
                 context.send(3, 1, 300);
               };
               handlers.message = [self](ScriptContext& context, const Message& message) {
                 if (message.kind == 4) return;
                 const auto next = static_cast<std::uint16_t>(message.kind + 1);
                 context.send((self + 5) % 8, next, 0);
                 context.send(self ^ 1U, next, 200);
               };
               handlers.announced = [self, &job](ScriptContext& context, std::uint32_t phase) {
                 job.note(context, "announced", phase);
                 if (phase == 1) return;
                 context.start_phase();
                 if (self == 0) context.compute(1);
               };
               return handlers;
             },
             {.traits = WorkloadTraits{.starts_at_root = true}});
}

}  // namespace

TEST_CASE("a note on a potential child that is its reader tells of a new engagement, too") {
  JobShape job;
  job.processes = 4;
  Adoption its(job, 1, 0, AdoptionAsPrinted({}));
  its.owed_by(2);
  const auto told = [&](std::uint32_t engagement, Rank child) {
    Message note;
    note.from = 2;
    note.payload.put(Signal{engagement, child});
    its.potential_grandchild(note);
    return its.successors.find(2)->potential_children.size();
  };
  CHECK(told(1, 1) == 0);
  CHECK(told(1, 3) == 1);
  CHECK(told(2, 1) == 0);
  CHECK(told(1, 3) == 0);
}

TEST_CASE("adoption survives the death of each process at each moment, through two phases") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : kAdopting) {
      Job job(8);
      rounds(job);
      job.detector(detector);
      job.use(Family::failure_detection, "oracle", {{"delay_s", 3}});
      const double end_s = job.run(engine).metric("announce_time_s");
      // Every half second falls between any two sends of a handler.
      const double step_s = engine == scenario::EngineKind::loggp ? 0.5 : 30;
      for (Rank victim = 1; victim < 8; ++victim)
        for (double time_s = 0.25; time_s < end_s; time_s += step_s) {
          job.spec.faults.clear();
          job.kill(time_s, {victim});
          const Seen seen = job.run(engine);
          INFO(engine_word(engine)
               << ' ' << detector << ", death of " << victim << " at " << time_s);
          REQUIRE(seen.violations().empty());
          REQUIRE(seen.result.outcome == engine::Outcome::terminated);
          for (Rank rank = 0; rank < 8; ++rank)
            if (rank != victim) REQUIRE(seen.values(rank, "announced") == Values{0, 1});
        }
    }
}

TEST_CASE("the announcement goes around the dead, also when they die while it is on its way") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : kAdopting)
      // The root knows at 24; rank 1 would hear at 36 and send on to 3 and 4, rank 3 to 7 and 8.
      for (const double time_s : {5.0, 23.5, 30.0, 35.5, 36.5, 47.5, 60.0}) {
        Job job(9);
        follow(job, {{.rank = 0, .sends = {{2, 1}}}}, true);
        job.detector(detector, {{"control_bytes", 0}});
        job.use(Family::failure_detection, "oracle", {{"delay_s", 2}});
        job.kill(time_s, {1});
        job.kill(time_s + 1, {3});
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ' ' << detector << ", deaths at " << time_s);
        CHECK(seen.result.outcome == engine::Outcome::terminated);
        CHECK(seen.violations().empty());
      }
}

}  // namespace faultline::termination
