// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "analysis/lemmas/lemma_search.hpp"
#include "protocols/termination/adoption.hpp"
#include "tests/support/pass_through.hpp"

/// INDEP and its kin with one mistake each.
namespace faultline::termination {

/// Section 2 as printed: a further message of the parent is added to the parent's entry of the
/// cornet, C becomes 2, and the process never disengages with C = 1. What is left of that when the
/// rest is right: the message is never acknowledged.
class PrintedCornet final : public test::PassThrough<PrintedCornet, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  Passage on_receive(TerminationContext& context, Message& message) override {
    return message.from == parent() ? Passage::deliver : PassThrough::on_receive(context, message);
  }
};

/// Decides as soon as it is told of a death, or is queried about one.
class DecidesBeforeTheFlush final
    : public test::PassThrough<DecidesBeforeTheFlush, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  void on_peer_failed(TerminationContext& context, Incarnation peer) override {
    PassThrough::on_peer_failed(context, peer);
    on_flushed(context, peer);
  }
  void on_message(TerminationContext& context, const Message& message) override {
    PassThrough::on_message(context, message);
    if (message.kind == kTryEngageGrandchild)
      on_flushed(context, {message.payload.get<TryEngageGrandchild>().failed});
  }
};

/// Forgets, when a phase begins, which ranks have died in earlier ones.
class ForgetsTheDead final : public test::PassThrough<ForgetsTheDead, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  void start(TerminationContext& context) override {
    started_ = true;
    PassThrough::start(context);
  }
  void on_peer_failed(TerminationContext& context, Incarnation peer) override {
    if (started_) PassThrough::on_peer_failed(context, peer);
  }

 private:
  void digest_state(Digest& into) const override {
    PassThrough::digest_state(into);
    into.add(started_);
  }
  bool started_ = false;
};

/// Owes itself nothing for what it sends to itself, but waits for it.
class NoWordToItself final : public test::PassThrough<NoWordToItself, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  Passage on_receive(TerminationContext& context, Message& message) override {
    return message.from == context.self() ? Passage::deliver
                                          : PassThrough::on_receive(context, message);
  }
};

/// Below the detector: what it sends in one go leaves in another way.
using Tamper = void (*)(RecoveryContext&, std::span<Message* const>);

class Tampering final : public RecoveryLayer {
 public:
  explicit Tampering(Tamper tamper) : tamper_(tamper) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Tampering>(*this);
  }
  void on_sends(RecoveryContext& context, std::span<Message* const> batch, bool) override {
    tamper_(context, batch);
  }

 private:
  void digest_state(Digest&) const override {}
  Tamper tamper_;
};

/// Application messages leave before the control messages that should go first.
inline void send_first(RecoveryContext& context, std::span<Message* const> batch) {
  for (const bool application : {true, false})
    for (Message* message : batch)
      if ((message->channel == Family::workload) == application) context.forward(*message);
}

/// The order in which messages are sent is taken for a fence.
inline void send_without_fence(RecoveryContext& context, std::span<Message* const> batch) {
  for (Message* message : batch) {
    message->flags &= static_cast<std::uint8_t>(~kFence);
    context.forward(*message);
  }
}

/// Each acknowledgement leaves twice.
inline void acknowledge_twice(RecoveryContext& context, std::span<Message* const> batch) {
  for (Message* message : batch) {
    context.forward(*message);
    if (message->channel == Family::termination && message->kind == kAcknowledge)
      context.release(*message);
  }
}

/// Tells the parent of a process that it has not sent to, beside each that it has.
inline void tell_of_another(RecoveryContext& context, std::span<Message* const> batch) {
  for (Message* message : batch) {
    context.forward(*message);
    if (message->channel != Family::termination || message->kind != kPotentialGrandchild) continue;
    const auto note = message->payload.get<Signal>();
    Message other = *message;
    other.payload.put(Signal{note.engagement, (note.other + 1) % context.job().processes});
    context.release(other);
  }
}

/// Below the detector, too: sees which queries have no reply.
class SeesQueries : public RecoveryLayer {
 public:
  void on_sends(RecoveryContext& context, std::span<Message* const> batch, bool) override {
    for (Message* message : batch) {
      if (message->channel == Family::termination && message->kind == kTryEngageGrandchild)
        unanswered_.emplace(message->to, message->payload.get<TryEngageGrandchild>().failed);
      context.forward(*message);
    }
  }
  Passage on_receive(RecoveryContext&, Message& message) override {
    if (message.channel == Family::termination && message.kind == kReplyToGrandparent)
      unanswered_.erase({message.from, message.payload.get<ReplyToGrandparent>().failed});
    return Passage::deliver;
  }

 protected:
  void digest_state(Digest& into) const override { into.add(unanswered_); }
  /// By potential grandchild and its failed parent.
  std::set<std::pair<Rank, Rank>> unanswered_;
};

/// A detector that gives up when a layer below it tells it to.
class GivesUpWhenTold final : public test::PassThrough<GivesUpWhenTold, TerminationDetector> {
 public:
  using PassThrough::PassThrough;
  static constexpr std::uint16_t kTold = 200;  ///< no kind of the detector's own
  void on_message(TerminationContext& context, const Message& message) override {
    if (message.kind == kTold) return context.fatal("a potential grandchild has failed too");
    PassThrough::on_message(context, message);
  }
};

/// Gives up as soon as it is told that a queried process is dead, though its reply may be on its
/// way. Needs GivesUpWhenTold above it.
class GivesUpAtTheNotice final : public SeesQueries {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<GivesUpAtTheNotice>(*this);
  }
  void on_peer_failed(RecoveryContext& context, Incarnation peer) override {
    for (const auto& [grandchild, failed] : unanswered_) {
      if (grandchild != peer.actor) continue;
      Message told;
      told.from = told.to = context.self();
      told.kind = GivesUpWhenTold::kTold;
      told.channel = Family::termination;
      context.deliver(told);
      return;
    }
  }
};

/// Takes a dead process for one that has replied that it is not engaged. That ends well where it
/// was not, or had no children.
class AnswersForTheDead final : public SeesQueries {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<AnswersForTheDead>(*this);
  }
  void on_flushed(RecoveryContext& context, Incarnation peer) override {
    for (const auto& [grandchild, failed] : unanswered_) {
      if (grandchild != peer.actor) continue;
      Message reply;
      reply.from = peer.actor;
      reply.to = context.self();
      reply.kind = kReplyToGrandparent;
      reply.channel = Family::termination;
      reply.payload.put(ReplyToGrandparent{.failed = failed});
      context.deliver(reply);
    }
    std::erase_if(unanswered_, [peer](const auto& query) { return query.first == peer.actor; });
  }
};

template <class Mistake>
lemmas::Mutation with_mistake(Registration& mistaken) {
  return [&mistaken](scenario::RunSpec& spec) {
    test::make_mistaken<Mistake>(spec, Family::termination, mistaken);
  };
}

inline lemmas::Mutation with_tampering(Tamper tamper, Registration& layer) {
  layer.make = [tamper](const OptionValues&, const JobShape&) -> ComponentFactory {
    return [tamper](ActorId) { return std::make_unique<Tampering>(tamper); };
  };
  return [&layer](scenario::RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::message_logging)] = {&layer, {}};
  };
}

template <class Mistake>
lemmas::Mutation with_layer(Registration& layer) {
  layer.make = [](const OptionValues&, const JobShape&) -> ComponentFactory {
    return [](ActorId) { return std::make_unique<Mistake>(); };
  };
  return [&layer](scenario::RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::message_logging)] = {&layer, {}};
  };
}

/// Both, one above the other.
inline lemmas::Mutation giving_up_at_the_notice(Registration& layer, Registration& detector) {
  return [&layer, &detector](scenario::RunSpec& spec) {
    with_layer<GivesUpAtTheNotice>(layer)(spec);
    with_mistake<GivesUpWhenTold>(detector)(spec);
  };
}

}  // namespace faultline::termination
