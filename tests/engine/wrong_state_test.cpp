// SPDX-License-Identifier: Apache-2.0

// A program that has lost a rank and got it back comes to its end. Whether that end is one that a
// run without faults can have, the auditor finds out.

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/engine/images.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr std::uint64_t kMessages = 4;

/// Rank 0 sends four messages to rank 1, at 0, 15, 30 and 45, and rank 1 finishes with the fourth.
class Sending final : public Workload {
 public:
  explicit Sending(Job&) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Sending>(*this);
  }
  void start(WorkloadContext& context) override {
    if (context.self() != 0) return;
    context.finish();
    for (std::uint64_t number = 0; number < kMessages; ++number)
      context.set_timer(number, 15.0 * static_cast<double>(number));
  }
  void on_timer(WorkloadContext& context, std::uint64_t number) override {
    context.send(1, 0, 0).payload.put(number);
  }
  void on_message(WorkloadContext& context, const Message&) override {
    if (++count_ == kMessages) context.finish();
  }

 private:
  void digest_state(Digest& into) const override { into.add(count_); }
  std::uint64_t count_ = 0;
};

enum Kind : std::uint16_t { kImage, kRestored };

/// Rank 1 sends rank 0 its image at 20, when it has handled one message. Rank 0 logs what it sends,
/// and sends again what `again` chooses of that when rank 1 has been put back.
using Again = std::function<void(ScriptContext&, const std::vector<Message>& log)>;
Handlers logging(Job& job, const Again& again) {
  Handlers handlers;
  const auto keeping = std::make_shared<Keeping>();
  handlers.start = [](ScriptContext& context) {
    if (context.self() == 1 && context.incarnation() == 0) context.set_timer(1, 20);
  };
  handlers.timer = [=, &job](ScriptContext& context, std::uint64_t) {
    Image image;
    if (capture(job, context, image)) context.attach(context.send(0, kImage, 0), image);
  };
  handlers.sends = [=](ScriptContext& context, std::span<Message* const> batch, bool) {
    for (Message* message : batch) {
      keeping->log.push_back(*message);
      context.forward(*message);
    }
  };
  handlers.message = [=](ScriptContext& context, const Message& message) {
    if (message.kind == kRestored) return again(context, keeping->log);
    const Image image = *context.attached<Image>(message);
    if (context.self() == 1)
      context.restore(image);
    else
      keeping->image = image;
  };
  handlers.restored = [](ScriptContext& context) { context.send(0, kRestored, 0); };
  handlers.peer_failed = [](ScriptContext& context, Incarnation dead) { context.restart(dead); };
  handlers.peer_restarted = [=](ScriptContext& context, Incarnation peer) {
    context.attach(context.send(peer.actor, kImage, 0), keeping->image);
  };
  handlers.recovers = [](ActorId) { return true; };
  return handlers;
}

/// Rank 1 dies at 50, after three messages.
Seen recovered(scenario::EngineKind engine, const Again& again) {
  Job job(2);
  job.spec.platform.spare_nodes = 1;
  job.spec.stop.when = scenario::StopWhen::finished;
  use_own<Sending>(job, Family::workload);
  job.script(
      Family::message_logging, [&](ActorId) { return logging(job, again); },
      RecoveryTraits{.takes_images = true});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 10}});
  job.kill(50, {1});
  return job.run(engine);
}

Again from(std::size_t first) {
  return [first](ScriptContext& context, const std::vector<Message>& log) {
    for (std::size_t i = first; i < log.size(); ++i) context.resend(log[i]);
  };
}

void check_wrong(const Seen& seen, const std::string& detail) {
  CHECK(seen.result.outcome == Outcome::wrong_state);
  REQUIRE(seen.result.violations.size() == 1);
  CHECK(seen.result.violations[0].kind == "wrong-state");
  CHECK(seen.result.violations[0].detail == detail);
}

}  // namespace

TEST_CASE("a rank that gets again exactly what its image lacks ends in a right state") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = recovered(engine, from(1));
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("application_messages_resent") == 3);
  }
}

TEST_CASE("a message that is consumed twice makes a wrong state") {
  for (const scenario::EngineKind engine : engines())
    check_wrong(recovered(engine,
                          [](ScriptContext& context, const std::vector<Message>& log) {
                            context.resend(log[1]);
                            from(1)(context, log);
                          }),
                "from 0 to 1: 4 messages were sent and 4 consumed, which are not the same");
}

TEST_CASE("a message that is sent again otherwise than before makes a wrong state") {
  for (const scenario::EngineKind engine : engines())
    check_wrong(recovered(engine,
                          [](ScriptContext& context, const std::vector<Message>& log) {
                            for (std::size_t i = 1; i < log.size(); ++i)
                              context.resend(log[i]).payload.put(i == 2 ? 7 : std::uint64_t{i});
                          }),
                "from 0 to 1: 4 messages were sent and 4 consumed, which are not the same");
}

TEST_CASE("a message that is lost in a recovery leaves a rank that waits") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = recovered(engine, from(2));
    CHECK(seen.result.outcome == Outcome::deadlock);
  }
}

}  // namespace faultline::engine
