// SPDX-License-Identifier: Apache-2.0

// When a layer can take an image of what is above it, and when there is none.

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tests/engine/images.hpp"
#include "tests/support/digest_of.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

struct TakeImage {
  static constexpr std::uint16_t kRequest = 1003;
  std::int64_t unused = 0;
};

/// What a program has under way when it asks for an image.
enum class UnderWay : std::uint8_t {
  nothing,
  mark,
  work,
  message,
  noticed_message,
  timer,
  computation,
  flush,
  end,
  request
};

constexpr Mark kHereMark{"here", "before it asks"};

/// Asks for an image of itself at the start.
class Asking final : public Workload {
 public:
  explicit Asking(UnderWay under_way) : under_way_(under_way) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Asking>(*this);
  }
  void start(WorkloadContext& context) override {
    switch (under_way_) {
      case UnderWay::nothing:
        break;
      case UnderWay::mark:
        context.mark(kHereMark, 1);
        break;
      case UnderWay::work:
        context.declare_work(1);
        break;
      case UnderWay::message:
        context.send(0, 0, 0);
        break;
      case UnderWay::noticed_message:
        context.send(0, 0, 0).flags |= kNotifySent;
        break;
      case UnderWay::timer:
        context.set_timer(1, 500);
        break;
      case UnderWay::computation:
        context.compute(500);
        break;
      case UnderWay::flush:
        ScriptContext(context).flush(0);
        break;
      case UnderWay::end:
        context.finish();
        break;
      case UnderWay::request:
        context.ask(Family::message_logging, TakeImage{});
        break;
    }
    context.ask(Family::message_logging, TakeImage{});
  }

 private:
  void digest_state(Digest& into) const override { into.add(under_way_); }
  UnderWay under_way_;
};

/// Runs a program that asks for an image at the start. One is tried again at 100.
Seen asked(UnderWay under_way, scenario::EngineKind engine, bool has_images = true) {
  Job job(1);
  job.own(Family::workload, [=](ActorId) { return std::make_unique<Asking>(under_way); },
          {.traits = WorkloadTraits{.has_images = has_images}, .marks = {&kHereMark}});
  job.script(Family::message_logging, [&job](ActorId) {
    Handlers handlers;
    const auto image = std::make_shared<Image>();
    handlers.start = [=, &job](ScriptContext& context) {
      capture(job, context, *image, "before the start");
      context.set_timer(1, 100);
    };
    handlers.request = [=, &job](ScriptContext& context, const StackRequest&) {
      capture(job, context, *image, "asked");
    };
    handlers.timer = [=, &job](ScriptContext& context, std::uint64_t) {
      capture(job, context, *image, "later");
    };
    handlers.sends = [=, &job](ScriptContext& context, std::span<Message* const> batch, bool) {
      capture(job, context, *image, "offered");
      context.forward(*batch.front());
    };
    return handlers;
  });
  return job.run(engine);
}

}  // namespace

TEST_CASE("nothing is captured while a part of the state is not in the components") {
  struct Case {
    UnderWay under_way;
    Values asked;
    Values later;
  };
  const std::vector<Case> cases{{UnderWay::nothing, {1}, {1}},
                                {UnderWay::mark, {1}, {1}},
                                {UnderWay::work, {1}, {1}},
                                {UnderWay::message, {1}, {1}},
                                {UnderWay::noticed_message, {0}, {1}},
                                {UnderWay::timer, {0}, {0}},
                                {UnderWay::computation, {0}, {0}},
                                {UnderWay::flush, {0}, {1}},
                                {UnderWay::end, {0}, {1}},
                                {UnderWay::request, {0, 1}, {1}}};
  for (const scenario::EngineKind engine : engines())
    for (const Case& expected : cases) {
      CAPTURE(engine_word(engine), static_cast<int>(expected.under_way));
      const Seen seen = asked(expected.under_way, engine);
      CHECK(seen.values(0, "before the start") == Values{0});
      CHECK(seen.values(0, "asked") == expected.asked);
      CHECK(seen.values(0, "later") == expected.later);
      const bool sends = expected.under_way == UnderWay::message ||
                         expected.under_way == UnderWay::noticed_message;
      CHECK(seen.values(0, "offered") == (sends ? Values{0} : Values{}));
    }
}

TEST_CASE("a stack with a component that has no images cannot be captured") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = asked(UnderWay::nothing, engine, false);
    CHECK(seen.values(0, "asked") == Values{0});
    CHECK(seen.values(0, "later") == Values{0});
  }
}

TEST_CASE("images of equal states have equal digests, whenever they were taken") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    use_own<Walker>(job, Family::workload, 3);
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      const auto images = std::make_shared<std::vector<Image>>();
      handlers.receive = [=, &job](ScriptContext& context, Message&) {
        for (int i = 0; i < 2; ++i) capture(job, context, images->emplace_back());
        const Image copy = images->back();
        const bool equal = digest_of(copy) == digest_of(*(images->end() - 2));
        const bool moved = digest_of(copy) != digest_of(images->front());
        job.note(context, "equal", equal ? 1 : 0);
        job.note(context, "moved", moved ? 1 : 0);
        return Passage::deliver;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "image") == Values{1, 1, 1, 1, 1, 1});
    CHECK(seen.values(0, "equal") == Values{1, 1, 1});
    CHECK(seen.values(0, "moved") == Values{0, 1, 1});
  }
}

}  // namespace faultline::engine
