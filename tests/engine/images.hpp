// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/image.hpp"
#include "tests/support/job.hpp"

/// What the tests of images share.
namespace faultline::engine {

/// Uses a new component of that type, which has images, for each actor.
template <class Own, class... Arguments>
void use_own(test::Job& job, Family family, Arguments... arguments) {
  job.own(family,
          [&job, arguments...](ActorId) { return std::make_unique<Own>(job, arguments...); },
          {.traits = WorkloadTraits{.has_images = true}});
}

/// Tokens go round all ranks. Each rank notes what it makes of a token, from its random numbers and
/// from all that it has seen, and sends that on.
class Walker final : public Workload {
 public:
  Walker(test::Job& job, int steps) : job_(job), steps_(steps) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Walker>(*this);
  }
  void start(WorkloadContext& context) override { send(context); }
  void on_message(WorkloadContext& context, const Message& message) override {
    seen_ = 31 * seen_ + message.payload.get<std::uint64_t>() + random.below(1000);
    seen_ %= 1000003;
    job_.note(context, "step", static_cast<std::int64_t>(seen_));
    if (--steps_ > 0) send(context);
  }
  void on_restored(WorkloadContext& context) override { job_.note(context, "restored", steps_); }

 private:
  void send(WorkloadContext& context) const {
    context.send((context.self() + 1) % context.job().processes, 0, 0).payload.put(seen_);
  }
  void digest_state(Digest& into) const override { into.add(steps_, seen_); }

  test::Job& job_;
  int steps_;
  std::uint64_t seen_ = 0;
};

/// What a layer of these tests keeps.
struct Keeping {
  Image image;
  std::vector<Message> log;
  int received = 0;
  std::uint64_t epoch = 0;
};

/// Captures into `image`, and notes whether there was one.
inline bool capture(test::Job& job, test::ScriptContext& context, Image& image,
                    const char* what = "image") {
  const std::optional<Image> captured = context.capture();
  job.note(context, what, captured ? 1 : 0);
  if (captured) image = *captured;
  return captured.has_value();
}

}  // namespace faultline::engine
