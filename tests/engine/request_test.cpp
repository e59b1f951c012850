// SPDX-License-Identifier: Apache-2.0

// Components of one stack ask each other, without knowing each other's code.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

struct BeginBlock {
  static constexpr std::uint16_t kRequest = 1001;
  std::int64_t block = 0;
};

struct Verdict {
  static constexpr std::uint16_t kRequest = 1002;
  std::int64_t accepted = 0;
};

}  // namespace

TEST_CASE("a request comes after what its handler has sent, and its answer carries its number") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=, &job](ScriptContext& context) {
        if (self != 0) return;
        CHECK(context.ask(Family::transactions, BeginBlock{7}, 42));
        CHECK(context.ask(Family::transactions, BeginBlock{8}, 43));
        context.send(1, 0, 0);
        job.note(context, "asked");
      };
      handlers.answer = [&job](ScriptContext& context, const StackRequest& answer) {
        CHECK(answer.is<Verdict>());
        CHECK_FALSE(answer.is<BeginBlock>());
        job.note(context, "answer " + std::to_string(answer.get<Verdict>().accepted),
                 static_cast<std::int64_t>(answer.number));
      };
      return handlers;
    });
    job.script(Family::transactions, [&job](ActorId) {
      Handlers handlers;
      handlers.sends = [&job](ScriptContext& context, std::span<Message* const> batch, bool) {
        job.note(context, "sends");
        for (Message* message : batch) context.forward(*message);
      };
      handlers.request = [&job](ScriptContext& context, const StackRequest& request) {
        CHECK(request.from == Family::workload);
        job.note(context, "request", request.get<BeginBlock>().block);
        context.answer(request, Verdict{request.get<BeginBlock>().block * 10});
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    std::vector<std::string> words;
    for (const Entry& entry : seen.log) words.push_back(entry.what);
    CHECK(words == Words{"asked", "sends", "request", "request", "answer 70", "answer 80"});
    CHECK(seen.values(0, "request") == Values{7, 8});
    CHECK(seen.values(0, "answer 70") == Values{42});
    CHECK(seen.values(0, "answer 80") == Values{43});
  }
}

TEST_CASE("an answer may come in a later turn, and what it starts makes the rank active") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        if (self == 0) context.ask(Family::message_logging, BeginBlock{1});
      };
      handlers.answer = [](ScriptContext& context, const StackRequest&) { context.compute(10); };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "computed");
      };
      return handlers;
    });
    job.script(Family::message_logging, [](ActorId) {
      Handlers handlers;
      auto asked = std::make_shared<StackRequest>();
      handlers.request = [asked](ScriptContext& context, const StackRequest& request) {
        *asked = request;
        context.set_timer(1, 5);
      };
      handlers.timer = [asked](ScriptContext& context, std::uint64_t) {
        context.answer(*asked, Verdict{1});
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "computed"), {15}, engine));
    CHECK(seen.metric("busy_transitions") == 1);
  }
}

TEST_CASE("no component can be asked that is not in the stack") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    bool asked = true;
    job.script(Family::workload, [&](ActorId) {
      return Handlers{.start = [&](ScriptContext& context) {
        asked = context.ask(Family::termination, BeginBlock{});
        job.note(context, asked ? "asked" : "nobody");
      }};
    });
    CHECK(job.run(engine).count("nobody") == 1);
  }
}

}  // namespace faultline::engine
