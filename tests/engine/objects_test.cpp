// SPDX-License-Identifier: Apache-2.0

// Objects of an over-decomposed program: a layer reads, packs and moves them, and what a message
// from a rank to itself costs.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/forwarding.hpp"
#include "tests/engine/images.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Rank 0 begins with objects 5 and 7. An object counts its messages. Object 9 of rank 2 sends
/// one to object 7 on rank 1 at 100, and before, if it `sends_home`, one to rank 0. When an object
/// is unpacked, it tells rank 0 so.
class Hosting final : public Workload {
 public:
  Hosting(Job& job, Rank self, bool sends_home = false) : job_(job), sends_home_(sends_home) {
    if (self == 0) counts_ = {{5, 50}, {7, 70}};
  }
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Hosting>(*this);
  }
  void start(WorkloadContext& context) override {
    if (context.self() != 2) return;
    context.set_timer(1, 100);
    if (sends_home_) send(context, 0);
  }
  void on_timer(WorkloadContext& context, std::uint64_t) override { send(context, 1); }
  void on_message(WorkloadContext& context, const Message& message) override {
    const auto found = counts_.find(message.to_object);
    if (found == counts_.end()) return job_.note(context, "message", -1);
    job_.note(context, "message", static_cast<std::int64_t>(++found->second));
  }
  [[nodiscard]] std::vector<ObjectId> objects() const override {
    std::vector<ObjectId> numbers;
    for (const auto& [object, count] : counts_) numbers.push_back(object);
    return numbers;
  }
  [[nodiscard]] PackedObject pack(ObjectId object) const override {
    return {object, 300,
            std::make_shared<const std::vector<std::uint64_t>>(
                std::vector<std::uint64_t>{counts_.at(object)})};
  }
  void remove(ObjectId object) override { counts_.erase(object); }
  void unpack(WorkloadContext& context, const PackedObject& packed) override {
    counts_[packed.object] = packed.words->front();
    Message& message = context.send(0, 1, 0);
    message.from_object = packed.object;
    message.to_object = kNoObject;
    job_.note(context, "unpacked", packed.object);
  }

 private:
  static void send(WorkloadContext& context, Rank to) {
    Message& message = context.send(to, 0, 0);
    message.from_object = 9;
    message.to_object = 7;
  }
  void digest_state(Digest& into) const override {
    for (const auto& [object, count] : counts_) into.add(object, count);
  }
  Job& job_;
  bool sends_home_;
  std::map<ObjectId, std::uint64_t> counts_;
};

void use_hosting(Job& job, bool sends_home = false) {
  job.own(
      Family::workload,
      [&job, sends_home](ActorId self) { return std::make_unique<Hosting>(job, self, sends_home); },
      {.traits = WorkloadTraits{.has_images = true, .has_objects = true}});
}

void note_objects(Job& job, const ScriptContext& context) {
  for (const ObjectId object : context.objects()) job.note(context, "hosts", object);
}

/// At 10, rank 0 moves its objects to rank 1, in one message each.
Handlers moving(Job& job) {
  Handlers handlers;
  handlers.start = [](ScriptContext& context) {
    if (context.self() == 0) context.set_timer(1, 10);
  };
  handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
    for (const ObjectId object : context.objects()) {
      const std::optional<PackedObject> packed = context.pack(object);
      if (!packed) return job.note(context, "nothing packed");
      context.attach(context.send(1, 0, static_cast<std::uint32_t>(packed->bytes)), *packed);
      context.remove_object(object);
      Image image;
      capture(job, context, image);
    }
  };
  handlers.message = [](ScriptContext& context, const Message& message) {
    context.host_object(*context.attached<PackedObject>(message));
  };
  handlers.object_moved = [&job](ScriptContext& context, ObjectId object) {
    job.note(context, "moved", object);
    note_objects(job, context);
    Image image;
    capture(job, context, image);
  };
  return handlers;
}

/// Rank 0 packs its objects out of an image that it took at 10, and hosts them again at 20, when it
/// has none.
Handlers keeping_image(Job& job) {
  Handlers handlers;
  const auto image = std::make_shared<Image>();
  handlers.start = [](ScriptContext& context) {
    if (context.self() == 0) context.set_timer(1, 10);
  };
  handlers.timer = [=, &job](ScriptContext& context, std::uint64_t key) {
    if (key == 1) {
      if (!capture(job, context, *image)) return;
      for (const ObjectId object : context.objects()) context.remove_object(object);
      return context.set_timer(2, 10);
    }
    note_objects(job, context);
    for (const ObjectId object : image->objects()) {
      const PackedObject packed = image->pack(object);
      job.note(context, "count", static_cast<std::int64_t>(packed.words->front()));
      context.host_object(packed);
    }
  };
  return handlers;
}

}  // namespace

TEST_CASE("a layer moves objects to another rank, where they go on") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    use_hosting(job);
    job.script(Family::message_logging, [&job](ActorId) { return moving(job); });
    const Seen seen = job.run(engine);
    INFO(engine_word(engine));
    // There is no image while an object is about to be removed or hosted.
    CHECK(seen.values(0, "image") == Values{0, 0, 0, 1});
    CHECK(seen.values(0, "moved") == Values{5, 7});
    CHECK(seen.values(0, "hosts") == Values{7});
    CHECK(close(seen.times_s(0, "moved"), {10, 10}, engine));
    // Each message takes 12 s and 3 s of bytes; the second waits 3 s for the NIC.
    CHECK(seen.values(1, "unpacked") == Values{5, 7});
    CHECK(close(seen.times_s(1, "unpacked"), {25, 28}, engine));
    CHECK(seen.values(1, "moved") == Values{5, 7});
    CHECK(seen.values(1, "hosts") == Values{5, 5, 7});
    CHECK(seen.values(1, "image") == Values{1, 1});
    // What they send when they are unpacked is a message of the program.
    CHECK(close(seen.times_s(0, "message"), {37, 40}, engine));
    CHECK(seen.metric("application_messages") == 3);
    CHECK(seen.values(1, "message") == Values{71});
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("what an object has sent and consumed goes with it") {
  for (const scenario::EngineKind engine : engines())
    for (const bool relays : {true, false}) {
      Job job(3);
      use_hosting(job, true);
      // Object 7 has still to get a message at home when it has moved.
      job.script(
          Family::message_logging,
          [&job, relays](ActorId self) {
            Handlers handlers = moving(job);
            handlers.receive = [self, relays](ScriptContext& context, Message& message) {
              if (self != 0 || message.to_object != 7) return Passage::deliver;
              if (relays)
                context.relay(message, 1);
              else
                context.discard(message);
              return Passage::hold;
            };
            return handlers;
          },
          RecoveryTraits{.takes_images = true});
      job.spec.driver_kills = true;  // so that the auditor keeps ledgers
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << (relays ? ", relayed" : ", discarded"));
      CHECK(seen.values(1, "message") == (relays ? Values{71, 72} : Values{71}));
      CHECK(seen.violations() == (relays ? Words{} : Words{"wrong-state"}));
      if (!relays)
        CHECK(seen.result.violations[0].detail ==
              "from object 9 to object 7: 2 messages were sent and 1 consumed");
    }
}

TEST_CASE("objects are packed out of an image, as they were then") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    use_hosting(job);
    job.script(Family::message_logging, [&job](ActorId) { return keeping_image(job); });
    const Seen seen = job.run(engine);
    INFO(engine_word(engine));
    CHECK(seen.values(0, "image") == Values{1});
    CHECK(seen.count("hosts") == 0);
    CHECK(seen.values(0, "count") == Values{50, 70});
    CHECK(seen.values(0, "unpacked") == Values{5, 7});
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("nothing is packed while something of the program is under way") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.own(Family::workload,
            [&job](ActorId self) {
              class Computing final : public Forwarding<Workload> {
               public:
                using Forwarding::Forwarding;
                [[nodiscard]] std::unique_ptr<Component> clone() const override {
                  return std::make_unique<Computing>(*this);
                }
                void start(WorkloadContext& context) override { context.compute(15); }
              };
              return std::make_unique<Computing>(std::make_unique<Hosting>(job, self));
            },
            {.traits = WorkloadTraits{.has_images = true, .has_objects = true}});
    job.script(Family::message_logging, [&job](ActorId) { return moving(job); });
    const Seen seen = job.run(engine);
    CHECK(seen.times_s(0, "nothing packed").size() == 1);
    CHECK(seen.count("moved") == 0);
  }
}

TEST_CASE("objects wait for a workload that has not started") {
  Job job(3);
  job.spec.platform.spare_nodes = 1;
  use_hosting(job);
  job.script(Family::message_logging, [&job](ActorId) {
    Handlers handlers = moving(job);
    handlers.start = [](ScriptContext& context) {
      if (context.incarnation() > 0) context.host_object({.object = 9});
    };
    handlers.peer_failed = [](ScriptContext& context, Incarnation dead) { context.restart(dead); };
    handlers.recovers = [](ActorId) { return true; };
    return handlers;
  });
  job.use(Family::failure_detection, "oracle", {{"delay_s", 10}});
  job.kill(5, {1});
  CHECK_THROWS_AS(job.run(), std::logic_error);
}

TEST_CASE("a message of a rank to itself costs local time and passes its layers") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self != 0) return;
        context.send(0, 0, 300).to_object = 1;
        context.send(0, 0, 300).to_object = 2;
      };
      handlers.message = [&job](ScriptContext& context, const Message& message) {
        job.note(context, "got", message.to_object);
      };
      return handlers;
    });
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      handlers.sends = [&job](ScriptContext& context, std::span<Message* const> batch, bool) {
        for (Message* message : batch) {
          job.note(context, "down", message->to_object);
          context.forward(*message);
        }
      };
      handlers.receive = [&job](ScriptContext& context, Message& message) {
        job.note(context, "up", message.to_object);
        return Passage::deliver;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    INFO(engine_word(engine));
    CHECK(seen.values(0, "down") == Values{1, 2});
    CHECK(seen.values(0, "up") == Values{1, 2});
    // Overhead 1 s, latency 2 s, 0.3 s of bytes, overhead 1 s. The second is sent 1 s later, and
    // received when the first has been. No NIC, no network.
    CHECK(close(seen.times_s(0, "got"), {4.3, 5.3}, engine));
  }
}

}  // namespace faultline::engine
