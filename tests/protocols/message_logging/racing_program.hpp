// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/split_mix.hpp"
#include "tests/support/job.hpp"

namespace faultline::message_logging {

/// What the ranks of the smallest program send whose state depends on the order of messages.
struct Race {
  std::vector<std::uint32_t> words = {};  ///< to rank 0, by sender
};

/// All ranks send words to rank 0, itself included. After each word, rank 0 sends what its state is
/// then to one of the others, in turn. So the sent words show in which order words have come. The
/// program asks for no checkpoint: a rank that dies begins anew.
class RacingProgram final : public Workload {
 public:
  explicit RacingProgram(Race race) : race_(std::move(race)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<RacingProgram>(*this);
  }

  void start(WorkloadContext& context) override {
    const Rank self = context.self();
    const std::uint32_t all = std::accumulate(race_.words.begin(), race_.words.end(), 0U);
    const std::uint32_t others = context.job().processes - 1;
    due_ = self == 0 ? all : (all + others - self) / others;
    for (std::uint64_t word = 1; word <= race_.words[self]; ++word)
      context.send(0, 0, 100).payload.put(word);
    if (due_ == 0) context.finish();
  }
  void on_message(WorkloadContext& context, const Message& message) override {
    const auto word = message.payload.get<std::uint64_t>();
    state_ = split_mix(state_ ^ split_mix(word + 100UL * message.from));
    if (context.self() == 0)
      context.send(1 + taken_ % (context.job().processes - 1), 0, 100).payload.put(state_);
    if (++taken_ == due_) context.finish();
  }
  [[nodiscard]] std::string waiting_for() const override {
    return taken_ == due_ ? std::string() : "word " + std::to_string(taken_ + 1);
  }

 private:
  void digest_state(Digest& into) const override { into.add(due_, taken_, state_); }

  Race race_;
  std::uint32_t due_ = 0;    ///< words that this rank gets
  std::uint32_t taken_ = 0;  ///< of these, those that have come
  std::uint64_t state_ = 0;
};

inline void use_race(test::Job& job, const Race& race) {
  job.own(
      Family::workload, [race](ActorId) { return std::make_unique<RacingProgram>(race); },
      {.traits = WorkloadTraits{.finishes = true, .has_images = true, .driven_by_messages = true}});
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace faultline::message_logging
