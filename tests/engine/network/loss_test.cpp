// SPDX-License-Identifier: Apache-2.0

// Messages of failure detection that the network loses.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr std::int64_t kMessages = 200;

/// Rank 0 sends a numbered message to rank 1 every 20 s.
Handlers sending(Job& job, ActorId self) {
  Handlers handlers;
  if (self == 0) handlers.start = [](ScriptContext& context) { context.set_timer(1, 20); };
  handlers.timer = [](ScriptContext& context, std::uint64_t key) {
    context.send(1, 0, 0).payload.put(static_cast<std::int64_t>(key));
    if (key < kMessages) context.set_timer(key + 1, 20);
  };
  handlers.message = [&job](ScriptContext& context, const Message& message) {
    job.note(context, "got", message.payload.get<std::int64_t>());
  };
  return handlers;
}

Seen run(Family family, double probability, std::uint32_t per_node, scenario::EngineKind engine) {
  Job job(2);
  job.spec.platform.processes_per_node = per_node;
  job.spec.platform.detection_loss_probability = probability;
  job.script(Family::workload, [&](ActorId self) {
    return family == Family::workload ? sending(job, self) : Handlers{};
  });
  job.script(Family::failure_detection, [&](ActorId self) {
    return family == Family::failure_detection ? sending(job, self) : Handlers{};
  });
  return job.run(engine);
}

}  // namespace

TEST_CASE("the network loses messages of failure detection, and the others come in time") {
  Values on_loggp;
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run(Family::failure_detection, 0.25, 1, engine);
    const Values got = seen.values(1, "got");
    Times expected_s;
    for (const std::int64_t number : got)
      expected_s.push_back(20.0 * static_cast<double>(number) + 12);
    CHECK(close(seen.times_s(1, "got"), expected_s, engine));
    // Four standard deviations of a binomial number with mean 150.
    CHECK(got.size() > 125);
    CHECK(got.size() < 175);
    CHECK(seen.metric("detection_messages") == kMessages);
    CHECK(seen.metric("application_messages_lost") == 0);
    CHECK(seen.violations().empty());
    if (on_loggp.empty()) on_loggp = got;
    CHECK(got == on_loggp);
  }
}

TEST_CASE("neither the application's messages are lost nor those within a node") {
  for (const scenario::EngineKind engine : engines()) {
    CHECK(run(Family::workload, 0.9, 1, engine).count("got") == kMessages);
    CHECK(run(Family::failure_detection, 0.9, 2, engine).count("got") == kMessages);
  }
}

}  // namespace faultline::engine
