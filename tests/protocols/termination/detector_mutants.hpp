// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tests/support/pass_through.hpp"

/// Termination detectors with one mistake each, and a right one beside a wrong one.
namespace faultline::termination {

/// Rank 0 asks every rank for what it has sent and received, each answers when it is idle, and
/// rank 0 announces when `equal_rounds` rounds in a row have four equal sums. Two rounds are
/// Mattern's four-counter method and right; one is the classic mistake.
class Polling final : public TerminationDetector {
 public:
  explicit Polling(std::uint32_t equal_rounds) : equal_rounds_(equal_rounds) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Polling>(*this);
  }

  void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
    mine_.sent += static_cast<std::int64_t>(batch.size());
    for (Message* message : batch) context.forward(*message);
  }
  Passage on_receive(TerminationContext&, Message&) override {
    ++mine_.received;
    return Passage::deliver;
  }
  void on_idle(TerminationContext& context) override {
    if (context.self() == 0 && !polling_) poll(context);
    while (asked_) answer(context);
  }
  void on_message(TerminationContext& context, const Message& message) override {
    if (message.kind == kOver) return context.announce();
    if (message.kind == kAnswer) return count_answer(context, message.payload.get<Counters>());
    asked_ = true;
    if (!context.active()) answer(context);
  }

 private:
  enum Kind : std::uint16_t { kProbe, kAnswer, kOver };
  struct Counters {
    std::int64_t sent = 0;
    std::int64_t received = 0;

    void digest(Digest& into) const { into.add(sent, received); }
  };

  void digest_state(Digest& into) const override {
    into.add(mine_, sums_, last_sum_, answers_, equal_, asked_, polling_);
  }

  void poll(TerminationContext& context) {
    polling_ = asked_ = true;
    answers_ = 0;
    sums_ = {};
    for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, kProbe, 8);
    if (!context.active()) answer(context);
  }

  void answer(TerminationContext& context) {
    asked_ = false;
    if (context.self() == 0)
      count_answer(context, mine_);
    else
      context.send(0, kAnswer, 16).payload.put(mine_);
  }

  void count_answer(TerminationContext& context, const Counters& counters) {
    sums_.sent += counters.sent;
    sums_.received += counters.received;
    if (++answers_ < context.job().processes) return;
    polling_ = false;
    const bool balanced = sums_.sent == sums_.received;
    equal_ = !balanced ? 0 : sums_.sent == last_sum_ ? equal_ + 1 : 1;
    last_sum_ = sums_.sent;
    if (equal_ == equal_rounds_) {
      for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, kOver, 8);
      context.announce();
    } else if (balanced || context.job().processes > 1) {
      poll(context);  // a single process waits until it is idle once more
    }
  }

  std::uint32_t equal_rounds_;
  Counters mine_;
  Counters sums_;  ///< of this round
  std::int64_t last_sum_ = 0;
  std::uint32_t answers_ = 0;
  std::uint32_t equal_ = 0;  ///< rounds in a row
  bool asked_ = false;
  bool polling_ = false;
};

/// Dijkstra-Scholten that acknowledges the engaging message at once too, so that the root knows of
/// its own messages only.
class WithoutParents final : public TerminationDetector {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<WithoutParents>(*this);
  }
  void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
    owed_ += batch.size();
    for (Message* message : batch) context.forward(*message);
  }
  Passage on_receive(TerminationContext& context, Message& message) override {
    context.send(message.from, kAcknowledgement, 8);
    return Passage::deliver;
  }
  void on_idle(TerminationContext& context) override {
    if (context.self() != 0 || owed_ > 0) return;
    for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, kOver, 8);
    context.announce();
  }
  void on_message(TerminationContext& context, const Message& message) override {
    if (message.kind == kOver) return context.announce();
    --owed_;
    if (!context.active()) on_idle(context);
  }

 private:
  enum Kind : std::uint16_t { kAcknowledgement, kOver };
  void digest_state(Digest& into) const override { into.add(owed_); }

  std::size_t owed_ = 0;
};

/// A real detector that does not see messages to the rank itself arrive.
class MissesMessagesToItself final
    : public test::PassThrough<MissesMessagesToItself, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  Passage on_receive(TerminationContext& context, Message& message) override {
    return message.from == message.to ? Passage::deliver
                                      : PassThrough::on_receive(context, message);
  }
};

/// CDA that hands out more credit than it owns.
class HandsOutTooMuch final : public test::PassThrough<HandsOutTooMuch, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override {
    PassThrough::on_sends(context, batch, still_active);
    for (Message* message : batch)
      message->termination.put(message->termination.get<std::int64_t>() + 64);
  }
};

/// CDA that keeps its credit when it goes idle.
class NeverFlushes final : public test::PassThrough<NeverFlushes, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  void on_idle(TerminationContext&) override {}
};

/// Four counters that balance what is in flight, because it is counted nowhere.
class CountsNothing final : public test::PassThrough<CountsNothing, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
    for (Message* message : batch) context.forward(*message);
  }
  Passage on_receive(TerminationContext&, Message&) override { return Passage::deliver; }
};

/// Dijkstra-Scholten that takes an acknowledgement for two while it is active.
class TakesOneForTwo final : public test::PassThrough<TakesOneForTwo, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  void on_message(TerminationContext& context, const Message& message) override {
    PassThrough::on_message(context, message);
    if (message.kind == 0 && context.active()) PassThrough::on_message(context, message);
  }
};

/// A real detector behind a wrapper that changes nothing.
class Unspoilt final : public test::PassThrough<Unspoilt, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
};

}  // namespace faultline::termination
