// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/checkpoint_request.hpp"
#include "sim/core/component.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/split_mix.hpp"
#include "tests/support/job.hpp"

namespace faultline::message_logging {

/// What the ranks of these tests do.
struct Exchange {
  std::uint64_t iterations = 4;
  std::uint64_t iterations_per_checkpoint = 2;  ///< 0: never asks for one
  std::uint32_t neighbours = 2;                 ///< of the ranks that follow on a ring
  bool to_itself = true;                        ///< each rank sends to itself, too
  bool ordered = true;                          ///< the state depends on the order of messages
  double compute_s = 0.0;                       ///< of an iteration
  bool checkpoint_at_end = false;               ///< asks for a last checkpoint before it finishes
};

inline constexpr Mark kExchangeMark{"iteration", "a rank begins an iteration: its number, from 0"};

/// In each iteration, a rank sends words that depend on its state to some ranks, and takes those of
/// the same iteration in, as they come. So its state depends on the order of its messages only,
/// not on their times. It checks that what comes on each channel is what its sender sends in the
/// end: each message continues a chain of digests.
class ExchangeProgram final : public Workload {
 public:
  /// `job`: takes a note of each end, if there is one.
  explicit ExchangeProgram(const Exchange& exchange, test::Job* job = nullptr)
      : what_(exchange), job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<ExchangeProgram>(*this);
  }

  void start(WorkloadContext& context) override {
    const std::uint32_t processes = context.job().processes;
    const Rank self = context.self();
    channels_.assign(processes, {});
    state_ = split_mix(self + 1);
    for (std::uint32_t step = what_.to_itself ? 0 : 1; step <= what_.neighbours; ++step) {
      to_.push_back((self + step) % processes);
      from_.push_back((self + processes - step % processes) % processes);
    }
    what_.iterations_per_checkpoint > 0 ? ask(context) : go_on(context);
  }
  void on_answer(WorkloadContext& context, const StackRequest& answer) override {
    invariant(waits_ && answer.get<CheckpointRequest>().number + 1 == asked_,
              "an answer that nobody waits for");
    waits_ = false;
    go_on(context);
  }
  void on_message(WorkloadContext& context, const Message& message) override {
    waiting_.emplace_back(message.from, message.payload.get<Word>());
    take_in(context);
  }
  void on_compute_done(WorkloadContext& context, std::uint64_t) override {
    computes_ = false;
    end_iteration(context);
  }
  [[nodiscard]] std::string waiting_for() const override {
    if (waits_) return "an answer";
    if (iteration_ == what_.iterations) return {};
    return std::to_string(from_.size() - taken_.size()) + " words of iteration " +
           std::to_string(iteration_);
  }

 private:
  struct Word {
    std::uint64_t iteration = 0;
    std::uint64_t value = 0;
    std::uint64_t chain = 0;

    void digest(Digest& into) const { into.add(iteration, value, chain); }
  };
  struct Channel {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;

    void digest(Digest& into) const { into.add(sent, received); }
  };

  void ask(WorkloadContext& context) {
    waits_ = context.ask(Family::message_logging, CheckpointRequest{asked_});
    ++asked_;
    if (!waits_) go_on(context);
  }
  void go_on(WorkloadContext& context) {
    if (iteration_ == what_.iterations) return finish(context);
    exchange(context);
  }
  void finish(WorkloadContext& context) {
    if (job_ != nullptr) job_->note(context, "end", static_cast<std::int64_t>(state_));
    context.finish();
  }
  void exchange(WorkloadContext& context) {
    context.mark(kExchangeMark, static_cast<std::int64_t>(iteration_));
    for (const Rank to : to_) {
      Channel& channel = channels_[to];
      const std::uint64_t value = split_mix(state_ + to);
      channel.sent = split_mix(channel.sent ^ value);
      context.send(to, 0, 100).payload.put(Word{iteration_, value, channel.sent});
    }
    exchanges_ = true;
    take_in(context);
  }
  void take_in(WorkloadContext& context) {
    if (!exchanges_ || computes_) return;
    std::vector<std::pair<Rank, Word>> later;
    for (const auto& [from, word] : std::exchange(waiting_, {})) {
      invariant(word.iteration >= iteration_, "a word of an earlier iteration");
      if (word.iteration > iteration_ || taken_.size() == from_.size())
        later.emplace_back(from, word);
      else
        take(from, word);
    }
    waiting_ = std::move(later);
    if (taken_.size() < from_.size()) return;
    exchanges_ = false;
    if (what_.compute_s > 0.0) {
      computes_ = true;
      context.compute(what_.compute_s);
    } else {
      end_iteration(context);
    }
  }
  void take(Rank from, const Word& word) {
    const auto due = std::count(from_.begin(), from_.end(), from);
    invariant(std::count(taken_.begin(), taken_.end(), from) < due, "a word comes twice");
    taken_.push_back(from);
    // A job can be so small that two words of an iteration have the same channel.
    Channel& channel = channels_[from];
    channel.received = due == 1 ? split_mix(channel.received ^ word.value) : word.chain;
    invariant(channel.received == word.chain, "a channel does not have the words of its sender");
    const std::uint64_t said = split_mix(word.value ^ from);
    state_ = what_.ordered ? split_mix(state_ ^ said) : state_ + said;
  }
  void end_iteration(WorkloadContext& context) {
    taken_.clear();
    ++iteration_;
    state_ = split_mix(state_);
    const std::uint64_t every = what_.iterations_per_checkpoint;
    if (iteration_ == what_.iterations)
      return every > 0 && what_.checkpoint_at_end ? ask(context) : finish(context);
    if (every > 0 && iteration_ % every == 0) return ask(context);
    exchange(context);
  }
  void digest_state(Digest& into) const override {
    into.add(iteration_, asked_, state_, waits_, exchanges_, computes_, taken_, waiting_);
    into.add(channels_);
  }

  Exchange what_;
  test::Job* job_;
  std::vector<Rank> to_;
  std::vector<Rank> from_;
  std::vector<Channel> channels_;
  std::uint64_t iteration_ = 0;
  std::uint64_t asked_ = 0;  ///< the number of the next checkpoint
  std::uint64_t state_ = 0;
  bool waits_ = false;      ///< for a checkpoint
  bool exchanges_ = false;  ///< has sent its words, and waits for others
  bool computes_ = false;
  std::vector<Rank> taken_;                     ///< whose words of this iteration are in
  std::vector<std::pair<Rank, Word>> waiting_;  ///< which have come and are not taken in
};

}  // namespace faultline::message_logging
