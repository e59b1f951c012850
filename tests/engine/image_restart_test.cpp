// SPDX-License-Identifier: Apache-2.0

// A dead rank goes on from its image after a restart, where one has left it in time.

#include <catch2/catch.hpp>
#include <memory>

#include "tests/engine/images.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr MetricSpec kHandled{"handled", Merge::sum, ""};

/// Rank 0 sends to rank 1 at 0, 15 and 100; rank 1 counts.
class Counting final : public Workload {
 public:
  explicit Counting(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Counting>(*this);
  }
  void start(WorkloadContext& context) override {
    job_.note(context, "started");
    if (context.self() != 0) return;
    for (const double at_s : {0.0, 15.0, 100.0})
      context.set_timer(static_cast<std::uint64_t>(at_s), at_s);
  }
  void on_timer(WorkloadContext& context, std::uint64_t) override { context.send(1, 0, 0); }
  void on_message(WorkloadContext& context, const Message&) override {
    job_.note(context, "count", ++count_);
  }
  void on_restored(WorkloadContext& context) override {
    job_.note(context, "restored", count_);
    job_.note(context, "on", context.placement().node_of(context.self()));
  }
  void report(MetricTotals& totals) const override { totals.put(kHandled, count_); }

 private:
  void digest_state(Digest& into) const override { into.add(count_); }
  Job& job_;
  int count_ = 0;
};

enum Kind : std::uint16_t { kImage, kNone };

/// Rank 1 sends its image to rank 0 at 20. When rank 1 has died, rank 0 has it restarted on a spare
/// node and sends it the image, or reports that there is none.
Handlers recovering(Job& job) {
  Handlers handlers;
  const auto keeping = std::make_shared<Keeping>();
  handlers.start = [](ScriptContext& context) {
    if (context.self() == 1 && context.incarnation() == 0) context.set_timer(1, 20);
  };
  handlers.timer = [=, &job](ScriptContext& context, std::uint64_t) {
    Image image;
    if (capture(job, context, image)) context.attach(context.send(0, kImage, 1000), image);
  };
  handlers.message = [=, &job](ScriptContext& context, const Message& message) {
    const auto* image = context.attached<Image>(message);
    if (image == nullptr) return context.start_above();
    if (context.self() == 1) return context.restore(*image);
    keeping->image = *image;
    job.note(context, "kept");
  };
  handlers.peer_failed = [](ScriptContext& context, Incarnation dead) { context.restart(dead); };
  handlers.peer_restarted = [=](ScriptContext& context, Incarnation peer) {
    const bool has_image = !keeping->image.empty();
    Message& message = context.send(peer.actor, has_image ? kImage : kNone, has_image ? 1000 : 0);
    if (has_image) context.attach(message, keeping->image);
  };
  handlers.recovers = [](ActorId) { return true; };
  return handlers;
}

Seen recovered(double death_s, scenario::EngineKind engine) {
  Job job(2);
  job.spec.platform.spare_nodes = 1;
  job.own(Family::workload, [&job](ActorId) { return std::make_unique<Counting>(job); },
          {.traits = WorkloadTraits{.has_images = true}, .metrics = {&kHandled}});
  job.script(Family::message_logging, [&job](ActorId) { return recovering(job); });
  job.use(Family::failure_detection, "oracle", {{"delay_s", 10}});
  job.kill(death_s, {1});
  return job.run(engine);
}

}  // namespace

TEST_CASE("a dead rank goes on from its image on a spare node") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = recovered(40, engine);
    CHECK(close(seen.times_s(0, "kept"), {42}, engine));
    CHECK(close(seen.times_s(1, "restored"), {72}, engine));
    CHECK(seen.values(1, "restored") == Values{1});
    CHECK(seen.values(1, "on") == Values{2});
    CHECK(seen.times_s(1, "started").size() == 1);
    CHECK(seen.values(1, "count") == Values{1, 2, 2});
    CHECK(close(seen.times_s(1, "count"), {12, 27, 112}, engine));
    // What the dead incarnation has counted is undone: its image has counted it.
    CHECK(seen.metric("handled") == 2);
    CHECK(seen.metric("failed_ranks") == 0);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("an image that has not entered the network when its rank dies is lost") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = recovered(20.5, engine);
    CHECK(seen.values(1, "image") == Values{1});
    CHECK(seen.count("kept") == 0);
    CHECK(seen.count("restored") == 0);
    CHECK(close(seen.times_s(1, "started"), {0, 42.5}, engine));
    CHECK(seen.values(1, "count") == Values{1, 1});
    CHECK(seen.metric("handled") == 1);  // what its next life does again counts once
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

}  // namespace faultline::engine
