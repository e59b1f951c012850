// SPDX-License-Identifier: Apache-2.0

// What the auditor finds in whole runs where a layer loses messages or credit, or makes more of
// them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/audit/misbehaviour.hpp"
#include "tests/support/job.hpp"

namespace faultline::audit {

using namespace test;

TEST_CASE("message conservation: a layer that makes two messages of one") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    one_message(job);
    first_message(job, [](ScriptContext& context, Message& message) {
      context.release(message);
      context.forward(message);
    });
    const Seen seen = job.run(engine);
    const auto found = seen.violations();
    CHECK(std::count(found.begin(), found.end(), "message-conservation") == 1);
    CHECK(seen.result.outcome != engine::Outcome::finished);
  }
}

TEST_CASE("credit: a detector that loses some is found at once, one that loses none is not") {
  for (const scenario::EngineKind engine : engines())
    for (const std::int64_t lost : {0, 1}) {
      Job job(2);
      one_message(job);
      job.script(Family::termination, [lost](ActorId self) {
        const auto credit = std::make_shared<std::int64_t>(self == 0 ? 10 : 0);
        Handlers handlers;
        handlers.sends = [=](ScriptContext& context, std::span<Message* const> batch, bool) {
          for (Message* message : batch) {
            message->termination.put(std::int64_t{4});
            *credit -= 4;
            context.forward(*message);
          }
        };
        handlers.receive = [=](ScriptContext&, Message& message) {
          *credit += message.termination.get<std::int64_t>() - lost;
          return Passage::deliver;
        };
        handlers.conserved = [=] { return Conserved{*credit, self == 0 ? 10 : 0}; };
        handlers.conserved_in = [](const Message& message) {
          return message.termination.get<std::int64_t>();
        };
        handlers.start = [](ScriptContext& context) { context.set_timer(1, 40); };
        handlers.timer = [](ScriptContext& context, std::uint64_t) { context.announce(); };
        return handlers;
      });
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", lost " << lost);
      CHECK(seen.violations() == (lost > 0 ? Words{"credit"} : Words{}));
      CHECK(seen.result.outcome ==
            (lost > 0 ? engine::Outcome::violated : engine::Outcome::terminated));
      if (lost == 0) continue;
      CHECK(seen.result.violations.front().actor == 1U);
      CHECK(seen.result.violations.front().time_s == Approx(12));
    }
}

namespace {

/// A detector that distributes 10 of a credit, of which rank 0 holds 7 and rank 2 holds 3 at the
/// start of each phase; every message takes one with it. Its receiver loses it where `loses` is
/// true.
Scripts credit(const std::function<bool(const ScriptContext&)>& loses, double announce_s) {
  return [=](ActorId self) {
    const auto held = std::make_shared<std::int64_t>(self == 0 ? 7 : self == 2 ? 3 : 0);
    Handlers handlers;
    handlers.sends = [=](ScriptContext& context, std::span<Message* const> batch, bool) {
      for (Message* message : batch) {
        message->termination.put(std::int64_t{1});
        --*held;
        context.forward(*message);
      }
    };
    handlers.receive = [=](ScriptContext& context, Message& message) {
      if (!loses(context)) *held += message.termination.get<std::int64_t>();
      return Passage::deliver;
    };
    handlers.conserved = [=] { return Conserved{*held, self == 0 ? 10 : 0}; };
    handlers.conserved_in = [](const Message& message) {
      return message.termination.get<std::int64_t>();
    };
    handlers.start = [=](ScriptContext& context) { context.set_timer(1, announce_s); };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.announce(); };
    return handlers;
  };
}

/// Rank 0 sends a message to each of the others at 1 s and at 30 s.
void two_rounds(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    const auto send = [](ScriptContext& context) {
      for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, 0, 0);
    };
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self != 0) return;
      context.compute(1, 1);
      context.set_timer(1, 30);
      context.declare_work(1);
    };
    handlers.compute_done = [send](ScriptContext& context, std::uint64_t) { send(context); };
    handlers.timer = [send](ScriptContext& context, std::uint64_t) {
      send(context);
      context.declare_work(-1);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("credit: what the dead hold and what is sent to them is lost and accounted for") {
  for (const scenario::EngineKind engine : engines())
    for (const bool loses : {false, true}) {
      Job job(4);
      two_rounds(job);
      // Rank 2 dies with its own credit before the first message reaches it.
      const auto late = [loses](const ScriptContext& context) {
        return loses && context.now_s() > 30;
      };
      job.script(Family::termination, credit(late, 100)).kill(5, {2});
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << (loses ? ", loses" : ""));
      REQUIRE(seen.violations() == (loses ? Words{"credit"} : Words{}));
      CHECK(seen.result.outcome ==
            (loses ? engine::Outcome::violated : engine::Outcome::terminated));
      if (!loses) continue;
      // At 31 s rank 0 has sent the second message to rank 1.
      CHECK(seen.result.violations.front().actor == 1U);
      CHECK(seen.result.violations.front().time_s == Approx(42));
      CHECK(first_detail(seen) == "credit is not conserved: -1 lost");
    }
}

TEST_CASE("credit: it is audited in every phase") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t lost_in : {0U, 1U, 2U, 3U}) {
      Job job(3);
      job.script(Family::workload, [](ActorId self) {
        Handlers handlers;
        const auto begin = [self](ScriptContext& context) {
          if (self == 0) context.compute(1);
        };
        handlers.start = begin;
        handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
          context.send(1, 0, 0);
        };
        handlers.announced = [begin](ScriptContext& context, std::uint32_t phase) {
          if (phase == 2) return;
          context.start_phase();
          begin(context);
        };
        return handlers;
      });
      // A rank that is still in the phase before must not disturb the sum.
      const auto loses = [lost_in](const ScriptContext& context) {
        return context.phase() == lost_in;
      };
      job.script(Family::termination,
                 [loses](ActorId self) { return credit(loses, self == 2 ? 40 : 30)(self); });
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", lost in " << lost_in);
      REQUIRE(seen.violations() == (lost_in < 3 ? Words{"credit"} : Words{}));
      if (lost_in == 3) continue;
      CHECK(seen.result.violations.front().actor == 1U);
      CHECK(seen.result.violations.front().time_s == Approx(13 + 30.0 * lost_in));
    }
}

TEST_CASE("credit: whoever dies and whenever, the detectors lose none but what is lost with them") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < sample_of(200, engine); ++seed)
      for (const auto& [detector, options] : std::vector<std::pair<std::string, OptionValues>>{
               {"cda", {{"initial_credit", std::int64_t{4}}}},
               {"hcda", {{"credit", std::string("mattern")}}},
               {"hcda", {{"credit", std::string("own-currency")}}},
               {"hcda", {}}}) {
        Stream draw(seed, 0, Purpose::faults, 0);
        Job job(8, quick_machine());
        job.workload("uniform-traffic", {{"hops", std::int64_t{20}}, {"compute_s", 2e-6}});
        job.detector(detector, options);
        for (std::uint64_t deaths = 1 + draw.below(3); deaths > 0; --deaths)
          job.kill(draw.uniform() * 2e-4, {static_cast<Rank>(draw.below(8))});
        job.spec.stop.grace_s = 1;
        const Seen seen = job.run(engine, seed);
        INFO(engine_word(engine) << ", seed " << seed << ", " << detector);
        const auto found = seen.violations();
        CHECK(std::count(found.begin(), found.end(), "credit") == 0);
      }
}

}  // namespace faultline::audit
