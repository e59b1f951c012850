// SPDX-License-Identifier: Apache-2.0

// stencil goes on from images: all ranks together, one alone that gets its messages again, and
// objects that another rank hosts meanwhile.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/checkpoint_request.hpp"
#include "tests/support/job.hpp"
#include "tests/workloads/stencils.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

/// Takes part in checkpoints as message logging would: when all ranks have asked for a number, all
/// are told so, by rank 0.
class Checkpoints : public RecoveryLayer {
 public:
  explicit Checkpoints(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Checkpoints>(*this);
  }
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    if (!request.is<CheckpointRequest>()) return;
    request_ = request;
    job_.note(context, "asked", static_cast<std::int64_t>(number()));
    tell_ready(context);
  }
  void on_message(RecoveryContext& context, const Message& message) override {
    if (message.kind == kAll) return all_ready(context);
    if (++ready_ < context.job().processes) return;
    ready_ = 0;
    for (Rank rank = 0; rank < context.job().processes; ++rank) context.send(rank, kAll, 0);
  }

 protected:
  enum Kind : std::uint16_t { kReady, kAll, kObject };
  static void tell_ready(RecoveryContext& context) { context.send(0, kReady, 0); }
  virtual void all_ready(RecoveryContext& context) { pass(context, number()); }
  void pass(RecoveryContext& context, std::uint64_t number) {
    context.answer(request_, CheckpointRequest{number});
  }
  [[nodiscard]] std::uint64_t number() const { return request_.get<CheckpointRequest>().number; }
  Job& job() { return job_; }

 private:
  void digest_state(Digest& into) const override { into.add(request_, ready_); }

  Job& job_;
  StackRequest request_;
  std::uint32_t ready_ = 0;
};

/// When all wait at number 2, all ranks go back to number 1, once.
class GoesBack final : public Checkpoints {
 public:
  using Checkpoints::Checkpoints;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<GoesBack>(*this);
  }
  void on_restored(RecoveryContext& context) override {
    went_back_ = true;
    tell_ready(context);
  }

 protected:
  void all_ready(RecoveryContext& context) override {
    if (number() == 2 && !went_back_) return context.restore(image_);
    if (number() == 2 && !passed_again_) {
      passed_again_ = true;
      return pass(context, 1);
    }
    if (number() == 1) image_ = *context.capture();
    Checkpoints::all_ready(context);
  }

 private:
  Image image_;
  bool went_back_ = false;
  bool passed_again_ = false;
};

/// When all wait at number 2, rank 2 alone goes back to number 1. It gets all messages of that time
/// again at once, in the reverse order, and sends none to others.
class Replays final : public Checkpoints {
 public:
  static constexpr Rank kBack = 2;

  using Checkpoints::Checkpoints;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Replays>(*this);
  }
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    replaying_ = false;
    Checkpoints::on_request(context, request);
  }
  void on_message(RecoveryContext& context, const Message& message) override {
    if (message.kind != kObject) return Checkpoints::on_message(context, message);
    std::for_each(log_.rbegin(), log_.rend(),
                  [&](const Message& logged) { context.resend(logged); });
    tell_ready(context);
  }
  void on_sends(RecoveryContext& context, std::span<Message* const> batch, bool) override {
    for (Message* message : batch) {
      const bool outward = message->channel == Family::workload && message->to != context.self();
      if (outward && replaying_) {
        context.discard(*message);
        continue;
      }
      if (outward && message->to == kBack) log_.push_back(*message);
      context.forward(*message);
    }
  }
  void on_restored(RecoveryContext& context) override {
    replaying_ = true;
    pass(context, 1);
    for (Rank rank = 0; rank < context.job().processes; ++rank)
      if (rank != kBack) context.send(rank, kObject, 0);
  }

 protected:
  void all_ready(RecoveryContext& context) override {
    const bool first = number() == 2 && !went_back_;
    if (number() == 2) went_back_ = true;
    if (first && context.self() == kBack) return context.restore(image_);
    if (first) return;
    if (number() == 1 && context.self() == kBack) image_ = *context.capture();
    if (number() == 1) log_.clear();
    Checkpoints::all_ready(context);
  }

 private:
  Image image_;
  std::vector<Message> log_;
  bool went_back_ = false;
  bool replaying_ = false;
};

/// Rank 0 spreads its objects over the others at number 1. They come home before number 2.
class Spreads final : public Checkpoints {
 public:
  using Checkpoints::Checkpoints;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Spreads>(*this);
  }
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    if (!request.is<CheckpointRequest>()) return;
    if (context.self() != 0) send_home(context);
    const bool first = request.get<CheckpointRequest>().number != asked_for_;
    asked_for_ = request.get<CheckpointRequest>().number;
    if (first && (context.self() != 0 || helpers_.empty()))
      Checkpoints::on_request(context, request);
    else
      late_ = request;
  }
  void on_message(RecoveryContext& context, const Message& message) override {
    if (message.kind != kObject) return Checkpoints::on_message(context, message);
    context.host_object(*context.attached<PackedObject>(message));
  }
  void on_object_moved(RecoveryContext& context, ObjectId object) override {
    job().note(context, "moved", object);
    const std::vector<ObjectId> here = context.objects();
    const bool came_home = std::find(here.begin(), here.end(), object) != here.end();
    if (context.self() != 0) return;
    if (came_home) helpers_.erase(object);
    if (helpers_.empty()) Checkpoints::on_request(context, late_);
    // The program goes on when it hosts none of them any more.
    if (here.empty()) Checkpoints::all_ready(context);
  }
  Passage on_receive(RecoveryContext& context, Message& message) override {
    const auto helper = helpers_.find(message.to_object);
    if (message.channel != Family::workload || helper == helpers_.end()) return Passage::deliver;
    context.relay(message, helper->second);
    return Passage::hold;
  }

 protected:
  void all_ready(RecoveryContext& context) override {
    if (context.self() == 0 && number() == 1)
      for (const ObjectId object : context.objects()) {
        const Rank helper = 1 + object % (context.job().processes - 1);
        move(context, object, helper);
        helpers_[object] = helper;
      }
    else
      Checkpoints::all_ready(context);
  }

 private:
  static void move(RecoveryContext& context, ObjectId object, Rank to) {
    const std::optional<PackedObject> packed = context.pack(object);
    REQUIRE(packed);
    Message& message = context.send(to, kObject, static_cast<std::uint32_t>(packed->bytes));
    context.attach(message, *packed);
    context.remove_object(object);
  }
  static void send_home(RecoveryContext& context) {
    const auto objects = context.objects();
    for (const ObjectId object : objects)
      if (object < kPerRank) move(context, object, 0);
  }

 public:
  static constexpr ObjectId kPerRank = 4;

 private:
  std::map<ObjectId, Rank> helpers_;  ///< at rank 0: where its objects are
  std::uint64_t asked_for_ = UINT64_MAX;
  StackRequest late_;
};

/// Runs a stencil above such a layer. The auditor keeps ledgers of what is sent and consumed.
template <class Above>
Seen run_above(const std::string& workload, const OptionValues& values,
               scenario::EngineKind engine) {
  Job job(6, quick_machine());
  job.workload(workload, values);
  job.own(Family::message_logging, [&job](ActorId) { return std::make_unique<Above>(job); },
          {.traits = RecoveryTraits{.takes_images = true}});
  job.spec.driver_kills = true;
  job.spec.stop.when = scenario::StopWhen::finished;
  return job.run(engine);
}

OptionValues with_checkpoints(OptionValues values, std::int64_t iterations) {
  values["checkpoint_iterations"] = iterations;
  return values;
}

}  // namespace

TEST_CASE("a stencil goes on from images of a synchronisation point") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string preset : {"wave2d", "lulesh"}) {
      const OptionValues values = with_checkpoints(stencil_values(preset, 4, "linear", 5), 2);
      const Seen plain = run_above<Checkpoints>("stencil", values, engine);
      const Seen back = run_above<GoesBack>("stencil", values, engine);
      INFO(engine_word(engine) << ' ' << preset);
      // At the start, after 2 and 4 iterations, and at the end.
      CHECK(plain.values(3, "asked") == Values{0, 1, 2, 3});
      CHECK(back.values(3, "asked") == Values{0, 1, 2, 2, 3});
      CHECK(back.metric("state_digest") == plain.metric("state_digest"));
      CHECK(back.metric("remote_messages") == plain.metric("remote_messages"));
      CHECK(back.violations().empty());
      CHECK(back.result.outcome == engine::Outcome::finished);
    }
}

TEST_CASE("a rank that goes back alone takes all messages of its past at once, in any order") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string preset : {"jacobi3d", "lulesh"}) {
      const OptionValues values = with_checkpoints(stencil_values(preset, 4, "linear", 9), 4);
      const Seen plain = run_above<Checkpoints>("stencil", values, engine);
      const Seen back = run_above<Replays>("stencil", values, engine);
      INFO(engine_word(engine) << ' ' << preset);
      CHECK(back.values(2, "asked") == Values{0, 1, 2, 2, 3});
      CHECK(back.values(3, "asked") == Values{0, 1, 2, 3});
      // Jacobi3D has 16 remote messages of a rank in each of the 4 iterations.
      if (preset == "jacobi3d") CHECK(back.metric("application_messages_resent") == 64);
      CHECK(back.metric("state_digest") == plain.metric("state_digest"));
      CHECK(back.metric("remote_messages") == plain.metric("remote_messages"));
      CHECK(back.violations().empty());
      CHECK(back.result.outcome == engine::Outcome::finished);
    }
}

TEST_CASE("objects go on where they have been taken, and come home at a synchronisation point") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string workload : {"stencil", "ordered-stencil"})
      for (const std::string preset : {"jacobi3d", "lulesh"}) {
        const OptionValues values =
            with_checkpoints(stencil_values(preset, Spreads::kPerRank, "linear", 5), 2);
        const Seen plain = run_above<Checkpoints>("stencil", values, engine);
        const Seen spread = run_above<Spreads>(workload, values, engine);
        INFO(engine_word(engine) << ' ' << workload << ' ' << preset);
        // They leave in their order, and come home in any.
        Values moved = spread.values(0, "moved");
        std::sort(moved.begin() + Spreads::kPerRank, moved.end());
        CHECK(moved == Values{0, 1, 2, 3, 0, 1, 2, 3});
        CHECK(spread.metric("iterations_done") == 30);
        CHECK(spread.metric("remote_messages") == plain.metric("remote_messages"));
        if (workload == "stencil")
          CHECK(spread.metric("state_digest") == plain.metric("state_digest"));
        CHECK(spread.violations().empty());
        CHECK(spread.result.outcome == engine::Outcome::finished);
      }
}

}  // namespace faultline::workloads
